package crossplane

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/apiserver"
)

// setManagers writes metadata.managedFields as server-side apply does: Crossplane manages the fields that it has applied, and a controller
// manages the status. Functions get this field, which doubles the size of an object.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/
func setManagers(object, applied *unstructured.Unstructured) {
	owners := map[string]any{}
	for _, owner := range object.GetOwnerReferences() {
		owners[elementOf("uid", string(owner.UID))] = map[string]any{}
	}
	owned := map[string]any{"f:metadata": map[string]any{
		"f:annotations":     fieldsOf(stringsOf(object.GetAnnotations())),
		"f:labels":          fieldsOf(stringsOf(object.GetLabels())),
		"f:ownerReferences": owners,
	}}
	for field, value := range applied.Object {
		if object.GetKind() == "ControllerRevision" && field == "data" {
			// The API server does not track these fields.
			value = nil
		}
		if field != "apiVersion" && field != "kind" && field != "metadata" && field != "status" {
			owned["f:"+field] = fieldsOf(value)
		}
	}
	managers := []any{manager(object, "apiextensions.crossplane.io/composed/0123456789abcdef0123456789abcdef", "Apply", "", owned)}
	if status, ok := object.Object["status"]; ok {
		fields := map[string]any{"f:status": fieldsOf(status)}
		managers = append(managers, manager(object, "controller-manager", "Update", "status", fields))
	}
	// The value only consists of maps, slices and strings.
	_ = unstructured.SetNestedSlice(object.Object, managers, "metadata", "managedFields")
}

// setCompositeManagers writes metadata.managedFields of a composite resource: the user manages the spec, except for Crossplane's own
// fields, and Crossplane manages the status that functions desire.
func setCompositeManagers(xr *unstructured.Unstructured, status map[string]any) {
	const crossplane = "apiextensions.crossplane.io/composite"
	spec, _, _ := unstructured.NestedMap(xr.Object, "spec")
	machinery := map[string]any{"f:crossplane": fieldsOf(spec["crossplane"])}
	delete(spec, "crossplane")
	managers := []any{
		manager(xr, "kubectl-client-side-apply", "Update", "", map[string]any{"f:spec": fieldsOf(spec)}),
		manager(xr, crossplane, "Apply", "", map[string]any{"f:spec": machinery}),
		manager(xr, crossplane, "Apply", "status", map[string]any{"f:status": fieldsOf(status)}),
	}
	// The value only consists of maps, slices and strings.
	_ = unstructured.SetNestedSlice(xr.Object, managers, "metadata", "managedFields")
}

func manager(object *unstructured.Unstructured, name, operation, subresource string, fields map[string]any) map[string]any {
	out := map[string]any{
		"manager": name, "operation": operation, "apiVersion": object.GetAPIVersion(), "time": apiserver.Created,
		"fieldsType": "FieldsV1", "fieldsV1": fields,
	}
	if subresource != "" {
		out["subresource"] = subresource
	}
	return out
}

// fieldsOf a value is the set of its fields that a manager owns. A list whose elements all have a name is considered to be merged by name,
// such as containers, ports and environment variables. Any other list is owned as a whole.
func fieldsOf(value any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, field := range v {
			out["f:"+key] = fieldsOf(field)
		}
		return out
	case []any:
		out := make(map[string]any, len(v))
		for _, element := range v {
			fields, _ := element.(map[string]any)
			name, _ := fields["name"].(string)
			if name == "" {
				return map[string]any{}
			}
			item := fieldsOf(fields)
			item["."] = map[string]any{}
			out[elementOf("name", name)] = item
		}
		return out
	default:
		return map[string]any{}
	}
}

// elementOf a list whose elements are identified by a field.
func elementOf(field, value string) string { return fmt.Sprintf("k:{%q:%q}", field, value) }

func stringsOf(m map[string]string) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		out[key] = value
	}
	return out
}
