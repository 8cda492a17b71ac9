package e2e

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// planner scales its graph with the permissions that its ServiceAccount has, and tries what it has none for.
func (s *suite) planner(t *T) {
	t.Helper()
	g := s.run(t, "planner", "planned", onLeaderWorkerSets, func(g *unstructured.Unstructured) {
		set(g.Object, true, "spec", "services", "Decode", "scalingAdapter", "enabled")
	})
	other := s.run(t, "agg-vllm", "unplanned", onLeaderWorkerSets)
	planner, err := s.As(g.GetNamespace(), "planned-planner")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("Scales", func(t *T) { s.plannerScales(t, planner, controlplane.RefOf(g)) })
	t.Run("Forbidden", func(t *T) { s.plannerForbidden(t, planner, controlplane.RefOf(g), controlplane.RefOf(other)) })
	t.Run("Components", s.plannerOfComponents)
	t.Run("Rules", func(t *T) { s.plannerRules(t, planner, g.GetNamespace()) })
	s.remove(t, g, other)
}

// adapter of a service of a graph.
func adapter(graph controlplane.Ref, component string) controlplane.Ref {
	return controlplane.Ref{APIVersion: nvidia, Kind: adapterKind, Namespace: graph.Namespace, Name: graph.Name + "-" + component}
}

// plannerScales does what the planner of April 2026 does: it scales the adapter of a service and, where there is none, the graph, at
// v1alpha1 and in the form with services.
func (s *suite) plannerScales(t testing.TB, planner *controlplane.Client, graph controlplane.Ref) {
	t.Helper()
	if err := planner.Scale(s.ctx, adapter(graph, "prefill"), 2); !isNotFound(err) {
		t.Fatalf("want to be told that there is no adapter, got: %v", err)
	}
	if _, err := planner.Get(s.ctx, graph); err != nil {
		t.Fatal(err)
	}
	scalePrefill := func(replicas int64) {
		t.Helper()
		patch := map[string]any{"spec": map[string]any{"services": map[string]any{"Prefill": map[string]any{"replicas": replicas}}}}
		if err := planner.Patch(s.ctx, graph, patch); err != nil {
			t.Fatal(err)
		}
		s.eventually(t, "the service is scaled", s.hasReplicas(deploymentOf(graph, "prefill"), replicas))
	}
	decode := adapter(graph, "decode")
	s.scaledByOthers(t, "the adapter, and the service, have the planner's number", graph, decode, func() error {
		if err := s.hasReplicas(decode, 3)(); err != nil {
			return errors.Join(err, planner.Scale(s.ctx, decode, 3))
		}
		return errors.Join(s.isLeftToOthers(decode)(), s.hasReplicas(deploymentOf(graph, "decode"), 3)())
	}, func(attempt int) { scalePrefill(int64(2 + attempt)) })
	scalePrefill(1)
	// That was a reconcile in which the adapter could have been put back.
	if err := s.hasReplicas(decode, 3)(); err != nil {
		t.Error(err)
	}
	s.adapterReturns(t, graph)
}

// adapterReturns deletes the adapter of service decode by hand: it is created again, and the service keeps its number, which is not
// that of the graph.
func (s *suite) adapterReturns(t testing.TB, graph controlplane.Ref) {
	t.Helper()
	decode := adapter(graph, "decode")
	before, err := s.Client.Get(s.ctx, decode)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Client.Delete(s.ctx, decode); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, "the adapter is created again", func() error {
		now, err := s.Client.Get(s.ctx, decode)
		if err != nil {
			return err
		}
		if now.GetUID() == before.GetUID() {
			return errors.New("it is not deleted yet")
		}
		return s.hasReplicas(decode, 3)()
	})
	if err := s.hasReplicas(deploymentOf(graph, "decode"), 3)(); err != nil {
		t.Error(err)
	}
}

// deploymentOf a service of a graph, in lower case.
func deploymentOf(graph controlplane.Ref, component string) controlplane.Ref {
	return controlplane.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: graph.Namespace, Name: graph.Name + "-" + component}
}

