package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/adoption"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// adoptee is a graph of the Dynamo operator, with what that has made for it.
type adoptee struct {
	graph *unstructured.Unstructured
	live  []*unstructured.Unstructured
	// workloads before the adoption.
	workloads map[controlplane.Ref]*unstructured.Unstructured
}

// adoptOwn adopts graphs of our own, and then changes the image of one component.
func (s *suite) adoptOwn(t *T) {
	t.Helper()
	for name, component := range map[string]string{"grove": "Decode", "deployments": "Decode", "leaderworkersets": "Worker", "replicas": "Worker"} {
		folder := filepath.Join("fn-tests", "adoption", "testdata")
		a := s.ofOperator(t, "adopt-"+name, harness.Read(t, filepath.Join(folder, name+".yaml"))[0], harness.Read(t, filepath.Join(folder, name+"-live.yaml")))
		s.apply(t, a.graph)
		s.isAdopted(t, a, "")

		const image = "registry.example.org/runtime:adopted"
		set(a.graph.Object, image, "spec", "services", component, "extraPodSpec", "mainContainer", "image")
		s.apply(t, a.graph)
		s.eventually(t, name+" runs "+image, func() error { return s.runs(a, component, image) })
		s.isAdopted(t, a, component)
		s.remove(t, a.graph)
	}
}

// adoptGolden adopts graphs of real manifests, as the operator has made them.
func (s *suite) adoptGolden(t *T) {
	t.Helper()
	const graphs = 20
	manifests := map[string]string{}
	for _, m := range shared.Corpus(t) {
		manifests[m.Name] = m.Path
	}
	var all []*adoptee
	for _, folder := range []string{"grove-v1alpha1", "lws-v1alpha1"} {
		path := shared.Path(t, graphs, "golden-2026-08", folder)
		files, err := filepath.Glob(filepath.Join(path, "*.yaml"))
		if err != nil || len(files) < graphs {
			t.Fatalf("there are %d files in %s: %v", len(files), folder, err)
		}
		var chosen []string
		for i := range graphs / 2 {
			// The first ones are of mistaken manifests in documents.
			chosen = append(chosen, files[(i+1)*len(files)/(graphs/2+1)])
		}
		if folder == "lws-v1alpha1" {
			// The replicas of a component run in one LeaderWorkerSet.
			chosen = append(chosen, filepath.Join(path, "dynamo-recipe-trtllm-deepseek-v32-fp4-disagg-kv-router-deploy.yaml"))
		}
		for i, path := range chosen {
			live, err := adoption.ReadGolden(path)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(path), ".yaml")
			all = append(all, s.ofOperator(t, fmt.Sprintf("golden-%s-%d", folder[:3], i), harness.Read(t, manifests[name])[0], live))
		}
	}
	for _, a := range all {
		// A manifest may contain nulls, which server-side apply refuses.
		if _, err := s.Client.Create(s.ctx, a.graph); err != nil {
			t.Fatalf("cannot create %s: %v", controlplane.RefOf(a.graph), err)
		}
	}
	var adopted []*unstructured.Unstructured
	for _, a := range all {
		s.isAdopted(t, a, "")
		adopted = append(adopted, a.graph)
	}
	s.remove(t, adopted...)
}

