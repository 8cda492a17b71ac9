package main

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/compare"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// diffCommand shows what a change of graphs does.
type diffCommand struct {
	platformFlags

	Paths     []string `arg:"" help:"OLD and NEW, each a file, a folder or a pattern with graphs, or - for standard input. With NEW alone, the graphs in the cluster of the kubeconfig are OLD. Without both, --input or --composition is compared with the policy of the cluster." name:"path" optional:""`
	New       []string `help:"NEW, in place of the last argument. Can be repeated." name:"filename" placeholder:"PATH" short:"f"`
	Recursive bool     `help:"Read folders in folders too." short:"R"`
	Output    string   `default:"text"                                                                                                                                                       enum:"text,json,markdown" help:"The format of the report: text, json or markdown." short:"o"`
	Fields    bool     `help:"Show the fields that change. Values that may be secret are not shown."`
	Strict    bool     `help:"End with exit status 3 if pods restart and spec.restart does not ask for it."`
}

// Help with examples.
func (*diffCommand) Help() string {
	return `OLD and NEW are each a file, a folder or a pattern with graphs, or - for standard input. With NEW alone, OLD is the cluster of the
kubeconfig. Graphs are compared by namespace and name. If OLD is a folder that does not exist, all graphs are new.

The command renders both sides with the functions of this program, as if NEW were applied over OLD, and follows all restarts, rollouts
and scaling to their end.

Examples:

  # What a change in the working tree does.
  git show HEAD:deploy/chat.yaml | {program} diff - deploy/chat.yaml

  # Against the cluster of the kubeconfig, which is only read.
  {program} diff deploy/ --fields

  # A comment for a pull request.
  {program} diff before/deploy/ deploy/ --output=markdown --fields > comment.md
  {program} diff before/deploy/ deploy/ --strict

  # Before an upgrade, or with another policy: a line for each graph of the cluster. The exit status is 3 if a graph would be refused.
  {program} diff --composition=compositions/dynamographdeployment-fused.yaml
  {program} diff --input=policy.yaml --namespace=inference
`
}

// Run the command.
func (c *diffCommand) Run(ctx context.Context, std streams) error {
	d := &differ{}
	if err := c.prepare(ctx, std, d); err != nil {
		return err
	}
	report, err := d.report(ctx)
	if err != nil {
		return usageError{err}
	}
	if err := report.Write(std.out, c.Output, compare.Options{Fields: c.Fields, Impact: d.impact}); err != nil {
		return err
	}
	std.err.Printf("%s\n", report.Summary())
	doubt(std, d.new)
	note(std, d.new)
	switch {
	case report.Count(compare.Refused) > 0 && d.impact:
		return exitError(exitWarnings)
	case report.Count(compare.Refused) > 0:
		return exitError(exitRefused)
	case c.Strict && report.Unasked():
		return exitError(exitWarnings)
	default:
		return nil
	}
}

// prepare a comparison of what the paths and the flags name.
func (c *diffCommand) prepare(ctx context.Context, std streams, d *differ) error {
	before, after, err := c.sides()
	switch {
	case err != nil:
		return err
	case before == "":
		if c.Cluster != defaultCluster && c.Cluster != liveCluster {
			return usageError{errors.Errorf("--cluster=%s is for OLD and NEW in files: NEW alone is compared with the cluster of the kubeconfig", c.Cluster)}
		}
		c.Cluster = liveCluster
	case isMissingFolder(before):
		d.old = &manifest.Files{}
		std.err.Printf("OLD %s does not exist, so all graphs are new\n", before)
	default:
		if d.old, err = c.read(std, before); err != nil {
			return err
		}
	}
	if d.impact = len(after) == 0; d.impact {
		return c.prepareImpact(ctx, d)
	}
	if d.new, err = c.read(std, after...); err != nil {
		return err
	}
	if len(d.new.Graphs()) == 0 && (d.old == nil || len(d.old.Graphs()) == 0) {
		return usageError{errors.New("there is no DynamoGraphDeployment in what was read")}
	}
	for _, files := range []*manifest.Files{d.old, d.new} {
		if err := c.twice(files); err != nil {
			return err
		}
	}
	if d.previewer, err = c.previewer(ctx); err != nil {
		return err
	}
	d.checker.Previewer = d.previewer
	if live, isLive := d.previewer.Cluster.(*preview.Live); isLive && d.old == nil {
		d.live = live
	}
	return nil
}

