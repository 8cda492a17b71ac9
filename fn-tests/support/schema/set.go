package schema

import (
	"fmt"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Set holds the Validators of several kinds.
type Set map[gvk.GroupVersionKind]*Validator

// NewSet returns the Validators of all served versions of the definitions.
func NewSet(crds ...*extv1.CustomResourceDefinition) (Set, error) {
	set := Set{}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			if !version.Served {
				continue
			}
			validator, err := New(crd, version.Name)
			if err != nil {
				return nil, err
			}
			set[gvk.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}] = validator
		}
	}
	return set, nil
}

// For returns the Validator of the object's kind, or an error when the set has none.
func (s Set) For(object *unstructured.Unstructured) (*Validator, error) {
	validator, ok := s[object.GroupVersionKind()]
	if !ok {
		return nil, fmt.Errorf("no definition of %s", object.GroupVersionKind())
	}
	return validator, nil
}

// Validate returns every error in an object at its creation. A kind that is not in the set is an error too.
func (s Set) Validate(object *unstructured.Unstructured) field.ErrorList {
	validator, err := s.For(object)
	if err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("kind"), object.GetKind(), err.Error())}
	}
	return validator.Validate(object)
}