// plannerForbidden tries what would harm the graph of the planner, other graphs, and what else is in the namespace.
func (s *suite) plannerForbidden(t *T, planner *controlplane.Client, graph, other controlplane.Ref) {
	t.Helper()
	replicas := map[string]any{"spec": map[string]any{"replicas": 2}}
	cases := map[string]struct {
		reason string
		try    func() error
	}{
		"OtherGraph":   {"Only its own graph is named.", func() error { return planner.Patch(s.ctx, other, replicas) }},
		"OtherAdapter": {"So are the adapters.", func() error { return planner.Scale(s.ctx, adapter(other, "worker"), 2) }},
		"Frontend":     {"A frontend is not scaled by planners.", func() error { return planner.Scale(s.ctx, adapter(graph, "frontend"), 2) }},
		"Adapter":      {"Its scale is not all of an adapter.", func() error { return planner.Patch(s.ctx, adapter(graph, "decode"), replicas) }},
		"Delete":       {"To scale is not to delete.", func() error { return planner.Delete(s.ctx, graph) }},
		"Status":       {"The status is Crossplane's.", func() error { return planner.PatchStatus(s.ctx, graph, map[string]any{"state": "successful"}) }},
		"List": {"It looks at no other graph.", func() error {
			_, err := planner.List(s.ctx, graph.APIVersion, graph.Kind, graph.Namespace, "")
			return err
		}},
		"Deployment": {"It scales no workload itself.", func() error {
			return planner.Scale(s.ctx, deploymentOf(graph, "prefill"), 5)
		}},
		"Secrets": {"Secrets are not its business.", func() error {
			_, err := planner.List(s.ctx, "v1", "Secret", graph.Namespace, "")
			return err
		}},
		"Pods": {"It creates no pods.", func() error {
			pod := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "pod", "namespace": graph.Namespace},
				"spec": map[string]any{"containers": []any{map[string]any{"name": "main", "image": "registry.example.org/image:1"}}},
			}}
			_, err := planner.Create(s.ctx, pod)
			return err
		}},
		"Elsewhere": {"In other namespaces it has no permissions at all.", func() error {
			_, err := planner.Get(s.ctx, controlplane.Ref{APIVersion: nvidia, Kind: dgd, Namespace: "default", Name: graph.Name})
			return err
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			if err := tc.try(); !kerrors.IsForbidden(err) {
				t.Errorf("\n%s\nwant it forbidden, got: %v", tc.reason, err)
			}
		})
	}
}

// plannerRules asks the API server for all that the planner may do, and looks at what is more than reading.
func (s *suite) plannerRules(t testing.TB, planner *controlplane.Client, namespace string) {
	t.Helper()
	review, err := planner.Create(s.ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": map[string]any{"namespace": namespace},
	}})
	if err != nil {
		t.Fatal(err)
	}
	rules, _, err := unstructured.NestedSlice(review.Object, "status", "resourceRules")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, value := range rules {
		rule, _ := value.(map[string]any)
		verbs, _, _ := unstructured.NestedStringSlice(rule, "verbs")
		writes := slices.DeleteFunc(verbs, func(verb string) bool { return slices.Contains([]string{"get", "list", "watch"}, verb) })
		if len(writes) == 0 {
			continue
		}
		slices.Sort(writes)
		got = append(got, fmt.Sprint(writes, rule["resources"], rule["resourceNames"]))
	}
	slices.Sort(got)
	want := []string{
		// What every pod of a graph publishes about itself.
		"[create delete patch update] [dynamoworkermetadatas] <nil>",
		// What every user may ask about himself.
		"[create] [selfsubjectaccessreviews selfsubjectrulesreviews] <nil>",
		"[create] [selfsubjectreviews] <nil>",
		"[patch] [dynamographdeployments] [planned]",
		"[patch] [dynamographdeploymentscalingadapters/scale] [planned-decode planned-prefill]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the planner may change: -want, +got:\n%s", diff)
	}
}
