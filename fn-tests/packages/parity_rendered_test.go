package packages

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const compositeLabel = "crossplane.io/composite"

// rendered is the output of a CLI, without what differs between the versions by design.
type rendered struct {
	// composed objects by composition resource name.
	composed map[string]*unstructured.Unstructured
	// status of the composite.
	status map[string]any
}

func parse(t *testing.T, name string, out output) rendered {
	t.Helper()
	if out.err != nil {
		t.Fatalf("%s: render failed: %v\n%s", name, out.err, out.stderr)
	}
	objects, err := harness.Parse([]byte(out.stdout))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out.stdout)
	}
	r := rendered{composed: map[string]*unstructured.Unstructured{}}
	for _, object := range objects {
		if strings.HasSuffix(object.GetKind(), "DynamoGraphDeployment") {
			r.status = statusOf(object)
			continue
		}
		key := harness.Key(object)
		if r.composed[key] != nil || key == "" {
			t.Fatalf("%s: %s %s has the same composition resource name as another object, or none: %q", name, object.GetKind(), object.GetName(), key)
		}
		r.composed[key] = normalise(object)
	}
	return r
}

// normalise drops what each version of render invents: the prefix of generated names, the owner, whose UID no render knows, and the
// label of the composite. It redacts the values of Secrets, which only `dgd render` does itself.
func normalise(object *unstructured.Unstructured) *unstructured.Unstructured {
	if data, ok := object.Object["data"].(map[string]any); ok && object.GetKind() == "Secret" {
		for key := range data {
			data[key] = "REDACTED"
		}
	}
	object.SetGenerateName("")
	object.SetOwnerReferences(nil)
	labels := object.GetLabels()
	delete(labels, compositeLabel)
	if len(labels) == 0 {
		labels = nil
	}
	object.SetLabels(labels)
	return object
}

// statusOf a composite, without times, and without the fields of a claim's composite that a render only writes if it is given the XRD.
func statusOf(composite *unstructured.Unstructured) map[string]any {
	status, _, _ := unstructured.NestedMap(composite.Object, "status")
	delete(status, "claimConditionTypes")
	conditions, _ := status["conditions"].([]any)
	for _, condition := range conditions {
		if c, ok := condition.(map[string]any); ok {
			delete(c, "lastTransitionTime")
		}
	}
	return status
}
