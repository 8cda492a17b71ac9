package crds

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
)

// BuiltInResource describes what the API server would refuse or drop in an object of one of its own kinds.
func BuiltInResource(object *unstructured.Unstructured) []string {
	data, err := json.Marshal(object.Object)
	if err != nil {
		return []string{err.Error()}
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	if _, _, err := decoder.Decode(data, nil, nil); err != nil {
		return []string{err.Error()}
	}
	validName := validation.NameIsDNSSubdomain
	if object.GetKind() == "Service" {
		validName = validation.NameIsDNS1035Label
	}
	var broken []string
	for _, err := range validation.ValidateObjectMetaAccessor(object, true, validName, field.NewPath("metadata")) {
		broken = append(broken, err.Error())
	}
	return broken
}
