package compare

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// remedyOfClaim is what to do if the API server refuses a change of a claim.
const remedyOfClaim = "restore the value, or mount a claim with another name and move the data"

// refusal is why the API server refuses a change of a PersistentVolumeClaim, whose spec is immutable except that its volume can grow. It is empty if
// it does not. The rest of the graph is applied.
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims
func refusal(live, old, now *unstructured.Unstructured) string {
	before, after := specOf(cmp.Or(live, old)), specOf(now)
	from, to := sizeOf(before), sizeOf(after)
	if from != nil && to != nil && to.Cmp(*from) < 0 {
		return fmt.Sprintf("is refused by the API server, because a claim cannot shrink: spec.resources.requests.storage is %s, and would be %s; %s", from, to, remedyOfClaim)
	}
	var fields []string
	for _, f := range differences(specOf(old), after) {
		if name, _, _ := strings.Cut(f.Path, "."); name != "resources" && name != "volumeAttributesClassName" && !reflect.DeepEqual(f.Before, f.After) {
			fields = append(fields, "spec."+f.Path)
		}
	}
	if len(fields) > 0 {
		return fmt.Sprintf("is refused by the API server, because %s of a claim cannot change; %s", strings.Join(fields, ", "), remedyOfClaim)
	}
	return ""
}

func specOf(claim *unstructured.Unstructured) map[string]any {
	spec, _, _ := unstructured.NestedMap(claim.Object, "spec")
	return spec
}

// sizeOf a claim by its spec. nil if it cannot be read.
func sizeOf(spec map[string]any) *resource.Quantity {
	text, _, _ := unstructured.NestedString(spec, "resources", "requests", "storage")
	size, err := resource.ParseQuantity(text)
	if err != nil {
		return nil
	}
	return &size
}
