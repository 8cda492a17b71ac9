package main

import (
	"context"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/crossplane/function-sdk-go/errors"
)

// program is how the program calls itself, unless it is a plugin of kubectl.
const program = "dgd"

// commands of the program.
type commands struct {
	Validate   validateCommand   `cmd:"" help:"Find all mistakes in graphs, without a cluster."`
	Diff       diffCommand       `cmd:"" help:"Show what a change does to running graphs: which pods restart, what scales, and what is created or deleted."`
	Explain    explainCommand    `cmd:"" help:"Show what graphs become and why, as a tree or as a picture, without a cluster."`
	Why        whyCommand        `cmd:"" help:"Find out why a graph in a cluster is not ready, down to its pods."`
	Doctor     doctorCommand     `cmd:"" help:"Check a cluster before and after the installation."`
	Convert    convertCommand    `cmd:"" help:"Convert graphs between v1alpha1 and v1beta1, without a cluster."`
	Adopt      adoptCommand      `cmd:"" help:"Move graphs from the Dynamo operator to this Configuration without a restart."`
	Cluster    clusterCommand    `cmd:"" help:"Record a cluster to a file, to preview graphs without the cluster."`
	Schema     schemaCommand     `cmd:"" help:"Print the JSON Schema of graphs, for editors."`
	Completion completionCommand `cmd:"" help:"Print a script that completes commands in a shell."`
	Man        manCommand        `cmd:"" help:"Write manual pages."`
	Reference  referenceCommand  `cmd:"" help:"Print a page of the documentation." hidden:""`

	HelpOn helpCommand `cmd:"" help:"Show the help of a command." name:"help"`

	Render  renderCommand  `cmd:"" help:"Render a composite resource with the functions of this program, without a cluster."`
	Version versionCommand `cmd:"" help:"Print the release of the program, and the releases of Dynamo that it knows."`
	Serve   serveCommand   `cmd:"" help:"Serve all functions, each at its own port, for the Development runtime of Crossplane's renderer." hidden:""`
}

// helpCommand shows the help of a command, as --help does.
type helpCommand struct {
	Command []string `arg:"" help:"The command, such as validate or adopt check. Without this argument, all of them." name:"command" optional:""`
}

// Run the command.
func (c *helpCommand) Run(ctx context.Context, std streams) error {
	return exitError(run(ctx, append(c.Command, "--help"), std))
}

// description of the program in its help.
const description = "Check, explain, compare and debug DynamoGraphDeployments."

// run the program and return its exit status.
func run(ctx context.Context, args []string, std streams) int {
	ended := false
	parser, err := kong.New(&commands{},
		kong.Name(std.name()),
		kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Writers(std.out, std.err),
		kong.Exit(func(int) { ended = true }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(std),
	)
	if err != nil {
		return fail(std, err)
	}
	if words, ok := std.completed(args); ok {
		return complete(std, parser, words)
	}
	address(parser.Model.Node, std)
	kctx, err := parser.Parse(conventional(args, parser.Model.Node))
	switch {
	case ended:
		return 0
	case err != nil:
		return fail(std, usageError{named(err, std)})
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

// named says of a word in place of a command that it is none. The library calls it an argument.
func named(err error, std streams) error {
	word, isUnknown := strings.CutPrefix(err.Error(), "unexpected argument ")
	var parsing *kong.ParseError
	if !isUnknown || !errors.As(err, &parsing) || parsing.Context == nil || parsing.Context.Selected() != nil {
		return err
	}
	end := ";"
	if strings.HasSuffix(word, "?") {
		end = ""
	}
	return errors.Errorf("there is no command %s%s %s --help lists them", word, end, std.name())
}

// conventional arguments: what people type to get to know a program, in the form of its commands.
func conventional(args []string, commands *kong.Node) []string {
	switch {
	case isGroup(args, commands):
		return append(slices.Clone(args), "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	default:
		return args
	}
}

// isGroup reports whether arguments are the name of commands without one of them, or nothing at all.
func isGroup(args []string, commands *kong.Node) bool {
	for _, name := range args {
		i := slices.IndexFunc(commands.Children, func(n *kong.Node) bool { return n.Name == name })
		if i < 0 {
			return false
		}
		commands = commands.Children[i]
	}
	return len(commands.Children) > 0 && commands.DefaultCmd == nil
}

// address the program in the examples of its help by the name with which it was started.
func address(node *kong.Node, std streams) {
	node.Detail = strings.NewReplacer("{program}", std.name(), "{executable}", std.executable()).Replace(node.Detail)
	for _, child := range node.Children {
		address(child, std)
	}
}
