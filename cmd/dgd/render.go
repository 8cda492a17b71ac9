package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// renderCommand renders with the functions of this program. They keep silent, so
// that standard error holds nothing but what went wrong.
type renderCommand struct {
	render.Command

	File    string `help:"A YAML file with the graph, or - for standard input, in place of the arguments."                                        name:"filename" placeholder:"PATH" short:"f"`
	Cluster string `help:"What the cluster offers, as in validate. Not with three arguments. Without this flag: grove-kai."                placeholder:"NAME" values:"all,grove,grove-kai,kueue,lws-dra,lws-kubernetes,lws-volcano,none,live"`

	kubectlFlags

	Input  string `help:"A YAML file with the input of step plan. Not with three arguments."                    placeholder:"PATH"`
	Claims bool   `help:"Treat the graph as a claim. Not with three arguments. A graph with a field that only claims have is always treated as a claim."`
}

// Help with examples.
func (*renderCommand) Help() string {
	return `A graph alone is rendered with the Composition and the functions of this program. With three arguments, the command is "crossplane
composition render".

Examples:

  {program} render graph.yaml
  {program} render graph.yaml --cluster=lws-volcano --input=policy.yaml

  # With a Composition of your own, and objects of the cluster.
  {program} render graph.yaml composition.yaml functions.yaml --required-resources=cluster.yaml
`
}

// Run the command.
func (c *renderCommand) Run(ctx context.Context, std streams) error {
	if err := c.check(); err != nil {
		return err
	}
	log, err := function.NewLogger(false)
	if err != nil {
		return err
	}
	fns := functions.All(logging.NewNopLogger())
	for i := range fns {
		fns[i] = server.Limit(server.Recover(fns[i], log))
	}
	return c.Execute(ctx, std.in, std.out, fns, c.known(ctx))
}

// check that arguments and flags go together.
func (c *renderCommand) check() error {
	switch {
	case c.File != "" && c.CompositeResource != "":
		return usageError{errors.New("--filename cannot be combined with arguments; remove one of them")}
	case c.File == "" && c.CompositeResource == "":
		return usageError{errors.New("expected the path of a graph, or - for standard input")}
	case c.File != "":
		c.CompositeResource = c.File
	}
	if c.Composition != "" && c.Functions == "" {
		return usageError{errors.New("expected a file with the functions of the Composition; to use the functions of this program, leave out the Composition too")}
	}
	alone := map[string]bool{"--cluster": c.Cluster != "", "--input": c.Input != "", "--claims": c.Claims, "--include-revisions": c.IncludeRevisions}
	for _, flag := range slices.Sorted(maps.Keys(alone)) {
		if c.Composition != "" && alone[flag] {
			return usageError{errors.Errorf("%s cannot be combined with a Composition in the arguments, which says it all; remove one of them", flag)}
		}
	}
	return nil
}

// known Composition, functions and cluster.
func (c *renderCommand) known(ctx context.Context) render.Known {
	return func(xr *unstructured.Unstructured) (*render.Input, error) {
		platform := platformFlags{
			Cluster: cmp.Or(c.Cluster, defaultCluster), kubectlFlags: c.kubectlFlags, Input: c.Input, Claims: c.Claims, Namespace: c.Namespace,
		}
		previewer, err := platform.previewer(ctx)
		if err != nil {
			return nil, err
		}
		input, err := previewer.InputOf(xr)
		if mistakes := check.Around(xr); len(mistakes) > 0 && err == nil {
			if _, err := render.Render(ctx, *input); err != nil {
				mistakes = append(mistakes, err.Error())
			}
			return nil, errors.Errorf("cannot render composite resource: %s", strings.Join(mistakes, "\n"))
		}
		// A status belongs to what is observed.
		if status, ok := xr.Object["status"]; ok && err == nil && c.ObservedResources != "" {
			input.CompositeResource.Object["status"] = status
		}
		return input, err
	}
}
