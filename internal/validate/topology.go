package validate

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// maxDomain is the length of the longest domain that Grove accepts.
const maxDomain = 63

// topology checks constraints as far as possible without the topology itself.
func (v *validator) topology() {
	path := specPath().Child("topologyConstraint")
	tc := v.graph.Spec.TopologyConstraint
	if tc != nil {
		if tc.ClusterTopologyName == "" {
			v.required(path.Child("clusterTopologyName"), "specify the topology that defines the levels named by packDomain")
		}
		if tc.PackDomain != "" {
			v.domain(path.Child("packDomain"), tc.PackDomain)
		}
	}
	v.preferred(field.NewPath("metadata", "annotations"), v.graph.Annotations, message.Format("the graph"))
	for _, component := range v.graph.ComponentsByName() {
		v.preferred(graph.ComponentsPath().Key(component.Name).Child("annotations"), component.Annotations, message.Format("{{component}} %s", component.Name))
		own := component.TopologyConstraint
		if own == nil {
			continue
		}
		fieldPath := graph.ComponentsPath().Key(component.Name).Child("topologyConstraint")
		if own.PackDomain == "" {
			v.required(fieldPath.Child("packDomain"), "specify a level of the topology, or remove the constraint")
		} else {
			v.domain(fieldPath.Child("packDomain"), own.PackDomain)
		}
		if tc == nil {
			v.required(path.Child("clusterTopologyName"), "{{component}} %s has a topology constraint; specify the topology that defines its level", component.Name)
		}
	}
}

// preferred checks the annotation that names a preferred domain.
func (v *validator) preferred(path *field.Path, annotations map[string]string, who message.Text) {
	domain, ok := annotations[metadata.AnnotationPreferredDomain]
	if !ok {
		return
	}
	v.domain(path.Key(metadata.AnnotationPreferredDomain), domain)
	if v.graph.Spec.TopologyConstraint == nil {
		v.required(specPath().Child("topologyConstraint", "clusterTopologyName"), "%s prefers a domain; specify the topology that defines its level", who)
	}
}

// preferredOfPods warns of a preferred domain among the metadata of pods. Running graphs of version v1alpha1 can have it there without an
// effect, so it stays without one.
func (w *warnings) preferredOfPods(path *field.Path, s *graph.Component) {
	const key = metadata.AnnotationPreferredDomain
	if _, ok := s.PodMetadata().Annotations[key]; ok && s.Annotations[key] == "" {
		w.add(graph.PodMetadataPath(path, "annotations").Key(key), "has no effect in the metadata of pods; move it to {{annotations of podTemplate}}")
	}
}

func (v *validator) domain(path *field.Path, domain string) {
	v.malformed(path, domain, Domain(domain))
}

// Domain says what is wrong with the name of a topology domain.
func Domain(domain string) []string {
	var problems []string
	if !regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`).MatchString(domain) {
		problems = append(problems, "must consist of lower-case letters, digits and dashes, and begin and end with a letter or digit")
	}
	if len(domain) > maxDomain {
		problems = append(problems, "must be no longer than 63 characters")
	}
	return problems
}
