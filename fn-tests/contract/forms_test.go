package contract

import (
	"context"
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

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// fused is the Composition with all steps in one function, which is called faster, and whose renders are those of the chain.
const fused = "compositions/dynamographdeployment-fused.yaml"

// A formSubject is a manifest on a platform.
type formSubject struct {
	name, path string
	platform   corpus.Platform
}

// TestFormsOfOwnManifests converts the manifests of the repository.
func TestFormsOfOwnManifests(t *testing.T) {
	var subjects []formSubject
	for _, m := range corpus.Manifests(t) {
		subjects = append(subjects, formSubject{m.Name, m.Path, m.Platform})
	}
	compareForms(t, subjects)
}

// TestFormsOfExamples converts the examples, on all clusters that they are for.
func TestFormsOfExamples(t *testing.T) {
	var subjects []formSubject
	for _, e := range harness.Examples(t) {
		// A claim and its composite resource have no other fields than the namespaced ones.
		if e.Composition != harness.Composition {
			continue
		}
		for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
			name := e.Name + "/" + strings.TrimSuffix(filepath.Base(cluster), ".yaml")
			subjects = append(subjects, formSubject{name, e.XR, corpus.Platform{Cluster: cluster}})
		}
	}
	compareForms(t, subjects)
}

// TestFormsOfCorpus converts the manifests of both versions that are not part of the repository.
func TestFormsOfCorpus(t *testing.T) {
	var subjects []formSubject
	for i, m := range shared.August(t) {
		// Both orchestrators in turn: each has its own way to build pods from the same services.
		cluster := []string{harness.GroveKAI, harness.LWSVolcano}[i%2]
		subjects = append(subjects, formSubject{m.Name, m.Path, corpus.Platform{Cluster: cluster}})
	}
	compareForms(t, subjects)
}

// A formDifference between the forms that upstream's conversion makes.
type formDifference struct {
	reason string
	// restarts says that the functions take the change of the form for a change of the pods. Otherwise the pods of live graphs stay.
	restarts bool
}

// differingForms are the manifests whose pods differ between the forms.
var differingForms = map[string]formDifference{
	"everything/releases": {restarts: true, reason: "In a graph with an Endpoint Picker the labels for the type of a worker are those that its user " +
		"has written, because its InferencePool selects by them. Upstream converts componentType prefill and decode as if they were the subComponentType " +
		"of a worker."},
	"grove-kai/compilation-cache": {reason: "Upstream converts mounts of the service to mounts behind those of the main container, and the cache comes last."},
}

// stricterAsComponents are the manifests of v1alpha1 whose conversion is refused, with the reason.
var stricterAsComponents = map[string]string{
	"grove-kai/warned-weightservers": "A component has one standby engine, and no failover without the GPU memory service.",
	"dynamo-deploy-vllm-operator-samples-dgd-gms-failover": "Failover between pods without the GPU memory service is accepted from the sample of upstream in v1alpha1; " +
		"its sample in v1beta1 has the GPU memory service.",
}

// compareForms compares what each manifest is composed of with what its conversion to the other version is.
func compareForms(t *testing.T, subjects []formSubject) {
	t.Helper()
	p := newFormPlayer(t, subjects)
	problems := make([]string, len(subjects))
	harness.Parallel(len(subjects), func(i int) { problems[i] = p.compare(t.Context(), subjects[i]) })
	for i, problem := range problems {
		if problem != "" {
			t.Errorf("%s: %s", subjects[i].name, problem)
		}
	}
}

// A formPlayer renders graphs.
type formPlayer struct {
	functions crossplane.Functions
	pipelines map[string]*crossplane.Pipeline
	clusters  map[string][]*unstructured.Unstructured
	manifests map[string]*unstructured.Unstructured
}

