package preview

import (
	"crypto/sha256"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// ofClaims are the fields of a spec that Crossplane adds to claims, and to no composite resource with a namespace.
// https://github.com/crossplane/crossplane-runtime/blob/v2.3.1/pkg/xcrd/schemas.go
func ofClaims() []string {
	return []string{
		"compositeDeletePolicy", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector", "compositionSelector",
		"compositionUpdatePolicy", "resourceRef", "writeConnectionSecretToRef",
	}
}

// isClaim reports whether a graph is a claim. The one that exists, if any, shows that better than the manifest that replaces it.
func (p *Previewer) isClaim(o *manifest.Object, existing *State) bool {
	if o.GetKind() != v1alpha1.Kind {
		return false
	}
	if existing != nil && existing.CompositeResource.GetKind() == v1alpha1.CompositeKind {
		return true
	}
	if p.Claims || p.Composition != nil && p.Composition.Spec.CompositeTypeRef.Kind == v1alpha1.CompositeKind {
		return true
	}
	spec, _, _ := unstructured.NestedMap(o.Object, "spec")
	return slices.ContainsFunc(ofClaims(), func(name string) bool { _, has := spec[name]; return has })
}

// compositeOf a claim is what Crossplane creates for it. Its name ends with five characters that Crossplane chooses at random. Here they
// depend on the name of the claim, so that previews are equal.
// https://github.com/crossplane/crossplane/blob/v2.4.0/internal/controller/apiextensions/claim/syncer_ssa.go
func compositeOf(claim *unstructured.Unstructured) *unstructured.Unstructured {
	xr := claim.DeepCopy()
	xr.SetKind(v1alpha1.CompositeKind)
	xr.SetName(claim.GetName() + "-" + suffix(claim.GetNamespace()+"/"+claim.GetName()))
	xr.SetNamespace("")
	labels := map[string]string{}
	maps.Copy(labels, claim.GetLabels())
	labels[metadata.LabelClaimName], labels[metadata.LabelClaimNamespace] = claim.GetName(), claim.GetNamespace()
	labels[metadata.LabelComposite] = xr.GetName()
	xr.SetLabels(labels)
	spec, isObject := xr.Object["spec"].(map[string]any)
	if !isObject {
		return xr
	}
	// These stay with the claim.
	for _, name := range []string{"compositeDeletePolicy", "resourceRef", "writeConnectionSecretToRef"} {
		delete(spec, name)
	}
	spec["claimRef"] = map[string]any{
		"apiVersion": claim.GetAPIVersion(), "kind": claim.GetKind(), "name": claim.GetName(), "namespace": claim.GetNamespace(),
	}
	return xr
}

// suffix of five characters, of those that Kubernetes uses in generated names.
func suffix(name string) string {
	const alphabet = "bcdfghjklmnpqrstvwxz2456789"
	sum := sha256.Sum256([]byte(name))
	text := make([]byte, 5)
	for i := range text {
		text[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(text)
}
