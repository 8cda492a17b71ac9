package ownership_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest/whole"
)

// TestTakenDomains shows that no pod of a graph joins the NVLink domain of another.
func TestTakenDomains(t *testing.T) {
	const (
		domains   = "resource.nvidia.com/v1beta1"
		templates = "resource.k8s.io/v1"
	)
	own := existing(domains, "ComputeDomain", "llama-0", byGraph, func(meta *metav1.ObjectMeta) { meta.UID = "d1" })
	ofDomain := func(meta *metav1.ObjectMeta) {
		meta.Labels = map[string]string{"resource.nvidia.com/computeDomain": "d1"}
	}
	mnnvl := func(mode inputv1alpha1.MNNVLMode) inputv1alpha1.MNNVL {
		return inputv1alpha1.MNNVL{Mode: mode, GPUsPerNode: new(int32(1))}
	}
	req := func(options ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(plantest.Graph(plantest.Worker), append([]plantest.RequestOption{
			plantest.WithGroups("grove"), plantest.WithInput(inputv1alpha1.Policy{MNNVL: mnnvl(inputv1alpha1.MNNVLAuto)}),
			plantest.WithServed("resource-nvidia"), plantest.WithServed("resource"),
		}, options...)...)
	}
	compare(t, map[string]namesCase{
		"Free": {reason: "A domain of a name that is free is the graph's.", req: req()},
		"Other": {
			reason:  "A domain of another graph is not used.",
			req:     req(),
			objects: []any{existing(domains, "ComputeDomain", "llama-0", byOther)},
			want:    taken("metadata.name"),
		},
		"Own": {
			reason:  "The graph's own domain comes with a template that the driver made.",
			req:     req(),
			objects: []any{own, existing(templates, "ResourceClaimTemplate", "llama-0", ofDomain)},
		},
		"OwnLeaving": {
			reason:  "New pods would claim channels of a domain that is on its way out.",
			req:     req(),
			objects: []any{existing(domains, "ComputeDomain", "llama-0", byGraph, beingDeleted)},
			want:    waiting(),
		},
		"TemplateOfOther": {
			reason:  "A template of another domain would take the pods to that domain.",
			req:     req(),
			objects: []any{existing(templates, "ResourceClaimTemplate", "llama-0", ofDomain)},
			want:    taken("metadata.name"),
		},
		"TemplatesNotServed": {
			reason:  "Where templates are of a version that is not known here they are not looked up, which would fail.",
			req:     req(plantest.WithoutObject("apiservice-resource")),
			objects: []any{existing(templates, "ResourceClaimTemplate", "llama-0", ofDomain)},
		},
		"Usage": {
			reason:  "The name of the Usage that protects the domain is looked up as well.",
			req:     req(),
			objects: []any{existing("protection.crossplane.io/v1beta1", "Usage", "llama-0", byOther)},
			want:    taken("metadata.name"),
		},
		"MadeByGrove": {
			reason:  "Grove's own domain has a name that another graph may have.",
			req:     req(plantest.WithInput(inputv1alpha1.Policy{MNNVL: mnnvl(inputv1alpha1.MNNVLGrove), Grove: inputv1alpha1.Grove{TopologyDialect: inputv1alpha1.DialectPackDomain}})),
			objects: []any{existing(domains, "ComputeDomain", "llama-0", byOther)},
			want:    taken("metadata.name"),
		},
	})
}

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
