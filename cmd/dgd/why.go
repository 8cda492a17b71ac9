package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/why"
)

// whyCommand finds out why a graph is not ready.
type whyCommand struct {
	Graph     string `arg:"" help:"The name of a graph, or dgd/NAME." name:"graph" optional:""`
	All       bool   `help:"Look at all graphs of the cluster, with a line for each." name:"all-namespaces" short:"A"`
	Namespace string `help:"Namespace of the graph. Without this flag: the namespace of the context." placeholder:"NAME" short:"n"`

	kubectlFlags

	Output string `default:"text" enum:"text,json" help:"The format: text or json." short:"o"`
	Logs   bool   `help:"Show the last lines of the log of the container that is the cause. They may contain requests to the model."`
	Watch  bool   `help:"Show the progress of each component until the graph is ready." short:"w"`

	// Interval between two looks at a graph that is watched.
	Interval time.Duration `default:"3s" help:"How often --watch looks."`
}

// Help with examples.
func (*whyCommand) Help() string {
	return `The last lines are the most likely cause, with its code, and the command to run next. A page explains the codes:
` + compatibility.Page("troubleshooting.md#why") + `

The command only reads the cluster, with the permissions of your kubectl. It lists what you may not read. It never reads Secrets, and
reads logs only with --logs. The exit status is 1 if the graph is not ready. With --watch, the command ends when the graph is ready.

Examples:

  {program} why llama --namespace=inference
  {program} why dgd/llama -n inference --logs
  {program} why llama -n inference --output=json | jq -r '.causes[0].code'

  # All graphs of the cluster, with a line for each.
  {program} why -A
`
}

// Run the command.
func (c *whyCommand) Run(ctx context.Context, std streams) error {
	if c.All {
		return c.all(ctx, std)
	}
	name, err := graphName(c.Graph)
	if err != nil {
		return usageError{err}
	}
	if c.Watch && (c.Output != output.FormatText || c.Logs) {
		return usageError{errors.New("--watch shows progress as text, without logs: leave out --output and --logs, or --watch")}
	}
	if c.Namespace == "" {
		if c.Namespace, err = c.live(ctx).Namespace(); err != nil {
			return usageError{err}
		}
	}
	if c.Watch {
		return c.watch(ctx, std, name)
	}
	reader := c.live(ctx)
	d, err := c.diagnosis(reader, name)
	if err != nil {
		return usageError{err}
	}
	if c.Logs {
		if err := d.AddLog(reader); err != nil {
			return errors.Wrap(err, "cannot read the log")
		}
	}
	if err := d.Write(std.out, c.Output); err != nil {
		return err
	}
	if !d.Ready {
		return exitError(exitRefused)
	}
	return nil
}

// all graphs of the cluster.
func (c *whyCommand) all(ctx context.Context, std streams) error {
	if c.Graph != "" || c.Namespace != "" || c.Watch || c.Logs {
		return usageError{errors.New("--all-namespaces looks at all graphs once: leave out the name, --namespace, --watch and --logs")}
	}
	all, err := why.All(c.live(ctx), c.kubectl())
	if err != nil {
		return usageError{errors.Wrap(err, "cannot read the graphs of the cluster")}
	}
	if err := why.WriteAll(std.out, all, c.Output); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(d *why.Diagnosis) bool { return !d.Ready }) {
		return exitError(exitRefused)
	}
	return nil
}

// diagnosis of the graph.
func (c *whyCommand) diagnosis(reader why.Reader, name string) (*why.Diagnosis, error) {
	facts, err := why.Collect(reader, c.Namespace, name)
	if errors.Is(err, why.ErrNotFound) {
		return nil, errors.Errorf("there is no DynamoGraphDeployment %s in namespace %s", name, c.Namespace)
	}
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read DynamoGraphDeployment %s in namespace %s", name, c.Namespace)
	}
	return why.Diagnose(facts, c.kubectl()), nil
}

// kubectl with the flags that choose the cluster.
func (c *whyCommand) kubectl() string {
	words := []string{"kubectl"}
	if c.Kubeconfig != "" {
		words = append(words, "--kubeconfig="+c.Kubeconfig)
	}
	if c.Context != "" {
		words = append(words, "--context="+c.Context)
	}
	return output.Shell(words...)
}

// watch the graph until it is ready. A cluster that cannot be read for a while is read again.
func (c *whyCommand) watch(ctx context.Context, std streams, name string) error {
	progress := why.Progress{Out: std.out}
	for first := true; ; first = false {
		d, err := c.diagnosis(c.live(ctx), name)
		switch {
		case ctx.Err() != nil:
			return exitError(exitRefused)
		case err != nil && first:
			return usageError{err}
		case err != nil:
			std.err.Printf("%s; trying again\n", err)
		default:
			if err := progress.Show(d); err != nil {
				return err
			}
			if d.Ready {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return exitError(exitRefused)
		case <-time.After(c.Interval):
		}
	}
}

// graphName of NAME, dgd/NAME, or the long forms of the latter.
func graphName(argument string) (string, error) {
	if argument == "" {
		return "", errors.New("expected the name of a graph, or --all-namespaces")
	}
	kind, name, ok := strings.Cut(argument, "/")
	if !ok {
		kind, name = "dgd", argument
	}
	switch strings.ToLower(kind) {
	case "dgd", "dynamographdeployment", "dynamographdeployments", "dynamographdeployment.nvidia.com", "dynamographdeployments.nvidia.com":
	default:
		return "", errors.Errorf("%s is no graph: expected NAME or dgd/NAME", argument)
	}
	if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "/") {
		return "", errors.Errorf("%q is not the name of a graph", name)
	}
	return name, nil
}
