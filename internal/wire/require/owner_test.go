package require

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

func TestController(t *testing.T) {
	cases := map[string]struct {
		reason string
		object string
		want   string
		ok     bool
	}{
		"Controller": {
			reason: "The owner that controls an object is named by kind and name.",
			object: `{"metadata":{"ownerReferences":[{"kind":"ConfigMap","name":"a"},{"kind":"StatefulSet","name":"b","controller":true}]}}`,
			want:   "StatefulSet b", ok: true,
		},
		"Claim": {
			reason: "Users know a composite resource by the claim that it was made for.",
			object: `{"metadata":{"labels":{"crossplane.io/claim-name":"llama"},"ownerReferences":[{"kind":"XDynamoGraphDeployment","name":"llama-x7k2p","controller":true}]}}`,
			want:   "XDynamoGraphDeployment llama-x7k2p (claim llama)", ok: true,
		},
		"Owned":   {reason: "An owner need not control an object.", object: `{"metadata":{"ownerReferences":[{"kind":"ConfigMap","name":"a"}]}}`},
		"Nobody":  {reason: "An object may have no owner.", object: `{"metadata":{}}`},
		"Garbled": {reason: "What is no list of owners names none.", object: `{"metadata":{"ownerReferences":{"controller":true}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			owner, ok := Controller(resource.MustStructJSON(tc.object))
			if diff := cmp.Diff(tc.want, owner.String()); diff != "" || ok != tc.ok {
				t.Errorf("%s\nController(...): want %t, got %t; -want owner, +got owner:\n%s", tc.reason, tc.ok, ok, diff)
			}
		})
	}
}

func TestControlledByNamesake(t *testing.T) {
	const (
		namespaced = `{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","metadata":{"name":"llama","uid":"u1"}}`
		claimed    = `{"apiVersion":"nvidia.com/v1alpha1","kind":"XDynamoGraphDeployment","metadata":{"name":"llama-new","uid":"u1"},
			"spec":{"claimRef":{"name":"llama","namespace":"inference"}}}`
	)
	// owned by a graph with a version and a kind, a name and a UID.
	owned := func(apiVersion, kind, name, uid string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{
			{APIVersion: apiVersion, Kind: kind, Name: name, UID: types.UID(uid), Controller: new(true)},
		}}}
	}
	// ofClaim is an object of an earlier composite resource of a claim.
	ofClaim := func(name, namespace string) *metav1.PartialObjectMetadata {
		object := owned("nvidia.com/v1alpha1", "XDynamoGraphDeployment", "llama-old", "u0")
		object.Labels = map[string]string{"crossplane.io/claim-name": name, "crossplane.io/claim-namespace": namespace}
		return object
	}
	cases := map[string]struct {
		reason string
		xr     string
		object *metav1.PartialObjectMetadata
		want   bool
	}{
		"Earlier": {
			reason: "A graph that was deleted and created again has another UID.",
			xr:     namespaced, object: owned("nvidia.com/v1alpha1", "DynamoGraphDeployment", "llama", "u0"), want: true,
		},
		"OtherVersion": {
			reason: "The version of the API does not matter.",
			xr:     namespaced, object: owned("nvidia.com/v1beta1", "DynamoGraphDeployment", "llama", "u0"), want: true,
		},
		"Own":        {reason: "The graph is not its own namesake.", xr: namespaced, object: owned("nvidia.com/v1alpha1", "DynamoGraphDeployment", "llama", "u1")},
		"OtherName":  {reason: "A graph of another name is no namesake.", xr: namespaced, object: owned("nvidia.com/v1alpha1", "DynamoGraphDeployment", "other", "u0")},
		"OtherKind":  {reason: "An object of another kind is no namesake.", xr: namespaced, object: owned("nvidia.com/v1alpha1", "Other", "llama", "u0")},
		"OtherGroup": {reason: "An object of another group is no namesake.", xr: namespaced, object: owned("example.org/v1alpha1", "DynamoGraphDeployment", "llama", "u0")},
		"Claim": {
			reason: "The composite resource of a claim that was created again has another name, and the claim has the same.",
			xr:     claimed, object: ofClaim("llama", "inference"), want: true,
		},
		"OtherClaim": {
			reason: "The composite resource of another claim is no namesake.",
			xr:     claimed, object: ofClaim("other", "inference"),
		},
		"OtherNamespace": {
			reason: "The composite resource of a claim in another namespace is no namesake.",
			xr:     claimed, object: ofClaim("llama", "other"),
		},
		"Nobody": {reason: "An object of nobody belongs to no graph.", xr: namespaced, object: &metav1.PartialObjectMetadata{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(tc.xr)}}}
			if got := ControlledByNamesake(steptest.Struct(tc.object), req); got != tc.want {
				t.Errorf("%s\nControlledByNamesake(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
