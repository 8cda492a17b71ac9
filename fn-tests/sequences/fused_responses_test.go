package sequences

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A manifest and the Composition of its flavour.
type manifest struct {
	name, path, composition string

	xr *unstructured.Unstructured
}

func examples(t *testing.T) []manifest {
	t.Helper()
	var all []manifest
	for _, e := range harness.Examples(t) {
		all = append(all, manifest{e.Name, e.XR, e.Composition, harness.Read(t, e.XR)[0]})
	}
	return all
}

// ofPlatform are the manifests of the corpus for a platform.
func ofPlatform(t *testing.T, p corpus.Platform) []manifest {
	t.Helper()
	var all []manifest
	for _, m := range corpus.Manifests(t) {
		if m.Platform.Name == p.Name {
			all = append(all, manifest{m.Name, m.Path, harness.Composition, harness.Read(t, m.Path)[0]})
		}
	}
	return all
}

// outside are the manifests that are not part of the repository.
func outside(t *testing.T) []manifest {
	t.Helper()
	var all []manifest
	for _, m := range shared.Corpus(t) {
		all = append(all, manifest{m.Name, m.Path, harness.Composition, harness.Read(t, m.Path)[0]})
	}
	return all
}

// clusters of the examples. With -short, two that have all orchestrators.
func clusters(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		return []string{filepath.Join(harness.Root(), harness.GroveKAI), filepath.Join(harness.Root(), harness.LWSVolcano)}
	}
	paths, err := filepath.Glob(filepath.Join(harness.Root(), "examples/cluster/*.yaml"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("want the clusters of the examples, got %v: %v", paths, err)
	}
	return paths
}

func manifestName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".yaml") }

// nvlinkInput is an input of step plan under which every step has something to do.
func nvlinkInput() map[string]any {
	return map[string]any{"mnnvl": map[string]any{"mode": "Auto", "scope": "Replica", "driver": "Enabled"}}
}

// sampled is the number of manifests of the corpus that are used for slow tests.
const sampled = 40

func sampleOf(all []manifest) []manifest {
	var some []manifest
	for i := range sampled {
		some = append(some, all[i*len(all)/sampled])
	}
	return some
}

// Stages of a graph: new; with existing objects; when nothing changes any more; without the references to the objects, so that they are not
// observed; and being restarted, with one replica less of every component.
const (
	stageNew     = "new"
	stageRunning = "running"
	stageAtRest  = "at rest"
	stageLost    = "lost"
	stageChanged = "changed"
)

// callers that send different information to functions, and call them with different frequency.
func callers() map[string]pipeline.Caller {
	return map[string]pipeline.Caller{"v2.0": {}, "v2.4": pipeline.Crossplane(), "render": pipeline.Renderer()}
}

// A comparison of chain and fused function.
type comparison struct {
	cluster      []*unstructured.Unstructured
	chain, fused map[string]*crossplane.Pipeline
	functions    crossplane.Functions
	stages       []string
}

func newComparison(t *testing.T, c pipeline.Caller, input map[string]any, clusterPath string, stages ...string) *comparison {
	t.Helper()
	out := &comparison{
		cluster: harness.Read(t, clusterPath), chain: map[string]*crossplane.Pipeline{}, fused: map[string]*crossplane.Pipeline{},
		functions: crossplane.InProcess(crossplane.Servers(logging.NewNopLogger())), stages: stages,
	}
	for _, composition := range []string{harness.Composition, harness.ClaimsComposition} {
		out.chain[composition], out.fused[composition] = pipelineOf(t, composition, input, c), pipelineOf(t, fusedOf(composition), input, c)
	}
	return out
}

func pipelineOf(t *testing.T, composition string, input map[string]any, c pipeline.Caller) *crossplane.Pipeline {
	t.Helper()
	p := compositiontest.Pipeline(t, composition, input)
	p.Caller = &c
	return p
}

// TestFusedResponses compares everything that Crossplane collects from the functions.
func TestFusedResponses(t *testing.T) {
	t.Parallel()
	all := []string{stageNew, stageRunning, stageAtRest, stageLost, stageChanged}
	t.Run("Examples", func(t *testing.T) {
		manifests := examples(t)
		for version, c := range callers() {
			if testing.Short() && version != "v2.4" {
				continue
			}
			for _, path := range clusters(t) {
				t.Run(version+"-on-"+manifestName(path), func(t *testing.T) {
					newComparison(t, c, nil, path, all...).run(t, manifests)
					if version == "v2.4" && !testing.Short() {
						// How functions are called does not depend on the input.
						newComparison(t, c, nvlinkInput(), path, all...).run(t, manifests)
					}
				})
			}
		}
	})
	t.Run("OwnCorpus", func(t *testing.T) {
		for _, p := range corpus.Platforms() {
			t.Run(p.Name, func(t *testing.T) {
				newComparison(t, callers()["v2.4"], p.Input, p.Cluster, all...).run(t, ofPlatform(t, p))
			})
		}
	})
	t.Run("Corpus", func(t *testing.T) {
		manifests := outside(t)
		c := callers()["v2.4"]
		for _, path := range []string{harness.GroveKAI, harness.LWSVolcano} {
			t.Run("New-on-"+manifestName(path), func(t *testing.T) { newComparison(t, c, nil, path, stageNew).run(t, manifests) })
			t.Run("Running-on-"+manifestName(path), func(t *testing.T) { newComparison(t, c, nvlinkInput(), path, all...).run(t, sampleOf(manifests)) })
		}
	})
}

// run the comparison for every manifest.
func (c *comparison) run(t *testing.T, manifests []manifest) {
	t.Helper()
	composed := make([]int, len(manifests))
	harness.Parallel(len(manifests), func(i int) { composed[i] = c.compare(t, manifests[i]) })
	if slices.Max(composed) == 0 {
		t.Error("nothing was composed, so nothing was compared")
	}
}

