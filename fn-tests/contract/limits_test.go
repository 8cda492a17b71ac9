package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestNothingIsRefused checks the objects of the examples, of the corpus, and of the manifests outside of the repository where those exist,
// against the rules of an API server. Each manifest from outside is tried on two platforms, which differ from one manifest to the next: the
// rules are about fields, and those are the same on every platform.
func TestNothingIsRefused(t *testing.T) {
	j, own := newJudge(t), manifests(t)
	for _, m := range corpus.Manifests(t) {
		// A warning may be about what a platform does not know.
		if !m.Warned {
			own["corpus "+m.Name] = m.Path
		}
	}
	var outside []shared.Manifest
	if !testing.Short() {
		var err error
		if outside, err = shared.Manifests(); err != nil {
			t.Logf("without manifests outside of the repository: %v", err)
		}
	}
	all := platforms(t, fused)
	names := slices.Sorted(maps.Keys(all))
	for _, on := range names {
		for i, name := range slices.Sorted(maps.Keys(own)) {
			path := own[name]
			if !harness.Sampled(i+len(on), 4) {
				continue
			}
			j.checkManifest(t, on, all[on], name, path)
		}
	}
	for i, m := range outside {
		for _, on := range []string{names[i%len(names)], names[(i+len(names)/2)%len(names)]} {
			j.checkManifest(t, on, all[on], "outside "+m.Name, m.Path)
		}
	}
}

// checkManifest checks what is composed for a manifest on a platform, unless the graph is refused.
func (j judge) checkManifest(t *testing.T, on string, p platform, name, path string) {
	t.Helper()
	xr := harness.Read(t, path)[0]
	if xr.GetNamespace() == "" {
		xr.SetNamespace("default")
	}
	if g := apply(t, p, xr, p.cluster); g != nil {
		j.check(t, on+": "+name, g.Objects())
	}
}

// TestNameLimits does so with graphs whose names are as long as names can be: lengths of the graph's together with the shortest
// and the longest name of a component. Where a graph is refused, a message says what is too long.
func TestNameLimits(t *testing.T) {
	const longest = 63
	j := newJudge(t)
	for on, p := range platforms(t, fused) {
		if !slices.Contains([]string{"grove-nvlink", "everything", "lws-nvlink", "lws-nvlink-replicas"}, on) {
			continue
		}
		accepted := map[string]int{}
		for feature, component := range features() {
			for length := 1; length <= longest; length++ {
				// Between those that are too short and too long for anything nothing changes.
				if length > 2 && length < 34 || !harness.Sampled(length, 6) {
					continue
				}
				for _, more := range []int{1, longest - length - 1, longest - length, 45 - length} {
					if more < 1 {
						continue
					}
					for _, name := range []string{strings.Repeat("g", length), dotted(length)} {
						xr := &unstructured.Unstructured{Object: map[string]any{
							"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
							"spec": map[string]any{"services": map[string]any{strings.Repeat("S", more): component}},
						}}
						xr.SetName(name)
						xr.SetNamespace("n")
						xr.SetUID(types.UID("u"))
						if g := apply(t, p, xr, p.cluster); g != nil {
							accepted[feature] = max(accepted[feature], length)
							j.check(t, fmt.Sprintf("%s: %s of graph %s, %d, and service of %d", on, feature, name, length, more), g.Objects())
						}
					}
				}
			}
		}
		for feature := range features() {
			if accepted[feature] < 36 {
				t.Errorf("%s: the longest graph with a %s has %d characters", on, feature, accepted[feature])
			}
		}
		t.Logf("%s: longest names of graphs: %v", on, accepted)
	}
}

// check objects, and name the first that breaks a rule.
func (j judge) check(t *testing.T, what string, objects []*unstructured.Unstructured) {
	t.Helper()
	for _, o := range objects {
		if broken := j.broken(o); len(broken) > 0 {
			t.Errorf("%s: %s %s: %s", what, o.GetKind(), o.GetName(), strings.Join(broken, "; "))
			return
		}
	}
}

// dotted name of a length: a label is cut at any of its characters.
func dotted(length int) string {
	name := strings.Repeat("g.", length)[:length]
	if strings.HasSuffix(name, ".") {
		name = name[:length-1] + "g"
	}
	return name
}

// features of components from which objects come with names and labels of their own.
func features() map[string]map[string]any {
	runtime := func(command ...any) map[string]any {
		container := map[string]any{"image": "registry.example.org/runtime:1"}
		if len(command) > 0 {
			container["command"] = command
		}
		return map[string]any{"mainContainer": container}
	}
	worker := func(fields map[string]any) map[string]any {
		fields["componentType"], fields["extraPodSpec"] = "worker", runtime("python3", "-m", "dynamo.vllm")
		fields["resources"] = map[string]any{"requests": map[string]any{"cpu": "1"}, "limits": map[string]any{"gpu": "4"}}
		return fields
	}
	return map[string]map[string]any{
		"frontend": {
			"componentType": "frontend", "extraPodSpec": runtime(), "ingress": map[string]any{"enabled": true, "host": "chat"},
		},
		"global frontend": {"componentType": "frontend", "extraPodSpec": runtime(), "globalDynamoNamespace": true},
		"planner":         {"componentType": "planner", "extraPodSpec": runtime("planner")},
		"picker": {
			"componentType": "epp", "extraPodSpec": runtime("picker"),
			"eppConfig": map[string]any{"config": map[string]any{"plugins": []any{map[string]any{"type": "a"}}, "schedulingProfiles": []any{map[string]any{"name": "default", "plugins": []any{map[string]any{"pluginRef": "a"}}}}}},
		},
		"worker": worker(map[string]any{
			"modelRef": map[string]any{"name": "example/model"}, "gpuMemoryService": map[string]any{"enabled": true},
			"autoscaling": map[string]any{"enabled": true, "maxReplicas": int64(3)},
		}),
		"adapted worker":   worker(map[string]any{"scalingAdapter": map[string]any{"enabled": true}}),
		"multinode worker": worker(map[string]any{"multinode": map[string]any{"nodeCount": int64(2)}}),
	}
}
