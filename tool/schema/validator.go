// Package schema determines how an API server responds to a custom resource, from its CustomResourceDefinition: pruning, defaults, the
// OpenAPI schema, list keys and CEL rules, with the API server's own libraries.
package schema

import (
	"context"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// Validator validates the custom resources of one version of a definition, as the API server does with strict field validation. Unlike the
// API server, it validates the status together with everything else.
type Validator struct {
	gvk        schema.GroupVersionKind
	namespaced bool
	structural *structuralschema.Structural
	openAPI    validation.SchemaValidator
	rules      *cel.Validator
}

// New returns a Validator of one served version of a definition.
func New(crd *extv1.CustomResourceDefinition, version string) (*Validator, error) {
	internal, err := Internal(crd)
	if err != nil {
		return nil, err
	}
	props, err := apiextensions.GetSchemaForVersion(internal, version)
	if err != nil {
		return nil, errors.Errorf("cannot find a schema in CustomResourceDefinition %s: %w", crd.Name, err)
	}
	if props == nil {
		return nil, errors.Errorf("no schema of version %s in CustomResourceDefinition %s", version, crd.Name)
	}
	structural, err := structuralschema.NewStructural(props.OpenAPIV3Schema)
	if err != nil {
		return nil, errors.Errorf("schema of CustomResourceDefinition %s is not structural: %w", crd.Name, err)
	}
	openAPI, _, err := validation.NewSchemaValidator(props.OpenAPIV3Schema)
	if err != nil {
		return nil, errors.Errorf("cannot use the schema of CustomResourceDefinition %s: %w", crd.Name, err)
	}
	return &Validator{
		gvk:        schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind},
		namespaced: crd.Spec.Scope == extv1.NamespaceScoped,
		structural: structural,
		openAPI:    openAPI,
		rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
	}, nil
}

// Validate returns all errors in an object at its creation, including unknown fields.
func (v *Validator) Validate(object *unstructured.Unstructured) field.ErrorList {
	_, errs := v.Admit(object, nil)
	return errs
}

// ValidateUpdate returns all errors in an object that replaces old.
func (v *Validator) ValidateUpdate(object, old *unstructured.Unstructured) field.ErrorList {
	_, errs := v.Admit(object, old)
	return errs
}

// Admit returns the object as it would be stored: without unknown fields and nulls, and with defaults. Old is nil at creation. The
// arguments are not changed.
func (v *Validator) Admit(object, old *unstructured.Unstructured) (*unstructured.Unstructured, field.ErrorList) {
	admitted, errs := v.admit(object, old)
	for _, e := range errs {
		e.Field = strict.PrintablePath(e.Field)
	}
	return admitted, errs
}

func (v *Validator) admit(object, old *unstructured.Unstructured) (*unstructured.Unstructured, field.ErrorList) {
	object, errs := v.decode(object)
	if object == nil {
		return nil, errs
	}
	if old == nil {
		return object, append(errs, v.create(object)...)
	}
	old, oldErrs := v.decode(old)
	if old == nil {
		return nil, oldErrs
	}
	return object, append(errs, v.update(object, old)...)
}

// decode processes the body of a request like the API server, and reports the fields that would be dropped.
func (v *Validator) decode(object *unstructured.Unstructured) (*unstructured.Unstructured, field.ErrorList) {
	content, _ := clone(object.Object).(map[string]any)
	object = &unstructured.Unstructured{Object: content}
	if gvk := object.GroupVersionKind(); gvk != v.gvk {
		return nil, field.ErrorList{field.NotSupported(field.NewPath("kind"), gvk.String(), []string{v.gvk.String()})}
	}
	if v.namespaced && object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	if err := objectmeta.Coerce(nil, content, v.structural, true, false); err != nil {
		return nil, field.ErrorList{err}
	}

	var errs field.ErrorList
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range pruning.PruneWithOptions(content, v.structural, true, options) {
		errs = append(errs, field.Forbidden(field.NewPath(path), "unknown field"))
	}
	// A key without a value counts as absent, and gets the default if there is one.
	defaulting.PruneNonNullableNullsWithoutDefaults(content, v.structural)
	defaulting.Default(content, v.structural)
	return object, errs
}

func (v *Validator) create(object *unstructured.Unstructured) field.ErrorList {
	errs := metavalidation.ValidateObjectMetaAccessor(object, v.namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	errs = append(errs, validation.ValidateCustomResource(nil, object.Object, v.openAPI)...)
	errs = append(errs, objectmeta.Validate(nil, object.Object, v.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.structural, object.Object)...)
	if blocked(errs) || v.rules == nil {
		return errs
	}
	broken, _ := v.rules.Validate(context.Background(), nil, v.structural, object.Object, nil, celconfig.RuntimeCELCostBudget)
	return append(errs, broken...)
}

func (v *Validator) update(object, old *unstructured.Unstructured) field.ErrorList {
	// An update is not refused for errors that existed before and have not changed.
	correlated := common.NewCorrelatedObject(object.Object, old.Object, &model.Structural{Structural: v.structural})

	errs := validation.ValidateCustomResourceUpdate(nil, object.Object, old.Object, v.openAPI, validation.WithRatcheting(correlated))
	errs = append(errs, objectmeta.Validate(nil, object.Object, v.structural, false)...)
	if len(listtype.ValidateListSetsAndMaps(nil, v.structural, old.Object)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.structural, object.Object)...)
	}
	if blocked(errs) || v.rules == nil {
		return errs
	}
	broken, _ := v.rules.Validate(context.Background(), nil, v.structural, object.Object, old.Object,
		celconfig.RuntimeCELCostBudget, cel.WithRatcheting(correlated))
	return append(errs, broken...)
}

// blocked reports whether errs keep the API server from evaluating CEL rules.
func blocked(errs field.ErrorList) bool {
	blocking := []field.ErrorType{
		field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
	}
	return slices.ContainsFunc(errs, func(err *field.Error) bool { return slices.Contains(blocking, err.Type) })
}

// clone copies a value, with whole numbers as int64, as JSON does.
func clone(value any) any {
	switch v := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key, element := range v {
			copied[key] = clone(element)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, element := range v {
			copied[i] = clone(element)
		}
		return copied
	case int:
		return int64(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return int64(v)
		}
		return v
	default:
		return v
	}
}
