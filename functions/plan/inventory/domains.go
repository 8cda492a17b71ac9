package inventory

import (
	"maps"
	"slices"

	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// domains are the NVLink domains of the graph, the Usages that protect them, and the claim templates that the driver creates.
func (m *missing) domains() {
	switch m.Plan.MNNVL.Mode {
	case graphplan.MNNVLAuto:
		if m.perReplica() {
			m.replicaDomains()
			return
		}
		m.domain(Object{Key: names.KeyComputeDomain, Name: m.Graph.Names().ComputeDomain()})
		m.usages()
	case graphplan.MNNVLGrove:
		for _, name := range m.groveDomains() {
			m.domain(Object{Key: names.KeyPodCliqueSet, Name: name, Maker: MakerGrove})
		}
	case graphplan.MNNVLDisabled:
	}
}

func (m *missing) perReplica() bool {
	return m.Plan.MNNVL.Scope == graphplan.ScopeReplica && m.Plan.Orchestrator != graphplan.Grove
}

func (m *missing) domain(o Object) {
	o.Kind = computedomainv1beta1.Kind
	m.add(o)
	o.Kind, o.Maker = KindClaimTemplate, MakerDriver
	m.add(o)
}

// usages protect the domain of the graph from each of the workloads that use it.
func (m *missing) usages() {
	n := m.Graph.Names()
	for _, name := range slices.Sorted(maps.Keys(m.Plan.MNNVL.Members)) {
		component, ok := m.Graph.Components[name]
		switch {
		case !ok:
		case m.Plan.Orchestrator == graphplan.Grove:
			m.addOnce(Object{Key: names.KeyUsage(names.KeyComputeDomain), Name: n.ComputeDomain()})
		case component.IsMultinode():
			for i := range m.sets(name) {
				m.ofComponent(name, names.KeyLeaderWorkerSetUsage(name, i), n.LeaderWorkerSetUsage(name, i))
			}
		default:
			m.ofComponent(name, names.KeyDeploymentUsage(name), n.DeploymentUsage(name))
		}
	}
}

// replicaDomains are the domains of the replicas of multinode components, and the Usages that protect them.
func (m *missing) replicaDomains() {
	for _, name := range slices.Sorted(maps.Keys(m.Plan.MNNVL.Members)) {
		component, ok := m.Graph.Components[name]
		if !ok || !component.IsMultinode() {
			continue
		}
		for i := range m.sets(name) {
			key, object := names.KeyReplicaComputeDomain(name, i), m.Graph.Names().Replica(name, i)
			m.domain(Object{Key: key, Name: object, Component: name})
			m.ofComponent(name, names.KeyUsage(key), object)
		}
	}
}

// groveDomains are the names of the domains that Grove creates: one for the PodCliqueSet up to v0.1.0-alpha.8, one for each group in later
// versions.
func (m *missing) groveDomains() []string {
	p := m.Plan.Grove
	if p == nil {
		return nil
	}
	if p.AutoMNNVL == autoMNNVLEnabled {
		return []string{m.Graph.Names().ComputeDomain()}
	}
	var all []string
	for _, group := range append(slices.Collect(maps.Values(p.MNNVLGroups)), p.MNNVLGroup) {
		if group != "" && group != noMNNVLGroup {
			all = append(all, m.Graph.Names().ComputeDomain()+"-"+group)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Values of Grove's annotations about multi-node NVLink.
const (
	autoMNNVLEnabled = "enabled"
	noMNNVLGroup     = "none"
)
