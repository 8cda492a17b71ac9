package e2e

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestClaims runs the claims flavour: the same manifests, with a cluster-scoped composite resource for each.
func TestClaims(tt *testing.T) {
	tt.Parallel()
	t := repeating(tt)
	s := start(t, claimsConfiguration, newGrove)
	s.tool = newTool(t)

	t.Run("Install", s.install)
	t.Run("Claim", s.claim)
	t.Run("ExamplesAccepted", s.examplesAccepted)
	s.startWorkloads(t, gpusPerNode)
	t.Run("Live", s.liveClaims)
	t.Run("DeletionOfDomains", s.deletionOfDomains)
	t.Run("Documents", s.documents)
}

// liveClaims changes claims while they run. What does not depend on the flavour is left to TestNamespaced, and edits to TestGate.
func (s *suite) liveClaims(t *T) {
	s.installAdapters(t)
	s.operators.Work(true)
	defer s.operators.Work(false)
	t.Run("Graphs", func(t *T) {
		runTogether(t, map[string]func(*T){
			"Planner":   s.planner,
			"Adapter":   s.adapterIsScaled,
			"Previewed": s.preview,
			"NoRoom":    s.noRoom,
		})
	})
}

// repeatsComponents reports whether a claim has the status of the components of its composite resource.
func (s *suite) repeatsComponents(claim controlplane.Ref) func() error {
	of := func(object *unstructured.Unstructured) map[string]any {
		components, _, _ := unstructured.NestedMap(object.Object, "status", "components")
		return components
	}
	return func() error {
		live, err := s.Client.Get(s.ctx, claim)
		if err != nil {
			return err
		}
		composite, err := s.compositeOf(live)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(of(composite), of(live)); diff != "" || len(of(live)) == 0 {
			return fmt.Errorf("status.components: -composite resource, +claim:\n%s", diff)
		}
		return nil
	}
}

// claim shows what becomes of the example of a claim: its composite resource, names and namespaces, and its conditions.
func (s *suite) claim(t *T) {
	claim := harness.Read(t, "examples/claims/agg-vllm-claim.yaml")[0]
	ref := controlplane.RefOf(claim)
	s.apply(t, claim)
	s.eventually(t, "the claim is synced, and waits for pods", s.is(ref, "Synced", "True", "Ready", "False", "ServicesReady", "False"))
	s.eventually(t, "the claim repeats the conditions of its composite resource", s.repeatsConditions(ref))
	s.operators.Work(true)
	defer s.operators.Work(false)
	s.eventually(t, "the claim is ready", s.is(ref, "Synced", "True", "Ready", "True", "Accepted", "True", "ServicesReady", "True"))
	s.eventually(t, "the claim still repeats the conditions of its composite resource", s.repeatsConditions(ref))

	live, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	composite, err := s.compositeOf(live)
	if err != nil {
		t.Fatal(err)
	}
	if composite.GetKind() != compositeKind || composite.GetNamespace() != "" || composite.GetName() == claim.GetName() {
		t.Errorf("want a cluster scoped %s with a name of its own, got %s", compositeKind, controlplane.RefOf(composite))
	}
	s.eventually(t, "the claim repeats the components of its composite resource", s.repeatsComponents(ref))
	composed := s.composed(t, ref)
	if diff := cmp.Diff(claim.GetName(), composed["podcliqueset"].GetName()); diff != "" {
		t.Errorf("name of the PodCliqueSet: -want, +got:\n%s", diff)
	}
	for key, object := range composed {
		if diff := cmp.Diff(claim.GetNamespace(), object.GetNamespace()); diff != "" {
			t.Errorf("%s: namespace: -want, +got:\n%s", key, diff)
		}
	}
	s.remove(t, claim)
}

// repeatsConditions checks that a claim has the conditions that its composite resource has, in the same words. Two are
// Crossplane's own, of which each has one; and Responsive is of the composite resource alone.
func (s *suite) repeatsConditions(ref controlplane.Ref) func() error {
	return func() error {
		claim, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		composite, err := s.compositeOf(claim)
		if err != nil {
			return err
		}
		want := conditionsOf(composite)
		delete(want, "Responsive")
		if diff := cmp.Diff(want, conditionsOf(claim)); diff != "" {
			return fmt.Errorf("conditions: -composite resource, +claim:\n%s", diff)
		}
		return nil
	}
}

// conditionsOf an object by type. Only the status counts of what Crossplane says of each object itself.
func conditionsOf(object *unstructured.Unstructured) map[string]string {
	all := map[string]string{}
	conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, value := range conditions {
		c, _ := value.(map[string]any)
		conditionType := fmt.Sprint(c["type"])
		all[conditionType] = fmt.Sprint(c["status"])
		if conditionType != "Synced" && conditionType != "Ready" {
			all[conditionType] = fmt.Sprintf("%v, %v: %v", c["status"], c["reason"], c["message"])
		}
	}
	return all
}
