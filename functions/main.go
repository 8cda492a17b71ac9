// Functions serves the composition functions of configuration-dynamo, and
// renders a composite resource with all of them without a cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/crossplane/function-sdk-go/logging"
)

// program is how the program calls itself if nobody says otherwise, as in tests.
const program = "functions"

func main() {
	// Kubernetes stops a pod with SIGTERM, a terminal with SIGINT.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, program: os.Args[0]})
	stop()
	os.Exit(code)
}

// streams of the process.
type streams struct {
	in       io.Reader
	out, err io.Writer

	// program is the path with which the program was started.
	program string
}

// executable is the name with which the program was started.
func (s streams) executable() string {
	if s.program == "" {
		return program
	}
	return strings.TrimSuffix(filepath.Base(s.program), ".exe")
}

// name of the program in its help and errors. As a plugin it is a command of kubectl, which separates words with dashes.
// https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
func (s streams) name() string {
	if plugin, ok := strings.CutPrefix(s.executable(), "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "-", " ")
	}
	return s.executable()
}

// print to standard output.
func (s streams) print(text string) error {
	if _, err := io.WriteString(s.out, text); err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	return nil
}

// commands of the program, in addition to one for each function.
type commands struct {
	toolCommands

	Render  renderCommand   `cmd:"" help:"Render a composite resource with the functions of this program, without a cluster."`
	Version versionCommand  `cmd:"" help:"Print the release of the program, and the releases of Dynamo that it knows."`
	Serve   serveAllCommand `cmd:"" help:"Serve all functions, each at its own port, for the Development runtime of Crossplane's renderer."`
}

// run the program and return its exit status.
func run(ctx context.Context, args []string, std streams) int {
	options := []kong.Option{
		kong.Name(std.name()),
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
	address(parser.Model.Node, std)
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

// address the program in the examples of its help by the name with which it was started.
func address(node *kong.Node, std streams) {
	node.Detail = strings.NewReplacer("{program}", std.name(), "{executable}", std.executable()).Replace(node.Detail)
	for _, child := range node.Children {
		address(child, std)
	}
}

// fail with an error, and return the exit status that goes with it.
func fail(std streams, err error) int {
	_, _ = fmt.Fprintf(std.err, "%s: error: %s\n", std.name(), err)
	var usage usageError
	var path *fs.PathError
	if errors.As(err, &usage) || errors.As(err, &path) {
		return exitUsage
	}
	return exitRefused
}
