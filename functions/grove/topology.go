package grove

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod/override"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// topology writes the constraint of a component, or without a name of the graph, in the dialect of the installed Grove; nil
// without a domain, since Grove refuses a constraint that holds only a name.
func (b *builder) topology(component string) *grovev1alpha1.TopologyConstraint {
	if b.plan.Topology == nil {
		return nil
	}
	required, preferred := b.domains(component)
	switch b.plan.Topology.Dialect {
	case graphplan.DialectPackDomain:
		if required != "" {
			return &grovev1alpha1.TopologyConstraint{PackDomain: required}
		}
	case graphplan.DialectPackDomainWithTopologyName:
		if required != "" {
			return &grovev1alpha1.TopologyConstraint{TopologyName: b.plan.Topology.Name, PackDomain: required}
		}
	default:
		if required != "" || preferred != "" {
			return &grovev1alpha1.TopologyConstraint{
				TopologyName: b.plan.Topology.Name,
				Pack:         &grovev1alpha1.TopologyPack{Required: required, Preferred: preferred},
			}
		}
	}
	return nil
}

func (b *builder) domains(component string) (required, preferred string) {
	if component == "" {
		if tc := b.graph.Spec.TopologyConstraint; tc != nil {
			required = tc.PackDomain
		}
		return required, b.plan.Topology.Preferred
	}
	if tc := b.graph.Component(component).TopologyConstraint; tc != nil {
		required = tc.PackDomain
	}
	return required, b.plan.Topology.PreferredDomains[component]
}

// overrideTopology replaces constraints of the desired PodCliqueSet by those that the user writes in Grove's own form.
func overrideTopology(rsp *fnv1.RunFunctionResponse, g *graph.Graph) {
	for _, o := range override.Constraints(g) {
		set := rsp.GetDesired().GetResources()[string(names.KeyPodCliqueSet)].GetResource()
		response.SetStruct(rsp, names.KeyPodCliqueSet, o.Into(set))
	}
}

// withTopologyName marks a PodCliqueSet whose constraints do not hold the name of their topology.
func (b *builder) withTopologyName(annotations map[string]string) map[string]string {
	delete(annotations, metadata.AnnotationTopologyProfile)
	if b.plan.Topology == nil || !b.plan.Topology.RecordName {
		return annotations
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[metadata.AnnotationTopologyProfile] = b.plan.Topology.Name
	return annotations
}
