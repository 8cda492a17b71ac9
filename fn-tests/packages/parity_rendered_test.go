package packages

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const (
	resourceNameAnnotation = "crossplane.io/composition-resource-name"
	compositeLabel         = "crossplane.io/composite"
)

// rendered is the output of a CLI, without what differs between the versions by design.
type rendered struct {
	// composed objects by composition resource name.
	composed map[string]map[string]any
	// status of the composite.
	status map[string]any
}

func parse(t *testing.T, name string, out output) rendered {
	t.Helper()

	if out.err != nil {
		t.Fatalf("%s: render failed: %v\n%s", name, out.err, out.stderr)
	}

	r := rendered{composed: map[string]map[string]any{}}
	for _, doc := range documents(out.stdout) {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
			t.Fatalf("%s: cannot parse the output: %v\n%s", name, err, doc)
		}
		if strings.HasSuffix(stringAt(object, "kind"), "DynamoGraphDeployment") {
			r.status = normaliseStatus(object)
			continue
		}
		key := stringAt(object, "metadata", "annotations", resourceNameAnnotation)
		if key == "" {
			t.Fatalf("%s: an object has no annotation %s:\n%s", name, resourceNameAnnotation, doc)
		}
		if _, ok := r.composed[key]; ok {
			t.Fatalf("%s: composition resource name %s appears twice", name, key)
		}
		r.composed[key] = normalise(object)
	}
	return r
}

// documents of a YAML stream.
func documents(stream string) []string {
	var docs []string
	for doc := range strings.SplitSeq("\n"+stream, "\n---\n") {
		if strings.TrimSpace(doc) != "" {
			docs = append(docs, doc)
		}
	}
	return docs
}

// normalise drops what each version of render invents: the prefix of generated names, the owner, whose UID no render knows, and the
// label of the composite. It redacts the values of Secrets, which only `dgd render` does itself.
func normalise(object map[string]any) map[string]any {
	if data, ok := object["data"].(map[string]any); ok && object["kind"] == "Secret" {
		for key := range data {
			data[key] = "REDACTED"
		}
	}
	metadata, ok := object["metadata"].(map[string]any)
	if !ok {
		return object
	}
	delete(metadata, "generateName")
	delete(metadata, "ownerReferences")
	if labels, ok := metadata["labels"].(map[string]any); ok {
		delete(labels, compositeLabel)
		if len(labels) == 0 {
			delete(metadata, "labels")
		}
	}
	return object
}

// normaliseStatus drops the times from the status of a composite, and the fields of a claim's composite that a render only writes if
// it is given the XRD.
func normaliseStatus(composite map[string]any) map[string]any {
	status, ok := composite["status"].(map[string]any)
	if !ok {
		return nil
	}
	delete(status, "claimConditionTypes")
	conditions, ok := status["conditions"].([]any)
	if !ok {
		return status
	}
	for _, condition := range conditions {
		if c, ok := condition.(map[string]any); ok {
			delete(c, "lastTransitionTime")
		}
	}
	return status
}

// stringAt returns the string at the path, or the empty string.
func stringAt(object map[string]any, path ...string) string {
	var value any = object
	for _, key := range path {
		m, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = m[key]
	}
	s, ok := value.(string)
	if !ok {
		return ""
	}
	return s
}
