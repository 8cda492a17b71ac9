package v1alpha1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Topology is a ClusterTopology (before Grove v0.1.0-alpha.9) or a ClusterTopologyBinding: both list the levels of the
// cluster, broadest first.
type Topology struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TopologySpec `json:"spec"`
}

// TopologySpec lists the levels of a cluster.
type TopologySpec struct {
	Levels []TopologyLevel `json:"levels"`

	// SchedulerTopologyBindings name topologies of schedulers that Grove did not make from the levels.
	SchedulerTopologyBindings []SchedulerTopologyBinding `json:"schedulerTopologyBindings,omitempty"`
}

// SchedulerTopologyBinding names the topology of one scheduler.
type SchedulerTopologyBinding struct {
	SchedulerName     string `json:"schedulerName"`
	TopologyReference string `json:"topologyReference"`
}

// KeyOf a domain is its node label; empty when the topology does not have it.
func (t *Topology) KeyOf(domain string) string {
	for _, level := range t.Spec.Levels {
		if level.Domain == domain {
			return level.Key
		}
	}
	return ""
}

// Domains of the levels, broadest first.
func (t *Topology) Domains() []string {
	domains := make([]string, 0, len(t.Spec.Levels))
	for _, level := range t.Spec.Levels {
		domains = append(domains, level.Domain)
	}
	return domains
}

// Broader reports whether domain a is broader than domain b. What the topology does not have is not.
func (t *Topology) Broader(a, b string) bool {
	domains := t.Domains()
	i, j := slices.Index(domains, a), slices.Index(domains, b)
	return i >= 0 && i < j
}

// DomainOf a node label; empty when no level has it.
func (t *Topology) DomainOf(key string) string {
	for _, level := range t.Spec.Levels {
		if level.Key == key {
			return level.Domain
		}
	}
	return ""
}

// Host is the index of the level that is a single machine; -1 when there is none.
func (t *Topology) Host() int {
	return slices.IndexFunc(t.Spec.Levels, func(level TopologyLevel) bool {
		return level.Domain == DomainHost || level.Key == corev1.LabelHostname
	})
}

// ReferenceOf a scheduler is its own topology; empty when it has the name of this one.
func (t *Topology) ReferenceOf(scheduler string) string {
	for _, binding := range t.Spec.SchedulerTopologyBindings {
		if binding.SchedulerName == scheduler {
			return binding.TopologyReference
		}
	}
	return ""
}

// TopologyLevel is one level: the name of its domain and the node label whose values are the domains.
type TopologyLevel struct {
	Domain string `json:"domain"`
	Key    string `json:"key"`
}

// Domains that are a machine, or part of one. Up to v0.1.0-alpha.8 Grove knows no other names for them.
const (
	DomainHost = "host"
	DomainNUMA = "numa"
)

// The condition of a PodCliqueSet that tells whether its topology levels exist. Its polarity is negative.
const (
	ConditionTopologyLevelsUnavailable = "TopologyLevelsUnavailable"
	ReasonClusterTopologyNotFound      = "ClusterTopologyNotFound"
)
