package foundation

import (
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// claimTemplates are the templates of the claims with which the containers of a pod share its GPUs.
func (f *foundation) claimTemplates() []composed {
	var all []composed
	for _, component := range f.graph.ComponentsByName() {
		if !component.SharesGPUs() {
			continue
		}
		all = append(all, composed{names.KeyClaimTemplate(component.Name), &resourcev1.ResourceClaimTemplate{
			TypeMeta:   metav1.TypeMeta{APIVersion: resourcev1.SchemeGroupVersion.String(), Kind: "ResourceClaimTemplate"},
			ObjectMeta: f.objectMeta(f.graph.Names().ClaimTemplate(component.Name), nil),
			Spec:       pod.GPUClaim(component),
		}})
	}
	return all
}
