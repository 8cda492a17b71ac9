package plantest

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// InTopology adds a topology constraint of the graph, with a domain unless it is empty.
func InTopology(profile, domain string) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		xr.Spec.TopologyConstraint = &v1alpha1.SpecTopologyConstraint{TopologyProfile: profile, PackDomain: domain}
	}
}

// InDomain packs a component into a domain unless it is empty.
func InDomain(domain string) ComponentChange {
	return func(s *v1alpha1.Service) {
		if domain != "" {
			s.TopologyConstraint = &v1alpha1.TopologyConstraint{PackDomain: domain}
		}
	}
}

// WithTopology delivers a topology of levels zone, block, rack and host.
func WithTopology() RequestOption { return WithLevels("zone=z", "block=b", "rack=r", "host=h") }

// WithLevels delivers a topology with levels, each a domain and its node label: zone=example.org/zone.
func WithLevels(levels ...string) RequestOption { return WithObject("topology", TopologyOf(levels...)) }

// TopologyOf levels, as those of WithLevels.
func TopologyOf(levels ...string) *grovev1alpha1.Topology {
	topology := &grovev1alpha1.Topology{Spec: grovev1alpha1.TopologySpec{Levels: []grovev1alpha1.TopologyLevel{}}}
	for _, level := range levels {
		domain, label, _ := strings.Cut(level, "=")
		topology.Spec.Levels = append(topology.Spec.Levels, grovev1alpha1.TopologyLevel{Domain: domain, Key: label})
	}
	return topology
}

// Profile of the platform with levels, as those of WithLevels.
func Profile(name string, levels ...string) inputv1alpha1.Topology {
	p := inputv1alpha1.TopologyProfile{Name: name}
	for _, level := range TopologyOf(levels...).Spec.Levels {
		p.Levels = append(p.Levels, inputv1alpha1.TopologyLevel{Domain: level.Domain, Key: level.Key})
	}
	return inputv1alpha1.Topology{Profiles: []inputv1alpha1.TopologyProfile{p}}
}

// Constraint in the newest dialect.
func Constraint(required, preferred string) *grovev1alpha1.TopologyConstraint {
	return &grovev1alpha1.TopologyConstraint{TopologyName: "my-topology", Pack: &grovev1alpha1.TopologyPack{Required: required, Preferred: preferred}}
}

// OlderConstraint in a dialect before the newest, which names the topology or does not.
func OlderConstraint(topology, domain string) *grovev1alpha1.TopologyConstraint {
	return &grovev1alpha1.TopologyConstraint{TopologyName: topology, PackDomain: domain}
}

// ThreeLevels are those of a profile of the platform.
func ThreeLevels(profileName string) inputv1alpha1.Topology {
	return Profile(profileName, "zone=example.org/zone", "rack=example.org/rack", "host=kubernetes.io/hostname")
}

// Placed is a graph of a frontend and a multinode worker, packed into these domains.
func Placed(own, ofWorker, ofFrontend string) GraphChange {
	return func(xr *v1alpha1.DynamoGraphDeployment) {
		InTopology("my-topology", own)(xr)
		Frontend(xr)
		Multinode(xr)
		Changed("Frontend", InDomain(ofFrontend))(xr)
		Changed("Worker", InDomain(ofWorker))(xr)
	}
}

// MarkedWith a domain of my-topology.
func MarkedWith(domain string) SetChange {
	return AnnotatedSet(map[string]string{"nvidia.com/topology-profile": "my-topology", "nvidia.com/topology-pack-domain": domain})
}