// prepareImpact prepares a comparison of the policy of the flags with that of the cluster, for all of its graphs.
func (c *diffCommand) prepareImpact(ctx context.Context, d *differ) error {
	var err error
	if d.previewer, err = c.previewer(ctx); err != nil {
		return err
	}
	d.checker.Previewer = d.previewer
	d.live, _ = d.previewer.Cluster.(*preview.Live)
	d.new, err = d.live.Graphs(c.Namespace)
	switch {
	case err != nil:
		return usageError{err}
	case len(d.new.Objects) == 0:
		return usageError{errors.New("there is no DynamoGraphDeployment in the cluster, or in the namespace of --namespace")}
	default:
		return nil
	}
}

// isMissingFolder reports whether a path is that of a folder that does not exist, as that of the graphs before the first of them. A manifest that
// does not exist is more likely a mistake.
func isMissingFolder(path string) bool {
	_, err := os.Stat(path)
	return path != manifest.Stdin && errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(path, "*?[") && !manifest.IsManifest(path)
}

// twice is an error if a graph is in the files of one side twice: it is not known which of the two counts.
func (c *diffCommand) twice(files *manifest.Files) error {
	if files == nil {
		return nil
	}
	graphs := files.Graphs()
	for i := range graphs {
		for j := range i {
			a, b := &graphs[j], &graphs[i]
			if a.GetKind() != b.GetKind() || qualifiedName(a, c.Namespace) != qualifiedName(b, c.Namespace) {
				continue
			}
			first, _ := a.At("metadata.name")
			second, _ := b.At("metadata.name")
			return usageError{errors.Errorf("%s: graph %s is also in %s, and what is applied last replaces the other; rename one of the two, or compare their files separately",
				second, qualifiedName(b, c.Namespace), first)}
		}
	}
	return nil
}

// sides of the comparison. Without the former, it is with a cluster.
func (c *diffCommand) sides() (before string, after []string, err error) {
	arguments, after := c.Paths, c.New
	if n := len(arguments); len(after) == 0 && n > 0 {
		arguments, after = arguments[:n-1], arguments[n-1:]
	}
	switch {
	case len(after) == 0 && (c.Input != "" || c.Composition != ""):
	case len(after) == 0, len(arguments) > 1:
		return "", nil, usageError{errors.Errorf("expected OLD and NEW, or NEW alone, got %s", output.Count(len(c.Paths)+len(c.New), "path"))}
	case len(arguments) == 1:
		before = arguments[0]
	}
	return before, after, nil
}

// read the graphs of one side. It may have none.
func (c *diffCommand) read(std streams, paths ...string) (*manifest.Files, error) {
	files, err := manifest.Reader{In: std.in, Recursive: c.Recursive}.Read(paths)
	if err != nil {
		return nil, usageError{err}
	}
	switch err := files.Err(); {
	case err != nil && len(files.Unbuilt) > 0:
		// It is not known what to compare.
		return nil, usageError{err}
	case err != nil:
		return nil, err
	}
	return files, nil
}

// differ compares graphs.
type differ struct {
	previewer *preview.Previewer
	checker   check.Checker

	// old and new files. Without the former, the graphs in a live cluster are compared.
	old, new *manifest.Files
	live     *preview.Live

	// impact says that the graphs stay what they are, and the policy changes.
	impact bool
}

// pair of the same graph on both sides. One of them may not exist.
type pair struct {
	name     string
	old, new *manifest.Object
}

// qualifiedName of a graph, with its namespace or that of graphs without one.
func qualifiedName(o *manifest.Object, namespace string) string {
	if preview.IsLegacy(o.GetKind()) {
		return o.GetName()
	}
	return cmp.Or(o.GetNamespace(), namespace, metav1.NamespaceDefault) + "/" + o.GetName()
}

