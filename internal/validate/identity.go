package validate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// identity checks the values by which pods are found: they become labels of pods and names of Services.
func (v *validator) identity() {
	path := field.NewPath("metadata", "name")
	// The length of the name is limited by that of a label, which is a separate error, and so is a name that no object can have.
	short := strings.TrimRight(v.graph.Name[:min(len(v.graph.Name), validation.DNS1035LabelMaxLength)], "-")
	if v.options.Grove && len(validation.IsDNS1035Label(short)) > 0 && len(validation.IsDNS1123Subdomain(v.graph.Name)) == 0 {
		v.invalid(path, v.graph.Name, "must begin with a letter and contain no dots on Grove, because its headless Service is named %s-0; rename the graph", v.graph.Name)
	}
	v.dynamoNamespace(path)
	if framework := v.graph.Spec.BackendFramework; framework != "" {
		v.framework(specPath().Child("backendFramework"), framework)
	}
	if value, ok := v.graph.Annotations[metadata.AnnotationEnableMetrics]; ok {
		v.oneOf(field.NewPath("metadata", "annotations").Key(metadata.AnnotationEnableMetrics), value, "false", "true")
	}
	for _, component := range v.graph.ComponentsByName() {
		fieldPath := graph.ComponentsPath().Key(component.Name)
		// Components only have known types.
		if v.graph.Form == graph.Services {
			v.malformed(fieldPath.Child("type"), component.ComponentType, validation.IsValidLabelValue(component.ComponentType))
		}
		v.malformed(fieldPath.Child("subComponentType"), component.SubComponentType, validation.IsValidLabelValue(component.SubComponentType))
		v.reservedName(fieldPath, component.Name)
	}
}

// excessOfDynamoNamespace is by how many characters <namespace>-<graph> is longer than the label of pods that it becomes. 0 means that it fits, or
// all components are in the global Dynamo namespace.
func (v *validator) excessOfDynamoNamespace() int {
	for _, component := range v.graph.Components {
		if !component.GlobalDynamoNamespace {
			return max(0, len(v.graph.Names().DynamoNamespace(v.graph.Namespace))-validation.LabelValueMaxLength)
		}
	}
	return 0
}

// dynamoNamespace checks <namespace>-<graph>, which is a label of pods.
func (v *validator) dynamoNamespace(path *field.Path) {
	if excess := v.excessOfDynamoNamespace(); excess > 0 {
		v.invalid(path, v.graph.Name, "forms, together with namespace %s, a label of more than %d characters; shorten one of the two by %d characters", v.graph.Namespace, validation.LabelValueMaxLength, excess)
	}
}

// reservedName refuses a component whose Service would have the same name as another one of the graph.
func (v *validator) reservedName(path *field.Path, name string) {
	if v.options.Grove && names.Lower(name) == "0" {
		v.invalid(path, name, "its Service would have the name of Grove's headless Service for the graph; rename the {{component}}")
	}
	for _, other := range v.graph.ComponentNames() {
		if ref := v.graph.Component(other).ModelRef; ref != nil && v.graph.Names().Service(name) == v.graph.Names().ModelService(ref.Name) {
			v.invalid(path, name, "its Service would have the name of the Service of model %s; rename the {{component}}", ref.Name)
			return
		}
	}
}

func (v *validator) oneOf(path *field.Path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		v.add(message.NotSupported(path, value, allowed))
	}
}
