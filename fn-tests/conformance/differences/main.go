// Command differences prints the page about the differences from the Dynamo operator.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/conformance"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	page, err := conformance.Document(conformance.Releases())
	if err != nil {
		return fmt.Errorf("cannot write the page about the differences: %w", err)
	}
	_, err = io.WriteString(out, page)
	return err
}