// pairs of all graphs, by name.
func (d *differ) pairs() []pair {
	var all []pair
	add := func(o *manifest.Object, set func(*pair)) {
		name := qualifiedName(o, d.previewer.Namespace)
		i := slices.IndexFunc(all, func(p pair) bool { return p.name == name })
		if i < 0 {
			i = len(all)
			all = append(all, pair{name: name})
		}
		set(&all[i])
	}
	if d.old != nil {
		for _, o := range d.old.Graphs() {
			add(&o, func(p *pair) { p.old = &o })
		}
	}
	for _, o := range d.new.Graphs() {
		add(&o, func(p *pair) { p.new = &o })
	}
	return all
}

// report on all graphs.
func (d *differ) report(ctx context.Context) (*compare.Report, error) {
	pairs := d.pairs()
	report := &compare.Report{Graphs: make([]compare.Graph, len(pairs)), Skipped: d.new.Skipped()}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range pairs {
		group.Go(func() error {
			var err error
			report.Graphs[i], err = d.graph(ctx, &pairs[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	report.Sort()
	return report, nil
}

// graph is what happens to a graph.
func (d *differ) graph(ctx context.Context, p *pair) (compare.Graph, error) {
	if d.impact {
		return d.underPolicy(ctx, p)
	}
	stages := compare.Stages{}
	var existing *preview.State
	var err error
	if stages.Before, err = d.before(ctx, p); err != nil {
		return compare.Graph{}, err
	}
	if stages.Before != nil && stages.Before.State == nil {
		stages.Before, stages.Note = nil, "OLD is refused, so it is compared as if it had never run"
	}
	if stages.Before != nil {
		existing = stages.Before.State
	}
	if p.new == nil {
		return compare.Of(p.name, stages), nil
	}
	if stages.After, err = d.previewer.Settle(ctx, *p.new, existing, d.new.NotGraphs()); err != nil {
		return compare.Graph{}, err
	}
	return d.judged(p.name, stages)
}

// underPolicy is what happens to a graph of the cluster that stays what it is. Its objects are compared as they are in the cluster, so that what a
// release changes is seen, too.
func (d *differ) underPolicy(ctx context.Context, p *pair) (compare.Graph, error) {
	existing, err := d.live.Existing(*p.new, d.previewer.Namespace)
	if err != nil || existing == nil {
		return compare.Graph{Name: p.name, Effect: compare.Nothing}, err
	}
	composition, err := d.live.CompositionOf(existing)
	if err != nil {
		return compare.Graph{}, errors.Wrapf(err, "cannot read the Composition of graph %s", p.name)
	}
	today, after := d.previewer.Under(composition)
	stages := compare.Stages{}
	if stages.Before, err = today.Settle(ctx, *p.new, existing, nil); err != nil {
		return compare.Graph{}, errors.Wrapf(err, "cannot preview graph %s with the Composition of the cluster", p.name)
	}
	stages.Before.State = existing
	if stages.After, err = after.Settle(ctx, *p.new, existing, nil); err != nil {
		return compare.Graph{}, errors.Wrapf(err, "cannot preview graph %s", p.name)
	}
	return d.judged(p.name, stages)
}

// judged stages of a graph: whether it is refused, and of what it is warned anew.
func (d *differ) judged(name string, stages compare.Stages) (compare.Graph, error) {
	findings, err := d.checker.Findings(stages.After.Result)
	if err != nil {
		return compare.Graph{}, err
	}
	for _, f := range findings {
		if f.Severity == check.Error {
			stages.Refusals = append(stages.Refusals, f)
		}
	}
	if stages.Before != nil && len(stages.Refusals) == 0 {
		stages.Warnings = check.Since(stages.Before.Verdict, stages.After.Result)
	}
	return compare.Of(name, stages), nil
}

// before the change. nil if the graph does not exist. It has no state if it is refused and has never run.
func (d *differ) before(ctx context.Context, p *pair) (*preview.Stage, error) {
	var existing *preview.State
	old, others := p.old, []unstructured.Unstructured(nil)
	switch {
	case d.live != nil:
		var err error
		if existing, err = d.live.Existing(*p.new, d.previewer.Namespace); err != nil || existing == nil {
			return nil, err
		}
		old = new(manifest.InNoFile(existing.Source))
	case old != nil:
		others = d.old.NotGraphs()
	default:
		return nil, nil //nolint:nilnil // There is no graph, and nothing wrong with that.
	}
	return d.previewer.Settle(ctx, *old, existing, others)
}
