package written

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/components"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// TestNothingIsMissed changes and removes each value of graphs, one after the other: where the pods of a component change, so does
// its hash. In contrast to the walk over the API this shows fields together with others.
func TestNothingIsMissed(t *testing.T) {
	for _, m := range manifests(t) {
		checkNothingIsMissed(t, m)
	}
}

func checkNothingIsMissed(t *testing.T, m manifest) {
	t.Helper()
	before, ok := stateOf(t, m.object)
	if !ok {
		t.Fatalf("%s: is refused", m.name)
	}
	changed := 0
	for path, object := range edits(m.object) {
		after, ok := stateOf(t, object)
		if !ok {
			continue
		}
		for component, pods := range before.pods {
			if pods == after.pods[component] || after.pods[component] == "" {
				continue
			}
			changed++
			if before.hashes[component] == after.hashes[component] {
				t.Errorf("%s: after an edit of %s the pods of %s are others, and the hash is the same: -before, +after:\n%s", m.name, path, component, cmp.Diff(pods, after.pods[component]))
			}
		}
	}
	if changed == 0 {
		t.Errorf("%s: no edit changes any pod", m.name)
	}
}

// state of a graph: what is written for the pods of each component, and the pods, both by component.
type state struct {
	hashes map[string]graphplan.Written
	pods   map[string]string
}

// stateOf a graph on Grove; false where the graph cannot be read, or its components are refused.
func stateOf(t *testing.T, object map[string]any) (state, bool) {
	t.Helper()
	encoded, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	req := plantest.Request(string(encoded))
	if _, errs := graph.Decode(req); len(errs) > 0 {
		return state{}, false
	}
	f := plantest.Facts(t, req)
	decided, outcome := components.Decide(f, nil)
	if outcome.Has(subject.Mistake) {
		return state{}, false
	}
	p := &graphplan.Plan{Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{}, Components: decided}
	s := state{pods: map[string]string{}}
	if s.hashes, err = Current().Hash(f.Graph, p); err != nil {
		t.Fatal(err)
	}
	b := pod.Builder{Graph: f.Buildable, Plan: p}
	for name, pods := range b.All() {
		for _, built := range pods {
			encoded, err := json.Marshal(built.Template)
			if err != nil {
				t.Fatal(err)
			}
			s.pods[name] += string(encoded)
		}
	}
	return s, true
}

// edits of a graph by where they are: its spec, and the annotations of its metadata, with one value changed or removed. The claim
// gives a graph its name, which it keeps.
func edits(object map[string]any) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, path := range append(paths(object["spec"], []string{"spec"}), paths(child(object, "metadata")["annotations"], []string{"metadata", "annotations"})...) {
		if slices.Contains(path, "claimRef") {
			continue
		}
		changed := runtime.DeepCopyJSON(object)
		replace(changed, path, other)
		all[strings.Join(path, " ")+" (changed)"] = changed
		removed := runtime.DeepCopyJSON(object)
		replace(removed, path, func(any) any { return nil })
		all[strings.Join(path, " ")+" (removed)"] = removed
	}
	return all
}

// paths of all values below one, and its own; items of lists by their number.
func paths(value any, at []string) [][]string {
	all := [][]string{at}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			all = append(all, paths(value[name], append(slices.Clip(at), name))...)
		}
	case []any:
		for i, item := range value {
			all = append(all, paths(item, append(slices.Clip(at), strconv.Itoa(i)))...)
		}
	}
	return all
}

// replace the value at a path; one that becomes nil is removed.
func replace(value any, path []string, with func(any) any) {
	name := path[0]
	switch tree := value.(type) {
	case map[string]any:
		if len(path) > 1 {
			replace(tree[name], path[1:], with)
			return
		}
		if tree[name] = with(tree[name]); tree[name] == nil {
			delete(tree, name)
		}
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil {
			return
		}
		if len(path) > 1 {
			replace(tree[i], path[1:], with)
			return
		}
		if item := with(tree[i]); item != nil {
			tree[i] = item
		}
	}
}

// other value of the same type.
func other(value any) any {
	switch value := value.(type) {
	case string:
		if n, err := strconv.Atoi(value); err == nil {
			return strconv.Itoa(n + 1)
		}
		return value + "x"
	case bool:
		return !value
	case int64:
		return value + 1
	case float64:
		return value + 1
	case []any:
		return []any{}
	default:
		return map[string]any{}
	}
}
