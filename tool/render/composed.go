package render

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
)

// composed resource in the form in which Crossplane would apply it.
func (r *reconcile) composed(key string, desired *fnv1.Resource) (unstructured.Unstructured, error) {
	xr := r.xr
	cd := unstructured.Unstructured{Object: desired.GetResource().AsMap()}
	if cd.GetAPIVersion() == "" || cd.GetKind() == "" {
		return cd, errors.Errorf("composed resource %q has no apiVersion or no kind", key)
	}

	// An existing resource keeps its name, whatever the function returns.
	if o, ok := r.observed[key]; ok {
		cd.SetNamespace(o.GetNamespace())
		cd.SetName(o.GetName())
		cd.SetGenerateName(o.GetGenerateName())
	}
	if xr.GetNamespace() != "" {
		cd.SetNamespace(xr.GetNamespace())
	}
	if cd.GetName() == "" && cd.GetGenerateName() == "" {
		cd.SetGenerateName(xr.GetLabels()[metadata.LabelComposite] + "-")
	}
	if cd.GetName() == "" {
		cd.SetName(childName(cd.GetGenerateName(), string(xr.GetUID())+key))
	}
	if !validName(cd.GetName(), cd.GroupVersionKind().Group) {
		return cd, errors.Errorf("cannot apply composed resource %q because its name %q is not a valid RFC 1123 subdomain name", key, cd.GetName())
	}

	setOwnership(&cd, key, xr)
	if c := metav1.GetControllerOf(&cd); c.UID != xr.GetUID() {
		return cd, errors.Errorf("cannot render metadata for composed resource %q: it is already controlled by %s %s", key, c.Kind, c.Name)
	}
	return cd, nil
}

// setOwnership marks a composed resource with its composite resource.
func setOwnership(cd *unstructured.Unstructured, key string, xr *unstructured.Unstructured) {
	annotations := cd.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[metadata.AnnotationCompositionResourceName] = key
	cd.SetAnnotations(annotations)

	labels := cd.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[metadata.LabelComposite] = xr.GetLabels()[metadata.LabelComposite]
	if name, ns := xr.GetLabels()[metadata.LabelClaimName], xr.GetLabels()[metadata.LabelClaimNamespace]; name != "" && ns != "" {
		labels[metadata.LabelClaimName], labels[metadata.LabelClaimNamespace] = name, ns
	}
	cd.SetLabels(labels)

	owners := slices.DeleteFunc(cd.GetOwnerReferences(), func(r metav1.OwnerReference) bool { return r.UID == xr.GetUID() })
	cd.SetOwnerReferences(append(owners, *metav1.NewControllerRef(xr, xr.GroupVersionKind())))
}

// childName is the name that Crossplane gives to a composed resource without one. It is always the same for a composite resource and key,
// and never longer than a label may be.
func childName(prefix, identity string) string {
	sum := sha256.Sum256([]byte(identity))
	suffix := hex.EncodeToString(sum[:])[:12]

	if prefix != "" && !strings.HasSuffix(prefix, "-") {
		prefix += "-"
	}
	room := validation.DNS1123LabelMaxLength - len(suffix)
	if len(prefix) > room {
		prefix = prefix[:room]
		if !strings.HasSuffix(prefix, "-") {
			prefix = prefix[:room-1] + "-"
		}
	}
	return prefix + suffix
}

// validName reports whether any Kubernetes object may have a name. Names of RBAC objects may also contain colons.
func validName(name, group string) bool {
	if group == "rbac.authorization.k8s.io" {
		name = strings.ReplaceAll(name, ":", "")
	}
	return len(validation.IsDNS1123Subdomain(name)) == 0
}
