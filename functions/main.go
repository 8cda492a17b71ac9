// Functions serves the composition functions of configuration-dynamo, and
// renders a composite resource with all of them without a cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/crossplane/function-sdk-go/logging"
)

// program is how the program calls itself in its help and errors.
const program = "functions"

func main() {
	// Kubernetes stops a pod with SIGTERM, a terminal with SIGINT.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}

// streams of the process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// commands of the program, in addition to one for each function.
type commands struct {
	Render   renderCommand   `cmd:"" help:"Render a composite resource with the functions of this program, without a cluster."`
	Adopt    adoptCommand    `cmd:"" help:"Move graphs from the Dynamo operator to this Configuration without a restart."`
	Convert  convertCommand  `cmd:"" help:"Convert graphs between v1alpha1 and v1beta1, without a cluster."`
	Validate validateCommand `cmd:"" help:"Find all that is wrong with graphs, without a cluster."`
	Serve    serveAllCommand `cmd:"" help:"Serve all functions, each at its own port, for the Development runtime of Crossplane's renderer."`
}

// run the program and return its exit status.
func run(ctx context.Context, args []string, std streams) int {
	options := []kong.Option{
		kong.Name(program),
		kong.Description("The composition functions of configuration-dynamo."),
		kong.Writers(std.out, std.err),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
	}
	for _, fn := range functions(logging.NewNopLogger()) {
		options = append(options, kong.DynamicCommand(fn.Name, fmt.Sprintf("Serve the function %s.", fn.Name), "", &serveCommand{name: fn.Name}))
	}

	parser, err := kong.New(&commands{}, options...)
	if err != nil {
		return fail(std, err)
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		return fail(std, usageError{err})
	}
	err = kctx.Run()
	var exit exitError
	switch {
	case errors.As(err, &exit):
		return int(exit)
	case err != nil:
		return fail(std, err)
	default:
		return 0
	}
}

// fail with an error, and return the exit status that goes with it.
func fail(std streams, err error) int {
	_, _ = fmt.Fprintf(std.err, "%s: error: %s\n", program, err)
	if usage := (usageError{}); errors.As(err, &usage) {
		return exitUsage
	}
	return exitRefused
}

// usageError says that the command cannot do what it is asked to, regardless of what is in the graphs.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }
