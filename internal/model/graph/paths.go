package graph

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// Paths of fields in the form with components. Messages are about them: see Graph.Field.

// ComponentsPath is the path of all components.
func ComponentsPath() *field.Path { return field.NewPath("spec", "components") }

// ComponentPath is the path of a component, or of a field of it.
func ComponentPath(name string, fields ...string) *field.Path {
	return fieldAt(ComponentsPath().Key(name), fields...)
}

// PodPath is the path of the pod of a component, given that of the component, or of a field of it.
func PodPath(component *field.Path, fields ...string) *field.Path {
	return fieldAt(component.Child("podTemplate", "spec"), fields...)
}

// PodMetadataPath is the path of the metadata of the pod of a component, given that of the component, or of a field of it.
func PodMetadataPath(component *field.Path, fields ...string) *field.Path {
	return fieldAt(component.Child("podTemplate", "metadata"), fields...)
}

// MainPath is the path of the main container of a component, given that of the component, or of a field of it.
func MainPath(component *field.Path, fields ...string) *field.Path {
	return fieldAt(PodPath(component, "containers").Key(v1beta1.MainContainer), fields...)
}

// BesidePath is the path of a container beside the main container, given its index among them.
func (c *Component) BesidePath(i int) *field.Path {
	if c.main >= 0 && i >= c.main {
		i++
	}
	return PodPath(ComponentPath(c.Name), "containers").Index(i)
}

func fieldAt(path *field.Path, fields ...string) *field.Path {
	for _, f := range fields {
		path = path.Child(f)
	}
	return path
}