// ofOperator is a graph whose objects are in a namespace as the operator leaves them, without an owner.
func (s *suite) ofOperator(t testing.TB, namespace string, graph *unstructured.Unstructured, objects []*unstructured.Unstructured) *adoptee {
	t.Helper()
	s.namespace(t, namespace)
	a := &adoptee{graph: graph, workloads: map[controlplane.Ref]*unstructured.Unstructured{}}
	a.graph.SetNamespace(namespace)
	a.graph.SetAnnotations(map[string]string{"dynamo.nvidia.com/adopt-from": "dynamo-operator"})
	live := adoption.Live(graph.GetName(), objects)
	adoption.Release(graph.GetName(), live)
	for _, object := range live {
		adoption.Move(object, namespace)
		object.SetUID("")
		object.SetGeneration(0)
		if object.GetKind() == "Secret" {
			continue
		}
		created, err := s.Client.Create(s.ctx, object)
		if err != nil {
			t.Fatalf("cannot create %s: %v", controlplane.RefOf(object), err)
		}
		// As steps.sh has it.
		if err := s.Client.Patch(s.ctx, controlplane.RefOf(object), map[string]any{"metadata": map[string]any{"managedFields": []any{map[string]any{}}}}); err != nil {
			t.Fatalf("cannot clear the field managers of %s: %v", controlplane.RefOf(object), err)
		}
		a.live = append(a.live, object)
		if isWorkload(object) {
			a.workloads[controlplane.RefOf(object)] = created
		}
	}
	return a
}

func isWorkload(object *unstructured.Unstructured) bool {
	return slices.Contains([]string{"PodCliqueSet", "LeaderWorkerSet", "Deployment"}, object.GetKind())
}

// isAdopted wants the graph synced, and the workloads controlled by the graph, and otherwise as they were, except for those of a changed component.
func (s *suite) isAdopted(t testing.TB, a *adoptee, changed string) {
	t.Helper()
	s.eventually(t, controlplane.RefOf(a.graph).String()+" is synced", s.is(controlplane.RefOf(a.graph), "Synced", "True"))
	graph, err := s.Client.Get(s.ctx, controlplane.RefOf(a.graph))
	if err != nil {
		t.Fatal(err)
	}
	for ref, before := range a.workloads {
		s.eventually(t, ref.String()+" is controlled by its graph", func() error {
			live, err := s.Client.Get(s.ctx, ref)
			if err != nil {
				return err
			}
			if !metav1.IsControlledBy(live, graph) {
				return fmt.Errorf("it is controlled by %v", live.GetOwnerReferences())
			}
			of := live.GetLabels()[componentLabel]
			if changed != "" && (of == changed || of == "") {
				return nil
			}
			if diff := cmp.Diff(before.Object["spec"], live.Object["spec"]); diff != "" {
				t.Errorf("%s: spec: -before, +after:\n%s", ref, diff)
			}
			// The API server also counts changes of annotations of a Deployment.
			if live.GetKind() != "Deployment" && live.GetGeneration() != before.GetGeneration() {
				t.Errorf("%s: want generation %d, got %d", ref, before.GetGeneration(), live.GetGeneration())
			}
			return nil
		})
	}
}

// runs reports whether the pod templates of a component have an image, and nothing of the operator, and those of other components are as
// they were.
func (s *suite) runs(a *adoptee, component, image string) error {
	const ofOperator = "OF_THE_OPERATOR"
	for ref := range a.workloads {
		live, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		unstructured.RemoveNestedField(live.Object, "metadata", "managedFields")
		if live.GetKind() == "PodCliqueSet" {
			cliques, _, _ := unstructured.NestedSlice(live.Object, "spec", "template", "cliques")
			for _, c := range cliques {
				labels, _, _ := unstructured.NestedMap(map[string]any{"clique": c}, "clique", "labels")
				clique := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"labels": labels}, "spec": c}}
				if err := runsIn(clique, component, image, ofOperator); err != nil {
					return fmt.Errorf("%s: %w", ref, err)
				}
			}
			continue
		}
		if err := runsIn(live, component, image, ofOperator); err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
	}
	return nil
}

func runsIn(object *unstructured.Unstructured, component, image, ofOperator string) error {
	text := fmt.Sprint(object.Object["spec"])
	mine := object.GetLabels()[componentLabel] == component
	if mine != strings.Contains(text, image) || mine == strings.Contains(text, ofOperator) {
		return fmt.Errorf("want image %s and no variable %s: %t, got image: %t, variable: %t", image, ofOperator, mine, strings.Contains(text, image), strings.Contains(text, ofOperator))
	}
	return nil
}
