// Package forms holds that a graph is composed of the same objects whichever form it is written in.
package forms

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
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/shared"
)

// fused is the Composition with all steps in one function, whose renders are those of the chain.
const fused = "compositions/dynamographdeployment-fused.yaml"

// A subject is a manifest on a platform.
type subject struct {
	name, path string
	platform   corpus.Platform
}

// TestCorpus converts the manifests of the repository.
func TestCorpus(t *testing.T) {
	var subjects []subject
	for _, m := range corpus.Manifests(t) {
		subjects = append(subjects, subject{m.Name, m.Path, m.Platform})
	}
	compare(t, subjects)
}

// TestExamples converts the examples, on all clusters that they are for.
func TestExamples(t *testing.T) {
	var subjects []subject
	for _, e := range harness.Examples(t) {
		// A claim and its composite resource have no other fields than the namespaced ones.
		if e.Composition != harness.Composition {
			continue
		}
		for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
			name := e.Name + "/" + strings.TrimSuffix(filepath.Base(cluster), ".yaml")
			subjects = append(subjects, subject{name, e.XR, corpus.Platform{Cluster: cluster}})
		}
	}
	compare(t, subjects)
}

// TestOutside converts the manifests of both versions that are not part of the repository.
func TestOutside(t *testing.T) {
	var subjects []subject
	for i, m := range shared.August(t) {
		// Both orchestrators in turn: each has its own way to build pods from the same services.
		cluster := []string{harness.GroveKAI, harness.LWSVolcano}[i%2]
		subjects = append(subjects, subject{m.Name, m.Path, corpus.Platform{Cluster: cluster}})
	}
	compare(t, subjects)
}

// A difference between the forms that upstream's conversion makes.
type difference struct {
	reason string
	// restarts says that the functions take the change of the form for a change of the pods. Otherwise the pods of live graphs stay.
	restarts bool
}

// differing are the manifests whose pods differ between the forms.
var differing = map[string]difference{
	"everything/releases": {restarts: true, reason: "In a graph with an Endpoint Picker the labels for the type of a worker are those that its user " +
		"has written, because its InferencePool selects by them. Upstream converts componentType prefill and decode as if they were the subComponentType " +
		"of a worker."},
	"grove-kai/compilation-cache": {reason: "Upstream converts mounts of the service to mounts behind those of the main container, and the cache comes last."},
}

// stricter are the manifests of v1alpha1 whose conversion is refused, with the reason.
var stricter = map[string]string{
	"grove-kai/warned-weightservers": "A component has one standby engine, and no failover without the GPU memory service.",
	"dynamo-deploy-vllm-operator-samples-dgd-gms-failover": "Failover between pods without the GPU memory service is accepted from the sample of upstream in v1alpha1; " +
		"its sample in v1beta1 has the GPU memory service.",
}

// compare what each manifest is composed of with what its conversion to the other version is.
func compare(t *testing.T, subjects []subject) {
	t.Helper()
	p := newPlayer(t, subjects)
	problems := make([]string, len(subjects))
	harness.Parallel(len(subjects), func(i int) { problems[i] = p.compare(t.Context(), subjects[i]) })
	for i, problem := range problems {
		if problem != "" {
			t.Errorf("%s: %s", subjects[i].name, problem)
		}
	}
}

// A player renders graphs.
type player struct {
	functions crossplane.Functions
	pipelines map[string]*crossplane.Pipeline
	clusters  map[string][]*unstructured.Unstructured
	manifests map[string]*unstructured.Unstructured
}

func newPlayer(t *testing.T, subjects []subject) *player {
	t.Helper()
	p := &player{
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
func (p *player) compare(ctx context.Context, s subject) string {
	manifest := p.manifests[s.path]
	want, wantErr := p.render(ctx, manifest, s)
	got, gotErr := p.render(ctx, other(manifest), s)
	if isRefused(wantErr) && isRefused(gotErr) || wantErr == nil && isRefused(gotErr) && (hasOtherTypes(manifest) || stricter[s.name] != "") {
		return ""
	}
	if wantErr != nil || gotErr != nil {
		return fmt.Sprintf("want both rendered or both refused; as written: %v; converted: %v", wantErr, gotErr)
	}
	diff, restarts := cmp.Diff(want, got), !maps.Equal(writtenIn(want), writtenIn(got))
	switch d, listed := differing[s.name]; {
	case listed && (diff == "" || restarts != d.restarts):
		return fmt.Sprintf("is listed as differing: %+v; restarts: %t; -as written, +converted:\n%s", d, restarts, diff)
	case !listed && diff != "":
		return "-as written, +converted:\n" + diff
	}
	return ""
}

func isRefused(err error) bool { return errors.Is(err, crossplane.ErrFatal) }

// hasOtherTypes reports whether a manifest has a service of a type that components cannot have. The Dynamo operator converts it as it is.
func hasOtherTypes(manifest *unstructured.Unstructured) bool {
	services, _, _ := unstructured.NestedMap(manifest.Object, "spec", "services")
	known := []string{"", "frontend", "worker", "prefill", "decode", "planner", "epp"}
	for name := range services {
		if componentType, _, _ := unstructured.NestedString(services, name, "componentType"); !slices.Contains(known, componentType) {
			return true
		}
	}
	return false
}

// render a manifest once. Its composed objects are by their keys, and the values of Secrets, which are random, are left out.
func (p *player) render(ctx context.Context, manifest *unstructured.Unstructured, s subject) (map[string]any, error) {
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

// other is a manifest in the other version.
func other(manifest *unstructured.Unstructured) *unstructured.Unstructured {
	convert := conversion.ToV1beta1
	if _, ok, _ := unstructured.NestedSlice(manifest.Object, "spec", "components"); ok {
		convert = conversion.ToV1alpha1
	}
	converted, _ := convert(manifest.Object)
	return &unstructured.Unstructured{Object: converted}
}

func pipelineOf(t *testing.T, p corpus.Platform) *crossplane.Pipeline {
	t.Helper()
	pipeline, err := crossplane.ReadPipeline(harness.WithInput(t, fused, p.Input))
	if err != nil {
		t.Fatal(err)
	}
	pipeline.Once = true
	return pipeline
}
