package inventory

import (
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/apis/networking"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/exposure"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// foundation are the objects of step foundation.
func (m *missing) foundation() {
	m.rbac()
	m.each(func(component *graph.Component) {
		m.services(component)
		m.exposures(component)
		if component.SharesGPUs() {
			m.ofComponent(component.Name, names.KeyClaimTemplate(component.Name), m.Graph.Names().ClaimTemplate(component.Name))
		}
	})
	for _, adapter := range m.Graph.Adapters() {
		if m.Plan.Components[adapter.Unit[0].Component].ScalingAdapter {
			m.ofComponent(adapter.Component(), adapter.Key, adapter.Name)
		}
	}
	m.endpointPicker()
	if m.Plan.WaitForLeader {
		m.ofGraph(names.KeyWaitForLeader, m.Graph.Names().WaitForLeader())
	}
}

func (m *missing) services(component *graph.Component) {
	if pod.HasService(component, m.Plan.Components[component.Name]) {
		m.ofComponent(component.Name, names.KeyService(component.Name), m.Graph.Names().Service(component.Name))
	}
	if pod.HasRayService(component, m.Plan) {
		m.ofComponent(component.Name, names.KeyRayService(component.Name), m.Graph.Names().RayService(component.Name))
	}
	if ref := component.ModelRef; ref != nil {
		m.addOnce(Object{Key: names.KeyModelService(ref.Name), Name: m.Graph.Names().ModelService(ref.Name)})
	}
}

// addOnce adds an object that several components share.
func (m *missing) addOnce(o Object) {
	if !slices.ContainsFunc(m.objects, func(other Object) bool { return other.Key == o.Key }) {
		m.add(o)
	}
}

func (m *missing) exposures(component *graph.Component) {
	object := m.Graph.Names().Component(component.Name)
	switch kind := exposure.Of(component, m.Plan.IngressDefaults).Kind; {
	case kind == exposure.Ingress:
		m.ofComponent(component.Name, names.KeyIngress(component.Name), object)
	case kind == exposure.VirtualService && m.serves(networking.KindVirtualService):
		m.ofComponent(component.Name, names.KeyVirtualService(component.Name), object)
	case kind == exposure.HTTPRoute && m.serves(networking.KindHTTPRoute):
		m.ofComponent(component.Name, names.KeyHTTPRoute(component.Name), object)
	}
}

func (m *missing) serves(kind string) bool { return slices.Contains(m.Plan.Serves, kind) }

func (m *missing) rbac() {
	n := m.Graph.Names()
	if m.Plan.UsesKubernetesDiscovery() {
		m.ofGraph(names.KeyDiscoveryServiceAccount, n.DiscoveryServiceAccount())
		m.ofGraph(names.KeyDiscoveryRole, n.DiscoveryRole())
		m.ofGraph(names.KeyDiscoveryRoleBinding, n.DiscoveryRoleBinding())
	}
	if m.Graph.HasComponent(v1beta1.ComponentPlanner) {
		m.ofGraph(names.KeyPlannerServiceAccount, n.Planner())
		m.ofGraph(names.KeyPlannerRole, n.Planner())
		m.ofGraph(names.KeyPlannerRoleBinding, n.Planner())
	}
	if m.Graph.HasComponent(v1beta1.ComponentEPP) {
		m.ofGraph(names.KeyEPPServiceAccount, n.EPP())
		m.ofGraph(names.KeyEPPRole, n.EPP())
		m.ofGraph(names.KeyEPPRoleBinding, n.EPP())
	}
}

// endpointPicker are the objects of an Endpoint Picker in addition to its RBAC.
func (m *missing) endpointPicker() {
	if !m.Graph.HasComponent(v1beta1.ComponentEPP) {
		return
	}
	if m.serves(networking.KindInferencePool) {
		m.ofGraph(names.KeyEPPInferencePool, m.Graph.Names().InferencePool())
	}
	m.each(func(component *graph.Component) {
		if component.Type == v1beta1.ComponentEPP && m.serves(networking.KindDestinationRule) {
			m.addOnce(Object{Key: names.KeyEPPDestinationRule, Name: m.Graph.Names().Service(component.Name)})
		}
		if component.HasEPPConfig() {
			m.addOnce(Object{Key: names.KeyEPPConfigMap, Name: m.Graph.Names().EPPConfigMap()})
		}
	})
}
