package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestScaling shows that a graph is not ready between a change of its replicas and the end of the scaling, although all running pods are
// ready meanwhile.
func TestScaling(t *testing.T) {
	helper := &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend-replicas"},
		Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: new(int32(4)), MaxReplicas: 4},
	}
	cases := map[string]struct {
		reason string
		// replicas of the frontend that Grove runs, and that the PodCliqueSet has. updates says that Grove replaces them.
		replicas int32
		updates  *graphplan.ChildUpdate
		// observed helper; nil if there is none.
		observed any
		want     string
	}{
		"Begins": {
			reason: "The child has the old number, and nothing moves it yet.", replicas: 2,
			want: "llama: Frontend: is scaling from 2 to 4 replicas; HorizontalPodAutoscaler llama-frontend-replicas: not created yet",
		},
		"Held": {
			reason: "A service can wait for several things.", replicas: 6, updates: &graphplan.ChildUpdate{}, observed: helper,
			want: "llama: Frontend: is scaling from 6 to 4 replicas; Frontend: the scale-in is delayed until Grove's rolling update is complete",
		},
		"Done": {reason: "The child has the number, and only the helper is not gone yet.", replicas: 4, observed: helper},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			child := clique(tc.replicas)
			child.Update = tc.updates
			live := readySet()
			live.Spec.Template.Cliques = []grovev1alpha1.Clique{{Name: "frontend", Spec: grovev1alpha1.CliqueSpec{Replicas: tc.replicas}}}
			desired := *live
			desired.Generation, desired.Status = 0, grovev1alpha1.PodCliqueSetStatus{}
			spec := v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Frontend": {Replicas: new(int32(4))}}}
			req := with(requestFor(spec, planOf(withChild("Frontend", child))), "podcliqueset", &desired, live)
			req = with(req, "replicas-frontend", helper, tc.observed)
			want := answer(req, allReady())
			if tc.want != "" {
				want = answer(req, soon(), notReadyFor("updating", "Resources not ready: "+tc.want))
			}
			got := run(t, req)
			if diff := cmp.Diff(want.GetConditions(), got.GetConditions(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): conditions: -want, +got:\n%s", tc.reason, diff)
			}
			if ready := got.GetDesired().GetResources()["podcliqueset"].GetReady() == fnv1.Ready_READY_TRUE; ready != (tc.want == "") {
				t.Errorf("%s\nRunFunction(...): the PodCliqueSet is ready: %t", tc.reason, ready)
			}
		})
	}
}
