package main

import (
	"context"
	"errors"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/reference"
)

// commands of the program.
type commands struct {
	Validate   validateCommand   `cmd:"" help:"Find all that is wrong with graphs, without a cluster."`
	Diff       diffCommand       `cmd:"" help:"Show what a change of graphs does to what runs: what restarts, scales, comes and goes."`
	Explain    explainCommand    `cmd:"" help:"Show what graphs become and why, as a tree or as a picture, without a cluster."`
	Why        whyCommand        `cmd:"" help:"Find out why a graph in a cluster is not ready, down to its pods."`
	Doctor     doctorCommand     `cmd:"" help:"Check a cluster before and after the installation."`
	Convert    convertCommand    `cmd:"" help:"Convert graphs between v1alpha1 and v1beta1, without a cluster."`
	Adopt      adoptCommand      `cmd:"" help:"Move graphs from the Dynamo operator to this Configuration without a restart."`
	Schema     schemaCommand     `cmd:"" help:"Print the JSON Schema of graphs, for editors."`
	Completion completionCommand `cmd:"" help:"Print a script that completes commands in a shell."`
	Man        manCommand        `cmd:"" help:"Write manual pages."`
	Reference  referenceCommand  `cmd:"" help:"Print a page of the documentation." hidden:""`

	Render  renderCommand  `cmd:"" help:"Render a composite resource with the functions of this program, without a cluster."`
	Version versionCommand `cmd:"" help:"Print the release of the program, and the releases of Dynamo that it knows."`
	Serve   serveCommand   `cmd:"" group:"servers" help:"Serve all functions, each at its own port, for the Development runtime of Crossplane's renderer."`
}

// servers is the group of the commands that servers run.
const servers = "servers"

// run the program and return its exit status.
func run(ctx context.Context, args []string, std streams) int {
	options := []kong.Option{
		kong.Name(std.name()),
		kong.Description("The composition functions of configuration-dynamo."),
		kong.Writers(std.out, std.err),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
		kong.ExplicitGroups([]kong.Group{{Key: servers, Title: reference.Servers}}),
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
