package validate

// unsupported refuses what cannot be carried out, and would change the graph too much to leave out.
func (v *validator) unsupported() {
	if e := v.graph.Spec.Experimental; e != nil && e.KVTransferPolicy != nil {
		v.forbidden(specPath().Child("experimental", "kvTransferPolicy"), "is not supported, because it requires the Dynamo operator, which labels pods with the domain of their node")
	}
}
