package contract

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

// pairs is how many pairs of graphs are tried on each platform.
func pairs() int {
	if testing.Short() {
		return 40
	}
	return 150
}

// TestPairsOfGraphs plays two graphs of a namespace one after the other, whose names often meet: the second graph is refused, or shares
// no object with the first, neither one that is composed nor one that controllers make of it. Where it is refused, they would
// have shared one.
func TestPairsOfGraphs(t *testing.T) {
	for on, p := range platforms(t, fused) {
		t.Run(on, func(t *testing.T) {
			g := generator{rand.New(rand.NewPCG(7, uint64(len(on))))} //nolint:gosec // The same graphs every time.
			refused, accepted, needless := 0, 0, 0
			for i := range pairs() {
				a, b := g.pair(i)
				first := apply(t, p, a, p.cluster)
				if first == nil {
					continue
				}
				there := withChildren(first.Objects())
				second := apply(t, p, b, append(slices.Clone(p.cluster), there...))
				if second == nil {
					refused++
					if alone := apply(t, p, b, p.cluster); alone != nil && len(inBoth(there, withChildren(alone.Objects()))) == 0 {
						needless++
					}
					continue
				}
				accepted++
				disjoint(t, a, b, there, withChildren(second.Objects()))
				second.Edit(func(xr *unstructured.Unstructured) { scale(t, xr) })
				if _, err := p.pipeline.Apply(t.Context(), second, functions()); err == nil {
					disjoint(t, a, b, there, withChildren(second.Objects()))
				}
			}
			// What Grove makes of a scaling group is not compared to the last word.
			if refused < pairs()/20 || accepted < pairs()/20 || needless > max(1, pairs()/50) {
				t.Errorf("want many of both, got %d refused, of which %d share nothing, and %d accepted", refused, needless, accepted)
			}
		})
	}
}

// apply a graph in a cluster; nil when it is refused.
func apply(t *testing.T, p platform, xr *unstructured.Unstructured, cluster []*unstructured.Unstructured) *crossplane.Graph {
	t.Helper()
	g := crossplane.NewGraph(xr, cluster)
	if _, err := p.pipeline.Apply(t.Context(), g, functions()); err != nil {
		if !errors.Is(err, crossplane.ErrFatal) {
			t.Fatal(err)
		}
		return nil
	}
	return g
}

// disjoint fails when two sets of objects have one in common.
func disjoint(t *testing.T, a, b *unstructured.Unstructured, one, other []*unstructured.Unstructured) {
	t.Helper()
	if common := inBoth(one, other); len(common) > 0 {
		t.Errorf("%s and %s share %v: %v and %v", a.GetName(), b.GetName(), common, a.Object["spec"], b.Object["spec"])
	}
}

// inBoth are the objects that two graphs share.
func inBoth(one, other []*unstructured.Unstructured) []object {
	taken := map[object]bool{}
	for _, o := range one {
		taken[object{o.GetAPIVersion(), o.GetKind(), o.GetName()}] = true
	}
	var both []object
	for _, o := range other {
		if o := (object{o.GetAPIVersion(), o.GetKind(), o.GetName()}); taken[o] {
			both = append(both, o)
		}
	}
	return both
}

// scale all components up.
func scale(t *testing.T, xr *unstructured.Unstructured) {
	t.Helper()
	components, _, err := unstructured.NestedMap(xr.Object, "spec", "services")
	if err != nil {
		t.Fatal(err)
	}
	for name := range components {
		if err := unstructured.SetNestedField(xr.Object, int64(3), "spec", "services", name, "replicas"); err != nil {
			t.Fatal(err)
		}
	}
}

// generator of graphs.
type generator struct{ *rand.Rand }

func one[T any](g generator, of ...T) T { return of[g.IntN(len(of))] }

func (g generator) words(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = one(g, "x", "x", "0", "planner", "ldr", "gpu", "replicas")
	}
	return words
}

// pair of graphs whose names are parts of one, or nearly so: the first words are the graph's, the rest is the component's. What
// the two have beside that component differs. Services that are discovered through etcd have no Service, which would be in the
// way of every other.
func (g generator) pair(i int) (a, b *unstructured.Unstructured) {
	words := append([]string{"g"}, g.words(2+g.IntN(3))...)
	first := 1 + g.IntN(len(words)-1)
	second := 1 + g.IntN(len(words)-1)
	other := slices.Clone(words)
	switch {
	case g.IntN(3) == 0:
		// What controllers make of the first graph has a number after the name of the graph or of the component.
		other = append(slices.Insert(other, one(g, first, len(other)), "0"), g.words(g.IntN(2))...)
		second = 1 + g.IntN(len(other)-1)
	case first == second || g.IntN(2) == 0:
		other, second = slices.Insert(other, second, g.words(1)...), second+1
	}
	build := func(words []string, split int, suffix string) *unstructured.Unstructured {
		components := map[string]any{strings.Join(words[split:], "-"): g.component()}
		for range g.IntN(2) {
			components[strings.Join(g.words(1+g.IntN(2)), "-")] = g.component()
		}
		xr := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "spec": map[string]any{"services": components},
		}}
		xr.SetName(strings.Join(words[:split], "-"))
		xr.SetNamespace("inference")
		xr.SetAnnotations(map[string]string{"nvidia.com/dynamo-discovery-backend": one(g, "kubernetes", "etcd")})
		xr.SetUID(types.UID(fmt.Sprintf("graph-%d-%s", i, suffix)))
		return xr
	}
	a, b = build(words, first, "a"), build(other, second, "b")
	if g.IntN(2) == 0 {
		return b, a
	}
	return a, b
}

