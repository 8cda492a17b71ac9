// Command differences prints the page about the differences from the Dynamo operator.
//
//	differences ACCEPT_TSV
package main

import (
	"fmt"
	"os"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/conformance"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: differences ACCEPT_TSV")
	}
	file, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("cannot read the accepted differences: %w", err)
	}
	accepted, err := conformance.ParseAccepted(string(file))
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	fmt.Print(accepted.Document())
	return nil
}
