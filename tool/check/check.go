package check

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Report on files.
type Report struct {
	// Graphs is the number of graphs, and Skipped that of other objects and documents.
	Graphs  int `json:"graphs"`
	Skipped int `json:"skipped"`

	Findings []Finding `json:"findings"`
}

// Count the findings of a severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// Without the warnings of rules. Errors stay, because such a graph is refused.
func (r *Report) Without(codes []rule.Code) {
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return f.Severity == Warning && slices.Contains(codes, f.Code) })
}

// A Checker checks graphs.
type Checker struct {
	Previewer *preview.Previewer

	validators definitions.Validators

	builtIn builtIn
}

// Check all graphs in files. An error says that they cannot be checked at all.
func (c *Checker) Check(ctx context.Context, files *manifest.Files) (*Report, error) {
	graphs, others := files.Graphs(), files.NotGraphs()
	report := &Report{Graphs: len(graphs), Skipped: files.Skipped(), Findings: []Finding{}}
	for _, p := range files.Problems {
		report.Findings = append(report.Findings, ofProblem(rule.NotYAML, p))
	}
	for _, p := range files.Unbuilt {
		report.Findings = append(report.Findings, ofProblem(rule.NotBuilt, p))
	}
	for _, p := range files.Doubts {
		doubt := ofProblem(rule.NotBuilt, p)
		doubt.Severity = Warning
		report.Findings = append(report.Findings, doubt)
	}
	for _, p := range files.Mistaken() {
		report.Findings = append(report.Findings, ofProblem(rule.UnknownKind, p))
	}
	report.Findings = append(report.Findings, c.same(graphs)...)

	found := make([][]Finding, len(graphs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range graphs {
		group.Go(func() error {
			var err error
			found[i], err = c.graph(ctx, graphs[i], others)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	report.Findings = append(report.Findings, slices.Concat(found...)...)
	report.Findings = sorted(report.Findings)
	return report, nil
}

// same graphs, of which the last one that is applied replaces the others. Each has one warning, at the second of its manifests.
func (c *Checker) same(graphs []manifest.Object) []Finding {
	byID := map[string][]*manifest.Object{}
	var ids []string
	for i := range graphs {
		o := &graphs[i]
		id := cmp.Or(o.GetNamespace(), c.Previewer.Namespace, metav1.NamespaceDefault) + "/" + o.GetName()
		if o.GetName() == "" {
			continue
		}
		if byID[id] = append(byID[id], o); len(byID[id]) == 2 {
			ids = append(ids, id)
		}
	}
	var found []Finding
	for _, id := range ids {
		var others []string
		for i, o := range byID[id] {
			if position, _ := o.At("metadata.name"); i != 1 {
				others = append(others, position.String())
			}
		}
		finding := about(byID[id][1], Warning, rule.SameGraph, "metadata.name",
			"the graph is also in %s, and what is applied last replaces the other; rename one of them, or remove it", strings.Join(others, ", "))
		finding.Graph = id
		found = append(found, finding)
	}
	return found
}

func ofProblem(code rule.Code, p manifest.Problem) Finding {
	remedy := cmp.Or(message.Plain(p.Message).Remedy(message.Components{}), remedyOf(code))
	return Finding{Position: p.Position, Severity: Error, Code: code, Message: p.Message, Remedy: remedy}
}

// Findings are all that is wrong with a graph that was previewed.
func (c *Checker) Findings(result *preview.Result) ([]Finding, error) {
	o := result.Source
	var found []Finding
	for _, p := range o.Duplicates() {
		found = append(found, ofProblem(rule.DuplicateKey, p))
	}
	found = append(found, unknownAround(&o)...)
	schema, err := c.schema(result)
	if err != nil {
		return nil, err
	}
	found = append(found, schema...)
	found = append(found, OfFunctions(result)...)
	composed, err := c.composed(result)
	if err != nil {
		return nil, err
	}
	found = append(found, composed...)
	unrendered(&o, found)
	found = withPlaceholders(&o, found)
	c.locate(found)
	for i := range found {
		found[i].Graph = strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/")
	}
	return sorted(found), nil
}

// locate what is wrong with the policy of the platform in the file that has it.
func (c *Checker) locate(found []Finding) {
	policies := map[string]*manifest.Object{}
	if c.Previewer.Input != nil {
		policies["input."] = c.Previewer.Input
	}
	for i := range c.Previewer.Policies {
		o := &c.Previewer.Policies[i]
		policies[fmt.Sprintf("%s[%s].", o.GetKind(), o.GetName())] = o
	}
	for i := range found {
		for prefix, o := range policies {
			if path, ok := strings.CutPrefix(found[i].Field, prefix); ok {
				found[i].Position, _ = o.At(path)
			}
		}
	}
}

// OfFunctions is what the functions themselves say about a graph: why they refuse it, and what they warn of.
func OfFunctions(result *preview.Result) []Finding {
	o, verdict := &result.Source, result.Verdict
	var found []Finding
	for _, r := range verdict.Refusals {
		severity := Error
		// A graph that waits for a checkpoint is not wrong.
		if r.Kind == subject.AwaitsCheckpoint {
			severity = Warning
		}
		found = append(found, ofMessage(o, severity, r.Message, verdict.Words()))
	}
	for _, m := range verdict.Warnings {
		found = append(found, ofMessage(o, Warning, m, verdict.Words()))
	}
	if result.Err != nil {
		found = append(found, about(o, Error, rule.Refused, "", "%s", result.Err))
	}
	return sorted(found)
}

// Since a verdict on a graph: the warnings of the functions that are new. In another form, a field can be one of several, so only what is said
// of it counts.
func Since(before *plan.Verdict, after *preview.Result) []Finding {
	isConverted := before.Graph != nil && after.Verdict.Graph != nil && before.Graph.Form != after.Verdict.Graph.Form
	said := func(m *message.Message) string {
		if isConverted {
			return string(m.Code) + m.Detail.String()
		}
		return m.String()
	}
	known := map[string]bool{}
	for _, m := range before.Warnings {
		known[said(m)] = true
	}
	result := *after
	verdict := *after.Verdict
	verdict.Warnings = slices.DeleteFunc(slices.Clone(verdict.Warnings), func(m *message.Message) bool { return known[said(m)] })
	result.Verdict = &verdict
	return slices.DeleteFunc(OfFunctions(&result), func(f Finding) bool { return f.Severity != Warning })
}

// versions of graphs.
func versions() []string { return []string{v1beta1.Version, v1alpha1.Version} }
