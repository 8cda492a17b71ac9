package grovev1alpha1

import (
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

// The condition of a PodCliqueSet that tells whether its topology levels exist. Its polarity is negative.
const (
	ConditionTopologyLevelsUnavailable = "TopologyLevelsUnavailable"
	ReasonClusterTopologyNotFound      = "ClusterTopologyNotFound"
)
