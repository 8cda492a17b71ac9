package validate

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// topology checks constraints as far as that is possible without the topology itself.
func (v *validator) topology() {
	path := specPath().Child("topologyConstraint")
	tc := v.graph.Spec.TopologyConstraint
	if tc != nil {
		if tc.TopologyProfile == "" {
			v.required(path.Child("topologyProfile"), "name the topology whose levels the packDomains are")
		}
		if tc.PackDomain != "" {
			v.domain(path.Child("packDomain"), tc.PackDomain)
		}
	}
	for _, name := range v.graph.ServiceNames() {
		own := v.graph.Spec.Services[name].TopologyConstraint
		if own == nil {
			continue
		}
		at := servicesPath().Key(name).Child("topologyConstraint")
		if own.PackDomain == "" {
			v.required(at.Child("packDomain"), "name a level of the topology, or remove the constraint")
		} else {
			v.domain(at.Child("packDomain"), own.PackDomain)
		}
		if tc == nil {
			v.required(path.Child("topologyProfile"), "service "+name+" has a topology constraint: name the topology whose level it is")
		}
	}
}

func (v *validator) domain(path *field.Path, domain string) {
	if !regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`).MatchString(domain) {
		v.invalid(path, domain, "must be lower-case letters, digits and dashes, beginning and ending with a letter or digit")
	}
}