func newFormPlayer(t *testing.T, subjects []formSubject) *formPlayer {
	t.Helper()
	p := &formPlayer{
		functions: crossplane.Direct(crossplane.Servers(logging.NewNopLogger())),
		pipelines: map[string]*crossplane.Pipeline{}, clusters: map[string][]*unstructured.Unstructured{}, manifests: map[string]*unstructured.Unstructured{},
	}
	for _, s := range subjects {
		p.manifests[s.path] = harness.Read(t, s.path)[0]
		if p.clusters[s.platform.Cluster] == nil {
			p.clusters[s.platform.Cluster] = harness.Read(t, s.platform.Cluster)
		}
		if p.pipelines[s.platform.Name] == nil {
			p.pipelines[s.platform.Name] = pipelineOf(t, s.platform)
		}
	}
	return p
}

// compare a manifest with its conversion, and say what is wrong.
func (p *formPlayer) compare(ctx context.Context, s formSubject) string {
	manifest := p.manifests[s.path]
	want, wantErr := p.render(ctx, manifest, s)
	got, gotErr := p.render(ctx, converted(manifest), s)
	if isFatal(wantErr) && isFatal(gotErr) || wantErr == nil && isFatal(gotErr) && (hasOtherTypes(manifest) || stricterAsComponents[s.name] != "") {
		return ""
	}
	if wantErr != nil || gotErr != nil {
		return fmt.Sprintf("want both rendered or both refused; as written: %v; converted: %v", wantErr, gotErr)
	}
	diff, restarts := cmp.Diff(want, got), !maps.Equal(writtenIn(want), writtenIn(got))
	switch d, listed := differingForms[s.name]; {
	case listed && (diff == "" || restarts != d.restarts):
		return fmt.Sprintf("is listed as differingForms: %+v; restarts: %t; -as written, +converted:\n%s", d, restarts, diff)
	case !listed && diff != "":
		return "-as written, +converted:\n" + diff
	}
	return ""
}

func isFatal(err error) bool { return errors.Is(err, crossplane.ErrFatal) }

// hasOtherTypes reports whether a manifest has a service of a type that components cannot have. The Dynamo operator converts it as it is.
func hasOtherTypes(manifest *unstructured.Unstructured) bool {
	components, _, _ := unstructured.NestedMap(manifest.Object, "spec", "services")
	known := []string{"", "frontend", "worker", "prefill", "decode", "planner", "epp"}
	for name := range components {
		if componentType, _, _ := unstructured.NestedString(components, name, "componentType"); !slices.Contains(known, componentType) {
			return true
		}
	}
	return false
}

// render a manifest once. Its composed objects are by their keys, and the values of Secrets, which are random, are left out.
func (p *formPlayer) render(ctx context.Context, manifest *unstructured.Unstructured, s formSubject) (map[string]any, error) {
	r, err := p.pipelines[s.platform.Name].Reconcile(ctx, crossplane.NewGraph(manifest, p.clusters[s.platform.Cluster]), p.functions)
	if err != nil {
		return nil, err
	}
	objects := map[string]any{}
	for key, resource := range r.Desired().GetResources() {
		object := resource.GetResource().AsMap()
		if object["kind"] == "Secret" {
			delete(object, "data")
		}
		objects[key] = object
	}
	return objects, nil
}

// writtenIn the revision of a graph is the hash of what the user has written for each service.
func writtenIn(objects map[string]any) map[string]string {
	hashes := map[string]string{}
	for key, value := range objects {
		object, _ := value.(map[string]any)
		components, _, _ := unstructured.NestedMap(object, "data", "components")
		if !strings.HasPrefix(key, "revision-") {
			continue
		}
		for name := range components {
			hashes[name], _, _ = unstructured.NestedString(components, name, "written")
		}
	}
	return hashes
}

// converted is a manifest in the other version.
func converted(manifest *unstructured.Unstructured) *unstructured.Unstructured {
	convert := conversion.ToV1beta1
	if _, ok, _ := unstructured.NestedSlice(manifest.Object, "spec", "components"); ok {
		convert = conversion.ToV1alpha1
	}
	object, _ := convert(manifest.Object)
	return &unstructured.Unstructured{Object: object}
}

func pipelineOf(t *testing.T, p corpus.Platform) *crossplane.Pipeline {
	t.Helper()
	return compositiontest.Pipeline(t, fused, p.Input)
}
