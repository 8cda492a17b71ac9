package inventory_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// TestNamesLookedUp shows what is asked for, and that nothing is where everything is observed: what a graph at rest depends
// on calls it again with each change.
func TestNamesLookedUp(t *testing.T) {
	set := plantest.FrontendSet()
	autoscaler := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 3}}
	live := func(options ...plantest.RequestOption) []plantest.RequestOption {
		for _, key := range []string{"service-frontend", "discovery-serviceaccount", "discovery-role", "discovery-rolebinding"} {
			options = append(options, plantest.WithObserved(key, `{}`))
		}
		return append(options, plantest.WithGroups("grove"), plantest.WithObserved("podcliqueset", set))
	}
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   []string
	}{
		"New": {
			reason: "All objects of a new graph are asked for.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithGroups("grove")),
			want: []string{
				"PodCliqueSet llama", "Role llama-k8s-service-discovery-role", "RoleBinding llama-k8s-service-discovery-binding",
				"Service llama-0", "Service llama-frontend", "ServiceAccount llama", "ServiceAccount llama-k8s-service-discovery",
			},
		},
		"AtRest": {reason: "No object of a live graph is asked for.", req: plantest.Request(plantest.Graph(plantest.Frontend), live()...)},
		"Scaling": {
			reason: "A temporary autoscaler is asked for before it is created.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithReplicas(3))), live()...),
			want:   []string{"HorizontalPodAutoscaler llama-frontend-replicas"},
		},
		"BeingScaled": {
			reason: "A temporary autoscaler is not asked for once it is observed.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Changed("Frontend", plantest.WithReplicas(3))),
				live(plantest.WithObserved("replicas-frontend", autoscaler))...),
		},
		"OnDeployments": {
			reason: "Each service has a workload of its own.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker), plantest.WithGroups()),
			want: []string{
				"Deployment llama-frontend", "Deployment llama-worker", "Role llama-k8s-service-discovery-role", "RoleBinding llama-k8s-service-discovery-binding",
				"Service llama-frontend", "Service llama-worker", "ServiceAccount llama-k8s-service-discovery",
			},
		},
		"OnLWS": {
			reason: "Each replica has a set and a gang, and the LWS operator makes objects with names of their own.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", plantest.WithReplicas(1))), plantest.WithGroups("lws", "volcano"),
				plantest.WithVolcanoQueue("Open")),
			want: []string{
				"ConfigMap llama-wait-leader-script", "LeaderWorkerSet llama-worker", "LeaderWorkerSet llama-worker-0", "LeaderWorkerSet llama-worker-0-0", "PodGroup llama-worker-0",
				"Role llama-k8s-service-discovery-role", "RoleBinding llama-k8s-service-discovery-binding", "Service llama-worker", "Service llama-worker-0",
				"ServiceAccount llama-k8s-service-discovery",
			},
		},
		"Domains": {
			reason: "An NVLink domain comes with its template, and with the Usage that protects it.",
			req: plantest.Request(plantest.Graph(plantest.Worker), plantest.WithGroups(), plantest.WithServed("resource-nvidia"), plantest.WithServed("resource"),
				plantest.WithInput(inputv1alpha1.Policy{MNNVL: inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, GPUsPerNode: new(int32(1))}})),
			want: []string{
				"APIService v1.resource.k8s.io", "ComputeDomain llama-0", "Deployment llama-worker", "ResourceClaimTemplate llama-0", "Role llama-k8s-service-discovery-role",
				"RoleBinding llama-k8s-service-discovery-binding", "Service llama-worker", "ServiceAccount llama-k8s-service-discovery", "Usage llama-0-worker",
			},
		},
		"NoNamespace": {
			reason: "Without a namespace every lookup would fail.",
			req:    plantest.Request(plantest.Graph(plantest.Frontend, func(xr *v1alpha1.DynamoGraphDeployment) { xr.Namespace = "" }), plantest.WithGroups("grove")),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			required := whole.RunAsIs(t, whole.WithFreeNames(t, tc.req)).Response.GetRequirements()
			about := whole.AboutNames(required)
			var got []string
			for name, selector := range required.GetResources() {
				if about(name) {
					got = append(got, selector.GetKind()+" "+selector.GetMatchName())
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nasked for: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
