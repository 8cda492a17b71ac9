package validate

// unsupported refuses what cannot be carried out, and would change the graph too much to leave out.
func (v *validator) unsupported() {
	const override = "overrides of generated objects are not supported; use extraPodSpec, or set policy in the Composition"
	if v.graph.Spec.ProviderOverride != nil {
		v.forbidden(specPath().Child("providerOverride"), override)
	}
	if e := v.graph.Spec.Experimental; e != nil && e.KVTransferPolicy != nil {
		v.forbidden(specPath().Child("experimental", "kvTransferPolicy"), "is not supported, because it requires the Dynamo operator, which labels pods with the domain of their node")
	}
	for _, name := range v.graph.ServiceNames() {
		s := v.graph.Spec.Services[name]
		path := servicesPath().Key(name)
		if s.ProviderOverride != nil {
			v.forbidden(path.Child("providerOverride"), override)
		}
		if m := s.Multinode; m != nil && m.Leader != nil && m.Leader.ProviderOverride != nil {
			v.forbidden(path.Child("multinode", "leader", "providerOverride"), override)
		}
		if m := s.Multinode; m != nil && m.Worker != nil && m.Worker.ProviderOverride != nil {
			v.forbidden(path.Child("multinode", "worker", "providerOverride"), override)
		}
	}
}
