package v1alpha1

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Topology is a ClusterTopology (before Grove v0.1.0-alpha.9) or a ClusterTopologyBinding. Both list the levels of the cluster, from broad
// to narrow.
type Topology struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TopologySpec `json:"spec"`
}

// TopologySpec lists the levels of a cluster.
type TopologySpec struct {
	Levels []TopologyLevel `json:"levels"`

	// SchedulerTopologyBindings refer to topologies of schedulers that Grove did not create from the levels.
	SchedulerTopologyBindings []SchedulerTopologyBinding `json:"schedulerTopologyBindings,omitempty"`
}

// SchedulerTopologyBinding refers to the topology of a scheduler.
type SchedulerTopologyBinding struct {
	SchedulerName     string `json:"schedulerName"`
	TopologyReference string `json:"topologyReference"`
}

// KeyOf returns the node label of a domain. It is empty if the topology does not have the domain.
func (t *Topology) KeyOf(domain string) string {
	for _, level := range t.Spec.Levels {
		if level.Domain == domain {
			return level.Key
		}
	}
	return ""
}

// Domains of the levels, from broad to narrow.
func (t *Topology) Domains() []string {
	domains := make([]string, 0, len(t.Spec.Levels))
	for _, level := range t.Spec.Levels {
		domains = append(domains, level.Domain)
	}
	return domains
}

// Broader reports whether domain a is broader than domain b. It is false for a domain that the topology does not have.
func (t *Topology) Broader(a, b string) bool {
	domains := t.Domains()
	i, j := slices.Index(domains, a), slices.Index(domains, b)
	return i >= 0 && i < j
}

// Host is the index of the level whose domains are single machines. -1 if there is none.
func (t *Topology) Host() int {
	return slices.IndexFunc(t.Spec.Levels, func(level TopologyLevel) bool {
		return level.Domain == DomainHost || level.Key == corev1.LabelHostname
	})
}

// ReferenceOf returns the name of a scheduler's own topology. It is empty if that has the name of this topology.
func (t *Topology) ReferenceOf(scheduler string) string {
	for _, binding := range t.Spec.SchedulerTopologyBindings {
		if binding.SchedulerName == scheduler {
			return binding.TopologyReference
		}
	}
	return ""
}

// TopologyLevel is the name of a domain, and the node label with its values.
type TopologyLevel struct {
	Domain string `json:"domain"`
	Key    string `json:"key"`
}

// Domains that are a machine or a part of one. Up to v0.1.0-alpha.8, Grove has no other names for them.
const (
	DomainHost = "host"
	DomainNUMA = "numa"
)

// The condition of a PodCliqueSet about the existence of its topology levels. It has negative polarity.
const (
	ConditionTopologyLevelsUnavailable = "TopologyLevelsUnavailable"
	ReasonClusterTopologyNotFound      = "ClusterTopologyNotFound"
)
