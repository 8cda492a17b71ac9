package metadata

// Labels and annotations that Crossplane sets on each composed object.
// https://docs.crossplane.io/latest/composition/compositions/
const (
	// LabelComposite is the name of the composite resource of the object. If that is composed itself, it is the name of the outermost one.
	LabelComposite = "crossplane.io/composite"
	// LabelClaimName and LabelClaimNamespace are those of the claim of the composite resource, if it has one.
	LabelClaimName      = "crossplane.io/claim-name"
	LabelClaimNamespace = "crossplane.io/claim-namespace"
	// AnnotationCompositionResourceName is the key of the object.
	AnnotationCompositionResourceName = "crossplane.io/composition-resource-name"
	// LabelInUse "true" makes the API server ask Crossplane before an object is deleted. Crossplane refuses while a Usage protects the
	// object.
	LabelInUse = "crossplane.io/in-use"
)
