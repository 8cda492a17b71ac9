package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	manifests "github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/templates"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/compare"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// edit of a graph in either form, as its user would make it. It reports whether it has changed anything.
type edit struct {
	name  string
	apply func(*unstructured.Unstructured) bool
}

// edits of all sorts: those that restart pods, those that do not, and those that are refused.
func edits() []edit {
	ofFirst := func(change func(component map[string]any) bool) func(*unstructured.Unstructured) bool {
		return func(xr *unstructured.Unstructured) bool {
			all := componentsIn(xr)
			return len(all) > 0 && change(all[0])
		}
	}
	return []edit{
		{"scale out", ofFirst(func(c map[string]any) bool {
			replicas, _, _ := unstructured.NestedInt64(c, "replicas")
			c["replicas"] = max(1, replicas) + 1
			return true
		})},
		{"image of all", func(xr *unstructured.Unstructured) bool { return replaceImages(xr.Object["spec"]) }},
		{"variable of all", func(xr *unstructured.Unstructured) bool {
			name := "env"
			if _, components, _ := unstructured.NestedMap(xr.Object, "spec", "services"); components {
				name = "envs"
			}
			list, _, _ := unstructured.NestedSlice(xr.Object, "spec", name)
			list = append(list, map[string]any{"name": "EDITED", "value": "1"})
			return unstructured.SetNestedSlice(xr.Object, list, "spec", name) == nil
		}},
		{"restart", func(xr *unstructured.Unstructured) bool {
			return unstructured.SetNestedField(xr.Object, "edited", "spec", "restart", "id") == nil
		}},
		{"number of nodes", func(xr *unstructured.Unstructured) bool {
			for _, c := range componentsIn(xr) {
				if nodes, ok, _ := unstructured.NestedInt64(c, "multinode", "nodeCount"); ok {
					return unstructured.SetNestedField(c, nodes+1, "multinode", "nodeCount") == nil
				}
			}
			return false
		}},
		{"component removed", func(xr *unstructured.Unstructured) bool {
			list, ok, _ := unstructured.NestedSlice(xr.Object, "spec", "components")
			return ok && len(list) > 1 && unstructured.SetNestedSlice(xr.Object, list[1:], "spec", "components") == nil
		}},
		{"label of the graph", func(xr *unstructured.Unstructured) bool {
			labels := maps.Clone(xr.GetLabels())
			if labels == nil {
				labels = map[string]string{}
			}
			labels["edited"] = "yes"
			xr.SetLabels(labels)
			return true
		}},
		{"nothing", func(*unstructured.Unstructured) bool { return true }},
	}
}

// componentsIn a graph in either form, in the order of their names.
func componentsIn(xr *unstructured.Unstructured) []map[string]any {
	spec, _ := xr.Object["spec"].(map[string]any)
	var all []map[string]any
	list, _ := spec["components"].([]any)
	for _, item := range list {
		if fields, ok := item.(map[string]any); ok {
			all = append(all, fields)
		}
	}
	components, _ := spec["services"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(components)) {
		if fields, ok := components[name].(map[string]any); ok {
			all = append(all, fields)
		}
	}
	return all
}

// replaceImages below a value by others of the same release.
func replaceImages(value any) bool {
	replaced := false
	switch v := value.(type) {
	case map[string]any:
		if image, ok := v["image"].(string); ok && !strings.Contains(image, "@") {
			v["image"], replaced = "mirror.example.org/"+image, true
		}
		for _, field := range v {
			replaced = replaceImages(field) || replaced
		}
	case []any:
		for _, item := range v {
			replaced = replaceImages(item) || replaced
		}
	}
	return replaced
}

// editsOfEach is how many edits of each manifest are tried. The next manifest goes on with the edits after them.
const editsOfEach = 2

// racedOf so many edits, one is tried with the race detector.
const racedOf = 16

// TestDiffFollowsChain compares what diff says of edits of the corpus with what the functions then do in a simulated cluster: whether the
// edit is refused, and the pods of which components get another template.
func TestDiffFollowsChain(t *testing.T) {
	functions := crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
	seen := map[compare.Effect]int{}
	next := 0
	for _, m := range manifests.Manifests(t) {
		if m.Refused {
			continue
		}
		all := edits()
		for range editsOfEach {
			e := all[next%len(all)]
			next++
			// With the race detector, a few are enough.
			if testing.Short() && next%racedOf != 0 {
				continue
			}
			t.Run(m.Name+"/"+e.name, func(t *testing.T) {
				c := &comparison{Manifest: m, functions: functions}
				seen[c.run(t, e)]++
			})
		}
	}
	for _, v := range []compare.Effect{compare.Refused, compare.Restarts, compare.Scales, compare.Nothing} {
		if seen[v] == 0 && !testing.Short() {
			t.Errorf("no edit has verdict %s: %v", v, seen)
		}
	}
}

// comparison of the command and the chain.
type comparison struct {
	manifests.Manifest

	functions crossplane.Functions
}

