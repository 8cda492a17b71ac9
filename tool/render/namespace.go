package render

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// EnterNamespace sets the namespace of a composite resource that has none: that of the flag, otherwise the default namespace of kubectl.
// The composite resource of a claim has no namespace, and its composed resources are in the namespace of the claim. As with kubectl, a
// contradicting flag is an error.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
func EnterNamespace(xr *unstructured.Unstructured, flag string) *field.Error {
	if flag != "" {
		for _, problem := range validation.IsDNS1123Label(flag) {
			return field.Invalid(field.NewPath("--namespace"), flag, message.WithoutPattern(problem))
		}
	}

	own, path := xr.GetNamespace(), field.NewPath("metadata", "namespace")
	claim, claimed, err := unstructured.NestedMap(xr.Object, "spec", "claimRef")
	if claimed = claimed && err == nil; claimed {
		own, _, _ = unstructured.NestedString(claim, "namespace")
		path = field.NewPath("spec", "claimRef", "namespace")
	}

	switch {
	case own != "" && flag != "" && own != flag:
		return field.Invalid(path, own, fmt.Sprintf("does not match --namespace=%s; pass --namespace=%s, or omit the flag", flag, own))
	case own == "" && !claimed:
		xr.SetNamespace(cmp.Or(flag, metav1.NamespaceDefault))
	}
	return nil
}
