package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestLost shows a run that has found objects to which the graph had lost its references. Their health is evaluated as that of all objects.
// An object that no step desires any more is desired once more, and the graph does not wait for it.
func TestLost(t *testing.T) {
	// owned is an object of the graph that was composed under a key.
	owned := func(name, key string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Name: name, Namespace: "inference", Generation: 2, Annotations: map[string]string{"crossplane.io/composition-resource-name": key},
			OwnerReferences: []metav1.OwnerReference{{UID: "u1", Controller: new(true)}},
		}
	}
	// hpa is a HorizontalPodAutoscaler with this metadata.
	hpa := func(metadata any) fields {
		return fields{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": fields{"maxReplicas": 4}}
	}
	set := readySet()
	set.ObjectMeta = owned("llama", "podcliqueset")
	plan := planOf(func(p *graphplan.Plan) {
		p.Lost = []graphplan.LostObject{
			{Key: "podcliqueset", APIVersion: "grove.io/v1alpha1", Kind: "PodCliqueSet", Name: "llama"},
			{Key: "replicas-frontend", APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler", Name: "llama-frontend-replicas"},
		}
	})
	req := with(request(plan), "podcliqueset", desiredSet(), nil)
	req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().Fields["uid"] = structpb.NewStringValue("u1")
	req.RequiredResources = map[string]*fnv1.Resources{}
	for key, object := range map[string]any{"podcliqueset": set, "replicas-frontend": hpa(owned("llama-frontend-replicas", "replicas-frontend"))} {
		req.RequiredResources["lost-"+key] = &fnv1.Resources{Items: []*fnv1.Resource{{Resource: steptest.Struct(object)}}}
	}
	selector := func(apiVersion, kind, name string) *fnv1.ResourceSelector {
		return &fnv1.ResourceSelector{ApiVersion: apiVersion, Kind: kind, Namespace: new("inference"), Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}
	}

	want := answer(req, statusIs(successful()), allReady(),
		desires("podcliqueset", desiredSet(), fnv1.Ready_READY_TRUE),
		desires("replicas-frontend", hpa(fields{"name": "llama-frontend-replicas", "namespace": "inference"}), fnv1.Ready_READY_TRUE))
	want.Results = []*fnv1.Result{{
		Severity: fnv1.Severity_SEVERITY_NORMAL, Reason: new("ReferencesRestored"), Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
		Message: "the graph had lost its references to 2 of its objects, which are restored: PodCliqueSet llama, HorizontalPodAutoscaler llama-frontend-replicas",
	}}
	// The caller does not advertise capabilities, and only supports this field.
	want.Requirements = &fnv1.Requirements{ExtraResources: map[string]*fnv1.ResourceSelector{
		"lost-podcliqueset":      selector("grove.io/v1alpha1", "PodCliqueSet", "llama"),
		"lost-replicas-frontend": selector("autoscaling/v2", "HorizontalPodAutoscaler", "llama-frontend-replicas"),
	}}
	if diff := cmp.Diff(want, run(t, req), protocmp.Transform()); diff != "" {
		t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
	}
}
