package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// TestClaims runs the claims flavour: the same manifests, with a cluster scoped composite resource behind each.
func TestClaims(t *testing.T) {
	s := start(t, claimsConfiguration, newGrove)
	t.Run("Claim", s.claim)
}

func (s *suite) claim(t *testing.T) {
	s.operators.work(true)
	claim := harness.Read(t, "examples/claims/agg-vllm-claim.yaml")[0]
	ref := controlplane.RefOf(claim)
	s.apply(t, claim)
	s.eventually(t, "the claim is ready", s.is(ref, "Synced", "True", "Ready", "True", "Accepted", "True", "ServicesReady", "True"))

	live, err := s.Client.Get(s.ctx, ref)
	if err != nil {
		t.Fatal(err)
	}
	name, _, err := unstructured.NestedString(live.Object, "spec", "resourceRef", "name")
	if err != nil || name == "" {
		t.Fatalf("the claim does not name its composite resource: %v", err)
	}
	composite := controlplane.Ref{APIVersion: nvidia, Kind: "XDynamoGraphDeployment", Name: name}
	if err := s.is(composite, "Synced", "True", "Ready", "True", "Accepted", "True")(); err != nil {
		t.Error(err)
	}
	composed := s.composed(t, composite)
	if diff := cmp.Diff(claim.GetName(), composed["podcliqueset"].GetName()); diff != "" {
		t.Errorf("name of the PodCliqueSet: -want, +got:\n%s", diff)
	}
	var refs []controlplane.Ref
	for key, object := range composed {
		refs = append(refs, controlplane.RefOf(object))
		if diff := cmp.Diff(claim.GetNamespace(), object.GetNamespace()); diff != "" {
			t.Errorf("%s: namespace: -want, +got:\n%s", key, diff)
		}
	}
	table, err := s.Table(s.ctx, "/apis/nvidia.com/v1alpha1/namespaces/inference/dynamographdeployments")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("claims:\n%s", table)

	refused := claim.DeepCopy()
	set(refused.Object, "sglang", "spec", "backendFramework")
	if _, err := s.Client.Apply(s.ctx, refused); err == nil {
		t.Error("want a change of what is immutable refused")
	} else {
		t.Log(err)
	}

	if err := s.Client.Delete(s.ctx, ref); err != nil {
		t.Fatal(err)
	}
	s.gone(t, append(refs, ref, composite)...)
}