func (c *comparison) run(t *testing.T, e edit) compare.Effect {
	t.Helper()
	before := harness.Read(t, c.Path)[0]
	after := before.DeepCopy()
	if !e.apply(after) {
		return ""
	}
	const composition = "compositions/dynamographdeployment-fused.yaml"
	said := diffOf(t, c.Platform, harness.Write(t, before), harness.Write(t, after), composition).Graphs[0]
	if diff := cmp.Diff(c.chain(t, before, e, harness.WithInput(t, composition, c.Platform.Input), said), restarting(t, &said)); diff != "" {
		t.Errorf("components whose pods change: -chain, +diff:\n%s\n%+v", diff, said)
	}
	if said.Note != "" {
		t.Errorf("want graphs that run and come to rest, got note: %s", said.Note)
	}
	return said.Effect
}

// restarting are the components whose pods get another template, as the command says, or that the graph is refused.
func restarting(t *testing.T, said *compare.Graph) string {
	t.Helper()
	if said.Effect == compare.Refused {
		return "refused"
	}
	var changed []string
	for _, component := range said.Components {
		if len(component.Fields) > 0 {
			changed = append(changed, strings.ToLower(component.Name))
		}
		if restarts := component.Effect == compare.Restarts; restarts != (len(component.Fields) > 0 && component.Replicas.Before > 0) {
			t.Errorf("%s: verdict %s, although the fields of the pods that change are %v", component.Name, component.Effect, component.Fields)
		}
	}
	slices.Sort(changed)
	return fmt.Sprint(changed)
}

// diffOf files on a platform is what the command says.
func diffOf(t *testing.T, p manifests.Platform, before, after, composition string) compare.Report {
	t.Helper()
	var out, stderr bytes.Buffer
	args := []string{
		"diff", before, after, "--output=json", "--composition", harness.WithInput(t, composition, p.Input),
		"--cluster", filepath.Join(harness.Root(), p.Cluster),
	}
	code := run(t.Context(), args, streams{out: output.To(&out), err: output.To(&stderr)})
	report := compare.Report{}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Graphs) == 0 {
		t.Fatalf("want a report on graphs, got exit status %d and %s", code, stderr.String())
	}
	if refused := report.Count(compare.Refused) > 0; refused != (code == exitRefused) {
		t.Errorf("%d graphs are refused, and the command ends with %d", report.Count(compare.Refused), code)
	}
	return report
}

// chain is what the functions do: refused, or the components whose pods get another template.
func (c *comparison) chain(t *testing.T, before *unstructured.Unstructured, e edit, composition string, said compare.Graph) string {
	t.Helper()
	pipeline, err := crossplane.ReadPipeline(composition)
	if err != nil {
		t.Fatal(err)
	}
	pipeline.Once = true
	g := crossplane.NewGraph(before, harness.Read(t, c.Platform.Cluster))
	if err := c.settle(t, pipeline, g); err != nil {
		t.Fatal(err)
	}
	was := c.pods(t, g)
	g.Edit(func(xr *unstructured.Unstructured) { e.apply(xr) })
	if err := c.settle(t, pipeline, g); err != nil {
		return "refused"
	}
	if isSchema(&said) {
		// The functions do not see what the API server refuses.
		return "refused"
	}
	changed := map[string]bool{}
	for place, hash := range c.pods(t, g) {
		if was[place] != "" && was[place] != hash {
			changed[componentOf(place, g)] = true
		}
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(changed)))
}

// isSchema reports whether the API server alone refuses a graph.
func isSchema(said *compare.Graph) bool {
	for i := range said.Refusals {
		if !strings.HasPrefix(string(said.Refusals[i].Code), "DGD1") {
			return false
		}
	}
	return len(said.Refusals) > 0
}

// settle the graph, which may take long if its components restart one after the other.
func (c *comparison) settle(t *testing.T, pipeline *crossplane.Pipeline, g *crossplane.Graph) error {
	t.Helper()
	var err error
	for range 5 {
		if _, err = pipeline.Settle(t.Context(), g, c.functions); err == nil || errors.Is(err, crossplane.ErrFatal) {
			return err
		}
	}
	t.Fatal(err)
	return err
}

// pods are the hashes of the pod templates by their places: the key of the workload, and the role in it.
func (c *comparison) pods(t *testing.T, g *crossplane.Graph) map[string]string {
	t.Helper()
	outline, err := templates.OutlineOf(c.Name, c.Platform.Name, g.Composite(), g.Objects())
	if err != nil {
		t.Fatal(err)
	}
	pods := map[string]string{}
	for _, row := range outline.Rows {
		if slices.Contains([]string{"Deployment", "LeaderWorkerSet", "PodCliqueSet"}, row.Kind) && row.Role != "" && row.Role != "fixed" {
			pods[row.Key+" "+row.Role] = row.Hash
		}
	}
	return pods
}

// componentOf the pods at a place, in lower case.
func componentOf(place string, g *crossplane.Graph) string {
	key, role, _ := strings.Cut(place, " ")
	for _, kind := range []string{"deployment-", "leaderworkerset-"} {
		if name, ok := strings.CutPrefix(key, kind); ok {
			if kind == "leaderworkerset-" {
				name = name[:strings.LastIndex(name, "-")]
			}
			return name
		}
	}
	longest := ""
	components, _, _ := unstructured.NestedMap(g.Composite().Object, "spec", "services")
	names := slices.Collect(maps.Keys(components))
	list, _, _ := unstructured.NestedSlice(g.Composite().Object, "spec", "components")
	for _, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		names = append(names, name)
	}
	for _, name := range names {
		name = strings.ToLower(name)
		if (role == name || strings.HasPrefix(role, name+"-")) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}
