// Package sequences shows that graphs live on as their users expect: render by render, each of which observes what the one before composed,
// and what the controllers of a cluster would have made of it. Graphs are changed, scaled and restarted, they lose what they refer to, and
// their platforms change. What each render changes is in golden files. It makes no difference whether eight functions or one render them.
package sequences

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// sequence of renders of one graph.
type sequence struct {
	reason string

	// xr and cluster are the files to begin with.
	xr, cluster string

	// input of step plan, YAML.
	input string

	steps []step
}

// step changes something and renders.
type step struct {
	// name says what happens.
	name string

	// change before the render; nil: none.
	change func(t *testing.T, c *harness.Chain)

	// gone are the keys of the objects that this render no longer composes. All others stay.
	gone []string

	// touched are the services, in lower case, whose pods this render may change, or single workloads of them: "<service> <key>". The
	// pods of all others stay as they are to the byte.
	touched []string

	// as names an earlier step. The pod templates are then what they were after it, to the byte. It is empty if they may be others.
	as string

	// refused is part of the message with which the render is refused; nothing changes then. It is empty if it is not refused.
	refused string
}

// follow a sequence to its end.
func follow(t *testing.T, binary *harness.Binary, name string, s sequence) {
	t.Helper()
	chain := harness.NewChain(t, binary, s.xr, s.cluster)
	chain.Composition = harness.CompositionWithInput(t, s.input)
	chain.Cluster = append(chain.Cluster, harness.Driver(t)...)

	var record strings.Builder
	running := pods{}
	templates := map[string]map[string]string{}
	for i, step := range s.steps {
		before, xr := maps.Clone(chain.Objects), chain.XR.DeepCopy()
		if step.change != nil {
			step.change(t, chain)
		}
		running.run(t, chain.Objects)
		out := render(t, chain, step, harness.Sampled(i+len(name), 4))
		fmt.Fprintf(&record, "# %s\n", step.name)
		if refused(t, step, out) {
			record.WriteString(refusal(out))
			continue
		}
		record.WriteString(changes(t, before, chain.Objects) + conditions(xr, chain.XR))
		compareKeys(t, step, before, chain.Objects)
		if orphans := slices.Sorted(maps.Keys(chain.Unreferenced)); len(orphans) > 0 {
			t.Errorf("%s: want references to all objects of the graph, there are none to %v", step.name, orphans)
		}
		comparePods(t, step, before, chain.Objects)
		templates[step.name] = podTemplates(t, chain.Objects)
		if diff := cmp.Diff(templates[step.as], templates[step.name]); step.as != "" && diff != "" {
			t.Errorf("%s: pods: -%s, +got:\n%s", step.name, step.as, diff)
		}
		compareReferences(t, step, running, before, chain)
	}
	harness.Golden(t, filepath.Join("testdata", name+".golden"), []byte(record.String()))
}

// refused reports whether a render was refused, as the step has it.
func refused(t *testing.T, s step, out harness.Output) bool {
	t.Helper()
	switch {
	case out.Err == nil && s.refused != "":
		t.Errorf("%s: want it refused with %q", s.name, s.refused)
	case out.Err != nil && s.refused == "":
		t.Fatalf("%s: %v: %s", s.name, out.Err, out.Stderr)
	case out.Err != nil && !strings.Contains(out.Stderr, s.refused):
		t.Errorf("%s: want it refused with %q, got %s", s.name, s.refused, out.Stderr)
	}
	return out.Err != nil
}

// refusal is the message of a render that was refused, without what the command says of every refusal.
func refusal(out harness.Output) string {
	_, message, found := strings.Cut(out.Stderr, "fatal result: ")
	if !found {
		message = out.Stderr
	}
	return "! " + indented(strings.TrimSpace(message)) + "\n"
}

// compareKeys fails when something disappears that should not, or does not that should.
func compareKeys(t *testing.T, s step, before, after map[string]*unstructured.Unstructured) {
	t.Helper()
	var gone []string
	for _, key := range slices.Sorted(maps.Keys(before)) {
		// Revisions that no workload refers to are deleted by themselves.
		if _, ok := after[key]; !ok && !strings.HasPrefix(key, "revision-") {
			gone = append(gone, key)
		}
	}
	slices.Sort(s.gone)
	if diff := cmp.Diff(s.gone, gone); diff != "" {
		t.Errorf("%s: what is no longer composed: -want, +got:\n%s", s.name, diff)
	}
}

// comparePods fails when a pod template of a component changes that was not touched.
func comparePods(t *testing.T, s step, before, after map[string]*unstructured.Unstructured) {
	t.Helper()
	old, now := podTemplates(t, before), podTemplates(t, after)
	for _, pod := range slices.Sorted(maps.Keys(old)) {
		touched := slices.ContainsFunc(s.touched, func(component string) bool { return strings.HasPrefix(pod, component+" ") })
		if template, ok := now[pod]; ok && template != old[pod] && !touched {
			t.Errorf("%s: pods %s change: -before, +after:\n%s", s.name, pod, cmp.Diff(old[pod], template))
		}
	}
}

// podTemplates of all workloads as JSON, by "<service> <where it is>".
func podTemplates(t *testing.T, objects map[string]*unstructured.Unstructured) map[string]string {
	t.Helper()
	templates := map[string]string{}
	add := func(component, where string, template any) {
		encoded, err := json.Marshal(template)
		if err != nil {
			t.Fatal(err)
		}
		templates[component+" "+where] = string(encoded)
	}
	for key, object := range objects {
		switch object.GetKind() {
		case "Deployment":
			add(strings.TrimPrefix(key, "deployment-"), key, valueAt(t, object.Object, "spec", "template"))
		case "LeaderWorkerSet":
			set := strings.TrimPrefix(key, "leaderworkerset-")
			component := set[:strings.LastIndex(set, "-")]
			for _, role := range []string{"leaderTemplate", "workerTemplate"} {
				add(component, key+" "+role, valueAt(t, object.Object, "spec", "leaderWorkerTemplate", role))
			}
		case "PodCliqueSet":
			cliques, _ := valueAt(t, object.Object, "spec", "template", "cliques").([]any)
			for _, item := range cliques {
				clique, _ := item.(map[string]any)
				name, _ := clique["name"].(string)
				// What Grove hashes to tell whether pods have to be replaced.
				pods := []any{clique["labels"], clique["annotations"], valueAt(t, clique, "spec", "podSpec")}
				add(strings.TrimSuffix(strings.TrimSuffix(name, "-ldr"), "-wkr"), "clique "+name, pods)
			}
		}
	}
	return templates
}

func valueAt(t *testing.T, object map[string]any, path ...string) any {
	t.Helper()
	value, ok, err := unstructured.NestedFieldNoCopy(object, path...)
	if !ok || err != nil {
		t.Fatalf("there is no %s: %v", strings.Join(path, "."), err)
	}
	return value
}
