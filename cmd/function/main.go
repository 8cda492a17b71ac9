//go:build serving

package main

import (
	"context"
	"flag"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/flags"
)

// program is how the program calls itself.
const program = "functions"

// run the function that the first argument names, and return its exit status.
func run(ctx context.Context, args []string, std streams) int {
	var names []string
	for _, fn := range functions(logging.NewNopLogger()) {
		names = append(names, fn.Name)
	}
	if len(args) == 0 || !slices.Contains(names, args[0]) {
		return fail(std, usageError{errors.Errorf("the first argument must be one of the functions: %s", strings.Join(names, ", "))})
	}
	command := &serveCommand{name: args[0]}
	set, err := flags.Set(std.name()+" "+args[0], command)
	if err != nil {
		return fail(std, usageError{err})
	}
	set.SetOutput(std.err)
	switch err := set.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case set.NArg() > 0:
		return fail(std, usageError{errors.Errorf("unexpected argument %s", set.Arg(0))})
	}
	if err := command.Validate(); err != nil {
		return fail(std, usageError{err})
	}
	if err := command.Run(ctx); err != nil {
		return fail(std, err)
	}
	return 0
}
