// Command page writes the page about the fields of the API, from the definition and the tables of fn-tests/api.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/api"
)

func main() {
	if err := run(".", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run in the root of the repository.
func run(root string, out io.Writer) error {
	fields, err := api.Fields(filepath.Join(root, api.Definition))
	if err != nil {
		return err
	}
	support, err := api.ReadSupport(filepath.Join(root, "fn-tests", "api"))
	if err != nil {
		return err
	}
	annotations, err := api.ReadAnnotations(filepath.Join(root, "fn-tests", "api"))
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, api.Document(fields, support, annotations))
	return err
}
