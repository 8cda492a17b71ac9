package render

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/google/uuid"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// prepare a composite resource in the form that it has when Crossplane starts a pipeline: with an identity, with references to its
// Composition and to the observed resources, and with the label for its composed resources. References that it has to other objects stay, as
// Crossplane keeps those to objects that were deleted: functions tell by them that there were some.
func prepare(xr *unstructured.Unstructured, composition string, observed []unstructured.Unstructured) (*unstructured.Unstructured, error) {
	out := xr.DeepCopy()
	if out.GetUID() == "" {
		// The UID is derived from the identity of the resource, so that it is always the same. An existing one is kept, because observed
		// resources may refer to it as their controller.
		id := out.GroupVersionKind().String() + "\x00" + out.GetNamespace() + "\x00" + out.GetName()
		out.SetUID(types.UID(uuid.NewSHA1(uuid.Nil, []byte(id)).String()))
	}
	out.SetResourceVersion("999")

	if out.GetLabels()[metadata.LabelComposite] == "" {
		l := out.GetLabels()
		if l == nil {
			l = map[string]string{}
		}
		l[metadata.LabelComposite] = out.GetName()
		out.SetLabels(l)
	}

	// A spec that is not an object is left for the functions to refuse.
	if spec, ok := out.Object["spec"]; ok {
		if _, ok := spec.(map[string]any); !ok {
			return out, nil
		}
	}
	if err := unstructured.SetNestedField(out.Object, composition, "spec", "crossplane", "compositionRef", "name"); err != nil {
		return nil, errors.Wrap(err, "cannot set composition reference")
	}
	if len(observed) == 0 {
		return out, nil
	}
	refs, _, _ := unstructured.NestedSlice(out.Object, "spec", "crossplane", "resourceRefs")
	for _, ref := range references(observed, out.GetNamespace() != "") {
		if !slices.ContainsFunc(refs, func(own any) bool { return reflect.DeepEqual(own, ref) }) {
			refs = append(refs, ref)
		}
	}
	if err := unstructured.SetNestedSlice(out.Object, refs, "spec", "crossplane", "resourceRefs"); err != nil {
		return nil, errors.Wrap(err, "cannot set resource references")
	}
	return out, nil
}

// references to objects in the form of a composite resource. A namespaced composite resource only composes in its own namespace, so its
// references do not contain it.
func references(objects []unstructured.Unstructured, namespaced bool) []any {
	out := make([]any, 0, len(objects))
	for _, o := range objects {
		ref := map[string]any{"apiVersion": o.GetAPIVersion(), "kind": o.GetKind(), "name": o.GetName()}
		if !namespaced && o.GetNamespace() != "" {
			ref["namespace"] = o.GetNamespace()
		}
		out = append(out, ref)
	}
	return out
}

// sortedReferences are references in the order in which Crossplane stores them.
func sortedReferences(objects []unstructured.Unstructured, namespaced bool) []any {
	sorted := slices.Clone(objects)
	slices.SortStableFunc(sorted, func(a, b unstructured.Unstructured) int {
		key := func(o unstructured.Unstructured) string {
			ns := o.GetNamespace()
			if namespaced {
				ns = ""
			}
			return o.GetAPIVersion() + o.GetKind() + o.GetName() + ns
		}
		return cmp.Compare(key(a), key(b))
	})
	return references(sorted, namespaced)
}

// observedByKey checks observed resources as Crossplane does before it passes them to a function, and returns them by their composition
// resource name.
func observedByKey(xr *unstructured.Unstructured, observed []unstructured.Unstructured) (map[string]unstructured.Unstructured, error) {
	out := make(map[string]unstructured.Unstructured, len(observed))
	var errs []error
	for _, o := range observed {
		if c := metav1.GetControllerOf(&o); c != nil && c.UID != xr.GetUID() {
			errs = append(errs, errors.Errorf("observed resource %s has a controller ref but is not controlled by the XR", o.GetName()))
		}
		if xr.GetNamespace() != "" && o.GetNamespace() != xr.GetNamespace() {
			errs = append(errs, errors.Errorf("observed resource %s is not in the same namespace as the XR", o.GetName()))
		}
		key := o.GetAnnotations()[metadata.AnnotationCompositionResourceName]
		if key == "" {
			errs = append(errs, errors.Errorf("observed resource %s has no annotation %s", o.GetName(), metadata.AnnotationCompositionResourceName))
		}
		out[key] = o
	}
	return out, errors.Wrap(errors.Join(errs...), "invalid observed resources")
}
