// Embed writes the definitions that package tool/definitions contains to a folder.
package main

import (
	"fmt"
	"os"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
)

func main() {
	if len(os.Args) != 2 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: embed FOLDER")
		os.Exit(2)
	}
	if err := definitions.Embed(os.Args[1]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