// compare chain and fused function on one graph. It returns how many resources were composed.
func (c *comparison) compare(t *testing.T, m manifest) int {
	t.Helper()
	g := crossplane.NewGraph(m.xr, nil)
	composed := 0
	var before *fnv1.State
	for _, stage := range c.stages {
		g.SetCluster(slices.Concat(c.cluster, childrenOfGrove(g.Object("podcliqueset"))))
		reconcile, restore := c.chain[m.composition].Apply, func() {}
		switch stage {
		case stageLost:
			// The objects are observed again afterwards.
			reconcile, restore = c.chain[m.composition].Reconcile, loseAll(g)
		case stageChanged:
			g.Edit(alter)
		}
		fused := gather(t, c.fused[m.composition].Reconcile, g, c.functions)
		chain := gather(t, reconcile, g, c.functions)
		composed += len(chain.GetDesired().GetResources())
		restore()
		if stage == stageLost {
			// In the chain, each step requires the lost objects. The fused function requires them once.
			chain.Requirements, fused.Requirements = nil, nil
		}
		if !proto.Equal(chain, fused) {
			t.Errorf("%s, %s: -chain, +fused:\n%s", m.name, stage, cmp.Diff(chain, fused, protocmp.Transform()))
		}
		if stage == stageLost && !proto.Equal(before, chain.GetDesired()) {
			t.Errorf("%s: what is desired: -with all references, +without any:\n%s", m.name, cmp.Diff(before, chain.GetDesired(), protocmp.Transform()))
		}
		if pipeline.Fatal(chain) != nil {
			return composed
		}
		before = chain.GetDesired()
	}
	return composed
}

// mask random values.
func mask(desired *fnv1.State) {
	for _, r := range desired.GetResources() {
		if r.GetResource().GetFields()["kind"].GetStringValue() == "Secret" {
			data := r.GetResource().GetFields()["data"].GetStructValue().GetFields()
			for _, key := range slices.Collect(maps.Keys(data)) {
				data[key] = structpb.NewStringValue("bWFza2Vk")
			}
		}
	}
}

// gather what Crossplane collects from the functions in a reconcile as a single response, without random values, and without what it drops after a
// Fatal result.
func gather(
	t *testing.T, reconcile func(context.Context, *crossplane.Graph, crossplane.Functions) (*crossplane.Reconcile, error), g *crossplane.Graph, functions crossplane.Functions,
) *fnv1.RunFunctionResponse {
	t.Helper()
	r, err := reconcile(t.Context(), g, functions)
	if err != nil && !errors.Is(err, crossplane.ErrFatal) {
		t.Errorf("%s: %v", g.Composite().GetName(), err)
	}
	all := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{}, Requirements: &fnv1.Requirements{}}
	for _, call := range r.Calls {
		pipeline.Gather(all, call.Response)
		proto.Merge(all.GetRequirements(), call.Response.GetRequirements())
	}
	all.Meta.Ttl = durationpb.New(all.GetMeta().GetTtl().AsDuration().Round(time.Millisecond))
	all.Desired = proto.CloneOf(all.GetDesired())
	mask(all.GetDesired())
	if pipeline.Fatal(all) != nil {
		all.Desired, all.Context, all.Meta, all.Requirements = nil, nil, nil, nil
	}
	return all
}

// loseAll references of a graph to its objects, which can only be looked up then, until they are restored.
func loseAll(g *crossplane.Graph) (restore func()) {
	lost := map[string]*unstructured.Unstructured{}
	g.SetCluster(slices.Concat(g.Cluster(), g.Objects()))
	for _, key := range g.Composed() {
		lost[key] = g.Remove(key)
	}
	unstructured.RemoveNestedField(g.Composite().Object, "spec", "crossplane")
	unstructured.RemoveNestedField(g.Composite().Object, "spec", "resourceRefs")
	return func() {
		for key, object := range lost {
			g.Restore(key, object)
		}
	}
}

// childrenOfGrove are those that it creates from a PodCliqueSet. There are none without a set.
func childrenOfGrove(set *unstructured.Unstructured) []*unstructured.Unstructured {
	if set == nil {
		return nil
	}
	var all []*unstructured.Unstructured
	for list, kind := range map[string]string{"cliques": "PodClique", "podCliqueScalingGroups": "PodCliqueScalingGroup"} {
		templates, _, _ := unstructured.NestedSlice(set.Object, "spec", "template", list)
		for _, template := range templates {
			fields, _ := template.(map[string]any)
			child := &unstructured.Unstructured{Object: map[string]any{"apiVersion": set.GetAPIVersion(), "kind": kind, "spec": map[string]any{"replicas": int64(1)}}}
			child.SetName(fmt.Sprintf("%s-0-%v", set.GetName(), fields["name"]))
			child.SetNamespace(set.GetNamespace())
			child.SetGeneration(1)
			child.SetLabels(map[string]string{"app.kubernetes.io/part-of": set.GetName()})
			child.Object["status"] = preview.StatusOf(child)
			all = append(all, child)
		}
	}
	return all
}

// alter a graph: remove one replica of every component that has several, and restart all components.
func alter(xr *unstructured.Unstructured) {
	spec, _ := xr.Object["spec"].(map[string]any)
	spec["restart"] = map[string]any{"id": "again"}
	components, _ := spec["services"].(map[string]any)
	for _, component := range components {
		fields, _ := component.(map[string]any)
		if n, ok := fields["replicas"].(int64); ok && n > 1 {
			fields["replicas"] = n - 1
		}
	}
}
