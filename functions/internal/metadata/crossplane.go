package metadata

// What Crossplane writes on each object that it composes.
// https://docs.crossplane.io/latest/composition/compositions/
const (
	// LabelComposite is the name of the composite resource that the object is composed for; where that is composed itself,
	// of the outermost one.
	LabelComposite = "crossplane.io/composite"
	// AnnotationCompositionResourceName is the key of the object.
	AnnotationCompositionResourceName = "crossplane.io/composition-resource-name"
	// LabelInUse "true" has Crossplane asked before an object is deleted: it refuses while a Usage protects the object.
	LabelInUse = "crossplane.io/in-use"
)