func (g generator) component() map[string]any {
	component := map[string]any{
		"componentType": "worker", "resources": map[string]any{"requests": map[string]any{"cpu": "1"}, "limits": map[string]any{"gpu": "4"}},
		"extraPodSpec": map[string]any{"mainContainer": map[string]any{"image": "x/y:1", "command": []any{"python3", "-m", "dynamo.vllm"}}},
	}
	switch g.IntN(7) {
	case 0, 1, 2:
		component["multinode"] = map[string]any{"nodeCount": int64(2)}
		component["replicas"] = int64(1 + g.IntN(2))
	case 3:
		component["gpuMemoryService"] = map[string]any{"enabled": true}
		component["autoscaling"] = map[string]any{"enabled": true, "maxReplicas": int64(3)}
	case 4:
		return map[string]any{"componentType": "frontend", "extraPodSpec": map[string]any{"mainContainer": map[string]any{"image": "x/y:1"}}}
	case 5:
		return map[string]any{"componentType": "planner", "extraPodSpec": map[string]any{"mainContainer": map[string]any{"image": "x/y:1"}}}
	}
	return component
}

// withChildren adds what controllers create from objects.
func withChildren(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	all := slices.Clone(objects)
	for _, o := range objects {
		add := func(apiVersion, kind, name string) *unstructured.Unstructured {
			child := &unstructured.Unstructured{}
			child.SetAPIVersion(apiVersion)
			child.SetKind(kind)
			child.SetName(name)
			child.SetNamespace(o.GetNamespace())
			child.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(o, o.GroupVersionKind())})
			all = append(all, child)
			return child
		}
		switch name := o.GetName(); o.GetKind() {
		case "PodCliqueSet":
			add("v1", "Service", name+"-0")
			add("v1", "ServiceAccount", name)
			add("scheduler.grove.io/v1alpha1", "PodGang", name+"-0")
			cliques(o, add)
			if o.GetAnnotations()["grove.io/auto-mnnvl"] == "enabled" {
				add("resource.nvidia.com/v1beta1", "ComputeDomain", name+"-0")
				add("resource.k8s.io/v1", "ResourceClaimTemplate", name+"-0")
			}
		case "LeaderWorkerSet":
			add("v1", "Service", name)
			add("apps/v1", "StatefulSet", name)
			add("apps/v1", "StatefulSet", name+"-0")
		case "ComputeDomain":
			add("resource.k8s.io/v1", "ResourceClaimTemplate", name).SetLabels(map[string]string{"resource.nvidia.com/computeDomain": string(o.GetUID())})
		}
	}
	return all
}

// cliques that Grove makes of a set, with three replicas of each scaling group.
func cliques(set *unstructured.Unstructured, add func(apiVersion, kind, name string) *unstructured.Unstructured) {
	template, _, _ := unstructured.NestedMap(set.Object, "spec", "template")
	groups, _, _ := unstructured.NestedSlice(template, "podCliqueScalingGroups")
	members := map[any]bool{}
	for _, item := range groups {
		group, _ := item.(map[string]any)
		base := fmt.Sprintf("%s-0-%v", set.GetName(), group["name"])
		add("grove.io/v1alpha1", "PodCliqueScalingGroup", base)
		names, _ := group["cliqueNames"].([]any)
		for i := range 3 {
			add("scheduler.grove.io/v1alpha1", "PodGang", fmt.Sprintf("%s-%d", base, i))
			for _, name := range names {
				members[name] = true
				add("grove.io/v1alpha1", "PodClique", fmt.Sprintf("%s-%d-%v", base, i, name))
			}
		}
	}
	all, _, _ := unstructured.NestedSlice(template, "cliques")
	for _, item := range all {
		if clique, _ := item.(map[string]any); !members[clique["name"]] {
			add("grove.io/v1alpha1", "PodClique", fmt.Sprintf("%s-0-%v", set.GetName(), clique["name"]))
		}
	}
}
