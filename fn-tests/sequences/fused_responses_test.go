package sequences

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// A manifest and the Composition of its flavour.
type manifest struct {
	name, path, composition string

	xr *unstructured.Unstructured
}

// fusedOf is the fused Composition of a flavour.
func fusedOf(composition string) string {
	return strings.TrimSuffix(composition, ".yaml") + "-fused.yaml"
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

// Stages of a graph: new; with existing objects; without the references to them, so that they are not observed; and being restarted,
// with one replica less of every service.
const (
	stageNew     = "new"
	stageRunning = "running"
	stageLost    = "lost"
	stageChanged = "changed"
)

// A comparison of chain and fused function.
type comparison struct {
	caller    pipeline.Caller
	input     map[string]any
	cluster   cluster
	pipelines map[string][2][]pipeline.Step
	stages    []string
}

func newComparison(t *testing.T, c pipeline.Caller, input map[string]any, clusterPath string, stages ...string) *comparison {
	t.Helper()
	out := &comparison{caller: c, input: input, cluster: newCluster(t, clusterPath), pipelines: map[string][2][]pipeline.Step{}, stages: stages}
	for _, composition := range []string{harness.Composition, harness.ClaimsComposition} {
		out.pipelines[composition] = [2][]pipeline.Step{
			stepsOf(t, harness.WithInput(t, composition, input)), stepsOf(t, harness.WithInput(t, fusedOf(composition), input)),
		}
	}
	return out
}

// TestFusedResponses compares everything that Crossplane collects from the functions.
func TestFusedResponses(t *testing.T) {
	t.Parallel()
	all := []string{stageNew, stageRunning, stageLost, stageChanged}
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
	composed, calls := make([]int, len(manifests)), make([]int, len(manifests))
	harness.Parallel(len(manifests), func(i int) { composed[i], calls[i] = c.compare(t, manifests[i]) })
	sum := 0
	for _, n := range composed {
		sum += n
	}
	if sum == 0 {
		t.Error("nothing was composed, so nothing was compared")
	}
	t.Logf("%d resources; the fused function was called at most %d times in a reconcile", sum, slices.Max(calls))
}

// compare chain and fused function on one graph. It returns how many resources were composed, and the most calls of the fused
// function in one reconcile.
func (c *comparison) compare(t *testing.T, m manifest) (composed, calls int) {
	t.Helper()
	xr := m.xr.DeepCopy()
	xr.SetUID("00000000-0000-0000-0000-000000000001")
	state := &fnv1.State{Composite: &fnv1.Resource{Resource: toStruct(xr.Object)}}
	var before *fnv1.State
	for _, stage := range c.stages {
		there := c.cluster.with(state)
		switch stage {
		case stageLost:
			state = &fnv1.State{Composite: state.GetComposite()}
		case stageChanged:
			alter(state.GetComposite().GetResource())
		}
		chain, err := reconcile(t.Context(), c.caller, c.pipelines[m.composition][0], state, there)
		if err != nil {
			t.Errorf("%s, %s: the chain: %v", m.name, stage, err)
			return composed, calls
		}
		fused, err := reconcile(t.Context(), c.caller, c.pipelines[m.composition][1], state, there)
		if err != nil {
			t.Errorf("%s, %s: the fused function: %v", m.name, stage, err)
			return composed, calls
		}
		composed, calls = composed+len(chain.GetDesired().GetResources()), max(calls, fused.calls)
		if stage == stageLost {
			// In the chain, each step requires the lost objects. The fused function requires them once.
			chain.Requirements, fused.Requirements = nil, nil
			mask(before)
		}
		if !bytes.Equal(encoded(t, chain), encoded(t, fused)) {
			t.Errorf("%s, %s: -chain, +fused:\n%s", m.name, stage, cmp.Diff(chain.RunFunctionResponse, fused.RunFunctionResponse, protocmp.Transform()))
		}
		if stage == stageLost && !proto.Equal(before, chain.GetDesired()) {
			t.Errorf("%s: what is desired: -with all references, +without any:\n%s", m.name, cmp.Diff(before, chain.GetDesired(), protocmp.Transform()))
		}
		if chain.fatal() {
			return composed, calls
		}
		state, before = observe(state, chain), chain.GetDesired()
	}
	return composed, calls
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

// encoded returns an outcome as bytes, without parts that Crossplane drops and without random values.
func encoded(t *testing.T, o *outcome) []byte {
	t.Helper()
	mask(o.GetDesired())
	if o.fatal() {
		o.Desired, o.Context, o.Meta, o.Requirements = nil, nil, nil, nil
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(o.RunFunctionResponse)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// observe the objects that a reconcile has applied.
func observe(before *fnv1.State, o *outcome) *fnv1.State {
	after := &fnv1.State{Composite: proto.CloneOf(before.GetComposite()), Resources: map[string]*fnv1.Resource{}}
	status := proto.CloneOf(o.GetDesired().GetComposite().GetResource()).GetFields()["status"]
	conditions := &structpb.ListValue{}
	for _, c := range o.GetConditions() {
		conditions.Values = append(conditions.Values, structpb.NewStructValue(toStruct(map[string]any{
			"type": c.GetType(), "reason": c.GetReason(), "message": c.GetMessage(),
			"status": map[fnv1.Status]string{fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False"}[c.GetStatus()],
		})))
	}
	status.GetStructValue().Fields["conditions"] = structpb.NewListValue(conditions)
	after.GetComposite().GetResource().Fields["status"] = status
	for i, key := range slices.Sorted(maps.Keys(o.GetDesired().GetResources())) {
		object := proto.CloneOf(o.GetDesired().GetResources()[key].GetResource())
		own(object, key, before.GetComposite().GetResource())
		metadata := object.GetFields()["metadata"].GetStructValue().GetFields()
		metadata["uid"] = structpb.NewStringValue("00000000-0000-0000-0001-" + strconv.Itoa(i))
		metadata["generation"] = structpb.NewNumberValue(1)
		after.Resources[key] = &fnv1.Resource{Resource: object}
	}
	return after
}

// own sets the owner of an object, as Crossplane does.
func own(object *structpb.Struct, key string, xr *structpb.Struct) {
	metadata := xr.GetFields()["metadata"].GetStructValue().AsMap()
	o := &unstructured.Unstructured{Object: object.AsMap()}
	annotations, labels := o.GetAnnotations(), o.GetLabels()
	if annotations == nil {
		annotations = map[string]string{}
	}
	if labels == nil {
		labels = map[string]string{}
	}
	annotations["crossplane.io/composition-resource-name"] = key
	labels["crossplane.io/composite"] = fmt.Sprint(metadata["name"])
	o.SetAnnotations(annotations)
	o.SetLabels(labels)
	o.SetOwnerReferences([]metav1.OwnerReference{{Name: fmt.Sprint(metadata["name"]), UID: types.UID(fmt.Sprint(metadata["uid"])), Controller: new(true)}})
	object.Fields = toStruct(o.Object).GetFields()
}

// alter a graph: remove one replica of every service that has several, and restart all services.
func alter(xr *structpb.Struct) {
	spec := xr.GetFields()["spec"].GetStructValue().GetFields()
	spec["restart"] = structpb.NewStructValue(toStruct(map[string]any{"id": "again"}))
	services := spec["services"].GetStructValue()
	for _, service := range services.GetFields() {
		fields := service.GetStructValue().GetFields()
		if n := fields["replicas"].GetNumberValue(); n > 1 {
			fields["replicas"] = structpb.NewNumberValue(n - 1)
		}
	}
}
