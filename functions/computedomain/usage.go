package computedomain

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"

	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// kindUsage protects one object while another uses it. The namespaced kind works with both flavors of the API: it refers to objects in its
// own namespace, and composite resources of either scope can compose it.
// https://docs.crossplane.io/latest/managed-resources/usages/
const kindUsage = "Usage"

// workload that uses a domain.
type workload struct {
	apiVersion, kind, name string
}

// protection of one domain by one workload.
type protection struct {
	key  names.Resource
	name string

	// domain that is protected, by the name of its object, while the workload exists.
	domain string
	by     workload
}

func (p protection) object(g *graph.Graph) *protectionv1beta1.Usage {
	return &protectionv1beta1.Usage{
		TypeMeta: metav1.TypeMeta{APIVersion: protectionv1beta1.SchemeGroupVersion.String(), Kind: kindUsage},
		ObjectMeta: metav1.ObjectMeta{Name: p.name, Namespace: g.Namespace, Labels: map[string]string{
			metadata.LabelManagedBy: metadata.ManagedBy,
			metadata.LabelPartOf:    g.Name,
			metadata.LabelGraphName: g.Name,
		}},
		Spec: protectionv1beta1.UsageSpec{
			Of: protectionv1beta1.NamespacedResource{
				APIVersion:  computedomainv1beta1.APIVersion,
				Kind:        computedomainv1beta1.Kind,
				ResourceRef: &protectionv1beta1.NamespacedResourceRef{Name: p.domain},
			},
			By: &protectionv1beta1.Resource{
				APIVersion:  p.by.apiVersion,
				Kind:        p.by.kind,
				ResourceRef: &protectionv1beta1.ResourceRef{Name: p.by.name},
			},
			Reason: new("pods of " + p.by.kind + " " + p.by.name + " use this NVLink domain"),
			// Kubernetes deletes all children of a graph at the same time, and retries a refused deletion with increasing delays.
			ReplayDeletion: new(true),
		},
	}
}
