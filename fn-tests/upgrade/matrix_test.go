package upgrade

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/templates"
)

// fused is the Composition with all steps in one function.
const fused = "compositions/dynamographdeployment-fused.yaml"

// bases are the inputs with which graphs are created.
func bases() map[string]map[string]any {
	return map[string]map[string]any{
		"Defaults": {},
		"Everything": {
			"mnnvl":            map[string]any{"mode": "Auto"},
			"infrastructure":   map[string]any{"natsAddress": "nats://nats:4222", "etcdAddress": "http://etcd:2379"},
			"imagePullSecrets": []any{map[string]any{"registry": "nvcr.io", "secretName": "pull"}},
			"vllm":             map[string]any{"distributedExecutor": "mp"},
		},
		"Volcano": {"grove": map[string]any{"scheduler": "Volcano"}, "topology": map[string]any{"allowWithoutKAI": true}},
	}
}

// A change of anything that users do not write.
type change struct {
	name     string
	pipeline *crossplane.Pipeline
	// functions after the change. nil: those of this release.
	functions crossplane.Functions
	// cluster after the change. nil: it does not change.
	cluster func([]*unstructured.Unstructured) []*unstructured.Unstructured
}

// TestChangesOfPlatforms changes everything that users do not write, for live graphs of every example: on every kind of cluster those that are created
// with the defaults, and on two of them those that are created with other inputs.
func TestChangesOfPlatforms(t *testing.T) {
	inputs, err := Inputs("testdata/inputs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	missing, err := Missing(inputs)
	if err != nil {
		t.Fatal(err)
	}
	if len(missing) > 0 {
		t.Errorf("fn-tests/upgrade/testdata/inputs.yaml: add an input for each of these fields and values: %s", strings.Join(missing, ", "))
	}
	clusters := harness.Glob(t, filepath.Join("examples", "cluster", "*.yaml"))
	var all []*unstructured.Unstructured
	for _, path := range clusters {
		all = append(all, harness.Read(t, path)...)
	}
	// The pipeline has one step, whose request is encoded for it alone, so there is nothing that it could share.
	functions := crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
	for base, input := range bases() {
		changes := slices.Concat(inputChanges(t, input, inputs), overlayChanges(t, input, inputs), clusterChanges(t, input, all), ruleChanges(t, input))
		pipeline := compositiontest.Pipeline(t, fused, input)
		for _, path := range clusters {
			cluster := strings.TrimSuffix(filepath.Base(path), ".yaml")
			if base != "Defaults" && !slices.Contains([]string{"all", "lws-volcano"}, cluster) {
				// With other inputs, two clusters have all orchestrators.
				continue
			}
			for _, example := range harness.Examples(t) {
				if example.Composition != harness.Composition {
					continue
				}
				t.Run(base+"/"+cluster+"/"+example.Name, func(t *testing.T) {
					m := matrix{name: example.Name, cluster: cluster, source: harness.Read(t, example.XR)[0], functions: functions}
					m.run(t, pipeline, harness.Read(t, path), changes)
				})
			}
		}
	}
}

// TestGuardRailsUnderLiveGraphs tightens all guard rails under live graphs of every example, none of which may be refused.
func TestGuardRailsUnderLiveGraphs(t *testing.T) {
	inputs, err := Inputs("testdata/inputs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rails := map[string]any{}
	for _, input := range inputs {
		if more, ok := input["guardRails"].(map[string]any); ok {
			maps.Copy(rails, more)
		}
	}
	functions := crossplane.InProcess(crossplane.Servers(logging.NewNopLogger()))
	pipeline := compositiontest.Pipeline(t, fused, map[string]any{"ingress": map[string]any{"className": "nginx"}})
	clusters := harness.Glob(t, filepath.Join("examples", "cluster", "*.yaml"))
	for _, path := range clusters {
		for _, example := range harness.Examples(t) {
			if example.Composition != harness.Composition {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml")+"/"+example.Name, func(t *testing.T) {
				live := crossplane.NewGraph(harness.Read(t, example.XR)[0], harness.Read(t, path))
				if _, err := pipeline.Settle(t.Context(), live, functions); err != nil {
					t.Skipf("the cluster cannot run the graph: %v", err)
				}
				live.SetCluster(append(live.Cluster(), environmentConfig(map[string]any{"guardRails": rails})))
				if _, err := pipeline.Reconcile(t.Context(), live, functions); err != nil {
					t.Errorf("A guard rail that is tightened does not refuse a live graph: %v", err)
				}
			})
		}
	}
}

// matrix of a graph.
type matrix struct {
	name, cluster string
	source        *unstructured.Unstructured
	functions     crossplane.Functions
}

func (m *matrix) run(t *testing.T, pipeline *crossplane.Pipeline, cluster []*unstructured.Unstructured, changes []change) {
	t.Helper()
	live := crossplane.NewGraph(m.source, cluster)
	if _, err := pipeline.Settle(t.Context(), live, m.functions); err != nil {
		if errors.Is(err, crossplane.ErrFatal) {
			t.Skipf("the cluster cannot run the graph: %v", err)
		}
		t.Fatal(err)
	}
	// Crossplane's own conditions are written from now on.
	if _, err := pipeline.Run(t.Context(), live, m.functions); err != nil {
		t.Fatal(err)
	}
	before := m.pods(t, live)
	if len(before) == 0 {
		t.Fatal("the graph has no pods")
	}
	var mutex sync.Mutex
	harness.Parallel(len(changes), func(i int) {
		// Each graph has another part of the changes, so that each change is tried with some.
		if !harness.Sampled(i+len(m.name)+len(m.cluster), 30) {
			return
		}
		c := changes[i]
		diff, err := m.apply(t.Context(), live.Clone(), before, c)
		mutex.Lock()
		defer mutex.Unlock()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if diff != "" {
			t.Errorf("%s: a live graph that its user did not change: -before, +after:\n%s", c.name, diff)
		}
	})
}

// apply a change to a graph with these pods. A second run observes the result of the first, unless that has not changed anything.
func (m *matrix) apply(ctx context.Context, g *crossplane.Graph, before map[string]string, c change) (string, error) {
	if c.cluster != nil {
		changed := c.cluster(g.Cluster())
		if cmp.Equal(g.Cluster(), changed) {
			return "", nil
		}
		g.SetCluster(changed)
	}
	functions := c.functions
	if functions == nil {
		functions = m.functions
	}
	for range 2 {
		composite, versions := g.Composite().DeepCopy(), versionsOf(g)
		if _, err := c.pipeline.Run(ctx, g, functions); err != nil {
			return "", err
		}
		if maps.Equal(versions, versionsOf(g)) && reflect.DeepEqual(composite, g.Composite()) {
			break
		}
	}
	after, err := m.podsOf(g)
	return cmp.Diff(before, after), err
}

// versionsOf the composed objects of a graph.
func versionsOf(g *crossplane.Graph) map[string]string {
	versions := map[string]string{}
	for _, key := range g.Composed() {
		versions[key] = g.Object(key).GetResourceVersion()
	}
	return versions
}

func (m *matrix) pods(t *testing.T, g *crossplane.Graph) map[string]string {
	t.Helper()
	pods, err := m.podsOf(g)
	if err != nil {
		t.Fatal(err)
	}
	return pods
}

// podsOf a graph: the hashes of its pod templates and immutable fields, and the objects to which templates refer.
func (m *matrix) podsOf(g *crossplane.Graph) (map[string]string, error) {
	outline, err := templates.OutlineOf(m.name, m.cluster, m.source, g.Objects())
	if err != nil {
		return nil, fmt.Errorf("cannot read the pod templates: %w", err)
	}
	pods := map[string]string{}
	for _, row := range outline.Rows {
		if row.Role != "" {
			pods[row.Key+" "+row.Role] = row.Hash
		}
	}
	for _, object := range g.Objects() {
		if slices.Contains([]string{"ServiceAccount", "ConfigMap", "Secret", "ResourceClaimTemplate", "PersistentVolumeClaim", "ComputeDomain"}, object.GetKind()) {
			pods[object.GetKind()+" "+object.GetName()] = "exists"
		}
	}
	return pods, nil
}

// inputChanges change to each of the inputs, and to none.
func inputChanges(t *testing.T, base map[string]any, inputs []map[string]any) []change {
	t.Helper()
	changes := []change{{name: "no input", pipeline: compositiontest.Pipeline(t, fused, nil)}}
	for _, input := range inputs {
		merged := maps.Clone(base)
		maps.Copy(merged, input)
		changes = append(changes, change{name: fmt.Sprintf("input %v", input), pipeline: compositiontest.Pipeline(t, fused, merged)})
	}
	return changes
}

// overlayChanges install an EnvironmentConfig: an invalid one, one with each of the bases, and one with all of the inputs together, which are
// decided as without it.
func overlayChanges(t *testing.T, base map[string]any, inputs []map[string]any) []change {
	t.Helper()
	pipeline := compositiontest.Pipeline(t, fused, base)
	install := func(name string, data map[string]any) change {
		return change{name: name + " EnvironmentConfig", pipeline: pipeline, cluster: func(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
			return append(slices.Clone(objects), environmentConfig(data))
		}}
	}
	changes := []change{install("invalid", map[string]any{"grove": "Enabled"})}
	for name, input := range bases() {
		changes = append(changes, install(name, input))
	}
	entry := map[string]any{"selector": map[string]any{"matchNames": []any{"*"}}}
	for _, input := range inputs {
		maps.Copy(entry, input)
	}
	delete(entry, "environmentConfig")
	return append(changes, install("full", map[string]any{"namespaces": []any{entry}}))
}

// environmentConfig of the platform.
func environmentConfig(data map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig",
		"metadata": map[string]any{"name": "dynamo"}, "data": data,
	}}
}

// clusterChanges remove each object that can be looked up, and add each object of other clusters.
func clusterChanges(t *testing.T, base map[string]any, all []*unstructured.Unstructured) []change {
	t.Helper()
	pipeline := compositiontest.Pipeline(t, fused, base)
	changes := []change{{name: "everything gone", pipeline: pipeline, cluster: func([]*unstructured.Unstructured) []*unstructured.Unstructured { return nil }}}
	seen := map[string]bool{}
	for _, object := range all {
		name := object.GetKind() + " " + object.GetName()
		if seen[name] {
			continue
		}
		seen[name] = true
		same := func(o *unstructured.Unstructured) bool { return o.GetKind()+" "+o.GetName() == name }
		changes = append(changes,
			change{name: name + " gone", pipeline: pipeline, cluster: func(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
				return slices.DeleteFunc(slices.Clone(objects), same)
			}},
			change{name: name + " new", pipeline: pipeline, cluster: func(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
				if i := slices.IndexFunc(objects, same); i >= 0 {
					return slices.Replace(slices.Clone(objects), i, i+1, object)
				}
				return append(slices.Clone(objects), object)
			}})
	}
	return changes
}
