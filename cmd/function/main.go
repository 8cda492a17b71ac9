// Function serves one composition function of configuration-dynamo, as its package does in a cluster: the first argument names it, and flags
// follow.
//
// It has no other commands: what they need, such as the rules of the API server, would be in the memory of each function. It parses its flags
// with the standard library. The linker keeps every exported method of every type in a program that looks methods up by a name which it only
// knows at run time, as libraries for commands do (https://go.dev/blog/deadcode#Tips). For the types of Kubernetes this is a fifth of a binary.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
)

const (
	// exitFailed says that the function cannot be served.
	exitFailed = 1
	// exitUsage says that the arguments or the environment are wrong.
	exitUsage = 2
)

func main() {
	// Kubernetes stops a pod with SIGTERM, a terminal with SIGINT.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

// run the function that the first argument names, and return its exit status.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	fail := func(code int, err error) int {
		_, _ = fmt.Fprintf(stderr, "function: error: %s\n", err)
		return code
	}
	var names []string
	for _, fn := range functions.All(logging.NewNopLogger()) {
		names = append(names, fn.Name)
	}
	if len(args) == 0 || !slices.Contains(names, args[0]) {
		return fail(exitUsage, errors.Errorf("the first argument must be one of the functions: %s", strings.Join(names, ", ")))
	}
	s := &settings{}
	set := s.flags(args[0])
	set.SetOutput(stderr)
	if err := fromEnvironment(set); err != nil {
		return fail(exitUsage, err)
	}
	switch err := set.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	case set.NArg() > 0:
		return fail(exitUsage, errors.Errorf("unexpected argument %s", set.Arg(0)))
	}
	if err := s.complete(); err != nil {
		return fail(exitUsage, err)
	}
	if err := s.serve(ctx, args[0]); err != nil {
		return fail(exitFailed, err)
	}
	return 0
}
