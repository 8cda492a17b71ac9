package ownership_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
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
