// Command differences turns accept.tsv, on the standard input, into the page about the differences from the Dynamo operator.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/conformance"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	file, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("cannot read the accepted differences: %w", err)
	}
	accepted, err := conformance.ParseAccepted(string(file))
	if err != nil {
		return fmt.Errorf("cannot parse the accepted differences: %w", err)
	}
	_, err = io.WriteString(out, accepted.Document())
	return err
}
