package main

import (
	"context"
	"os"
	"regexp"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/explain"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// explainCommand describes what graphs become.
type explainCommand struct {
	previewFlags

	Output     string `default:"text"    enum:"text,json,mermaid,dot,svg"                                                                      help:"The format: text, json, or a picture in the format mermaid, dot or svg." short:"o"`
	Commands   bool   `help:"Show what the containers of each role, such as leader and worker, run. Command lines may contain secrets."`
	Field      string `help:"Print the documentation of a field, its effect on each orchestrator, and the fields below it." placeholder:"PATH"`
	APIVersion string `default:"v1beta1" enum:"v1alpha1,v1beta1"                                                                               help:"The version of the API, v1alpha1 or v1beta1, of a --field that does not begin with spec."                 name:"api-version"`
}

// Help with examples.
func (*explainCommand) Help() string {
	return `The tree shows the nodes, GPUs and pods of each component, gangs with their place in the topology and the reasons, who decides the number of
replicas, and all objects, each with the field from which it comes. A picture is of one graph.

Examples:

  {program} explain graph.yaml
  {program} explain graph.yaml --cluster=lws-volcano
  {program} explain graph.yaml --commands
  {program} explain graph.yaml --output=svg > graph.svg
  {program} explain graph.yaml --output=mermaid

  # Fields of the API, as with kubectl explain.
  {program} explain spec.components.replicas
  {program} explain --field=multinode.nodeCount --api-version=v1alpha1

  # What the code of a message means.
  {program} explain DGD101
`
}

// Run the command.
func (c *explainCommand) Run(ctx context.Context, std streams) error {
	if path := c.field(); path != "" {
		text, err := explain.Field(path, c.APIVersion)
		if err != nil {
			return err //nolint:wrapcheck // It begins with the path.
		}
		return std.print(text)
	}
	if code := c.code(); code != "" {
		return explainCode(std, code)
	}
	files, err := c.read(std)
	if err != nil {
		return err
	}
	if err := files.Err(); err != nil {
		return err
	}
	if n := len(files.Graphs()); explain.IsPicture(c.Output) && n != 1 {
		return usageError{errors.Errorf("a picture is of one graph, and there are %d", n)}
	}
	explanations, err := c.explanations(ctx, files)
	if err != nil {
		return err
	}
	if err := explain.Write(std.out, c.Output, explanations); err != nil {
		return err //nolint:wrapcheck // It says what cannot be written.
	}
	doubt(std, files)
	note(std, files)
	for _, e := range explanations {
		if slices.ContainsFunc(e.Findings, func(f check.Finding) bool { return f.Severity == check.Error }) {
			return exitError(exitRefused)
		}
	}
	return nil
}

// field to document: that of the flag, or that of the only argument if this is the path of a field and not that of a file.
func (c *explainCommand) field() string {
	if word := c.word(); c.Field == "" && word != "" && explain.IsField(word, c.APIVersion) {
		return word
	}
	return c.Field
}

// code of a rule to explain: the only argument if this looks like a code, and is not the path of a file. Empty if there is none.
func (c *explainCommand) code() rule.Code {
	return rule.Code(regexp.MustCompile(`^(?i:DGD)\d+$`).FindString(c.word()))
}

// word is the only argument, if it is not the path of a file.
func (c *explainCommand) word() string {
	if len(c.Paths) != 1 || len(c.Files) > 0 {
		return ""
	}
	if _, err := os.Stat(c.Paths[0]); err == nil {
		return ""
	}
	return c.Paths[0]
}

// explanations of all graphs in files.
func (c *explainCommand) explanations(ctx context.Context, files *manifest.Files) ([]*explain.Explanation, error) {
	previewer, err := c.previewer(ctx)
	if err != nil {
		return nil, err
	}
	checker := check.Checker{Previewer: previewer}
	var all []*explain.Explanation
	for _, source := range files.Graphs() {
		result, err := previewer.Preview(ctx, source, files.NotGraphs())
		if err != nil {
			return nil, usageError{err}
		}
		findings, err := checker.Findings(result)
		if err != nil {
			return nil, err //nolint:wrapcheck // It says what cannot be checked.
		}
		e, err := explain.Of(result, findings)
		if err != nil {
			return nil, err
		}
		if c.Commands {
			e.ShowCommands()
		}
		all = append(all, e)
	}
	return all, nil
}
