package adopt

import (
	"strings"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// owned is an object with the owner reference of an object of the operator.
type owned struct {
	object *unstructured.Unstructured
	index  int
}

// ownedBy are the objects with a reference to an owner of the operator, once for each.
func ownedBy(originals []*unstructured.Unstructured) []owned {
	var all []owned
	for _, o := range originals {
		for i, ref := range o.GetOwnerReferences() {
			if groupOf(ref.APIVersion) == v1alpha1.Group {
				all = append(all, owned{object: o, index: i})
			}
		}
	}
	return all
}

func (o owned) reference() metav1.OwnerReference { return o.object.GetOwnerReferences()[o.index] }

// mistakes in what identifies an object and its owner. Whoever may write an object writes its owner references, and the API server accepts any text
// as the kind, name and UID of an owner.
// https://github.com/kubernetes/apimachinery/blob/v0.36.0/pkg/api/validation/objectmeta.go
func (o owned) mistakes() field.ErrorList {
	ref := o.reference()
	path := field.NewPath("metadata", "ownerReferences").Index(o.index)
	errs := identityErrors(nil, path.Root().Child("name"), o.object.GetAPIVersion(), o.object.GetKind(), o.object.GetName())
	errs = append(errs, identityErrors(path, path.Child("name"), ref.APIVersion, ref.Kind, ref.Name)...)
	if id, err := uuid.Parse(string(ref.UID)); err != nil || id.String() != string(ref.UID) {
		errs = append(errs, field.Invalid(path.Child("uid"), ref.UID, "must be a UUID"))
	}
	return errs
}

// identityErrors of what has a version and a kind below one path, and a name at another.
func identityErrors(path, namePath *field.Path, apiVersion, kind, name string) field.ErrorList {
	var errs field.ErrorList
	if version, err := schema.ParseGroupVersion(apiVersion); err != nil || len(validation.IsDNS1035Label(version.Version)) > 0 ||
		version.Group != "" && len(validation.IsDNS1123Subdomain(version.Group)) > 0 {
		errs = append(errs, field.Invalid(path.Child("apiVersion"), apiVersion, "must be a version of an API"))
	}
	if len(validation.IsDNS1035Label(strings.ToLower(kind))) > 0 {
		errs = append(errs, field.Invalid(path.Child("kind"), kind, "must be a kind"))
	}
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		errs = append(errs, field.Invalid(namePath, name, "must be the name of an object"))
	}
	return errs
}

// nameProblem of a graph whose namespace or name is none that an object can have.
func nameProblem(dgd *unstructured.Unstructured) string {
	metadata := field.NewPath("metadata")
	var errs field.ErrorList
	if len(validation.IsDNS1123Label(dgd.GetNamespace())) > 0 {
		errs = append(errs, field.Invalid(metadata.Child("namespace"), dgd.GetNamespace(), "must be the name of a namespace"))
	}
	if len(validation.IsDNS1123Subdomain(dgd.GetName())) > 0 {
		errs = append(errs, field.Invalid(metadata.Child("name"), dgd.GetName(), "must be the name of an object"))
	}
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

// mistaken describes an object with mistakes.
func (o owned) mistaken() string {
	return called(o.object) + ": " + o.mistakes().ToAggregate().Error()
}
