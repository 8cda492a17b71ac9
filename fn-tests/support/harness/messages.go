package harness

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// beforeFatal is the text before the message of a Fatal result in the output of render.
var beforeFatal = regexp.MustCompile(`^.* returned a fatal result: `)

// Messages of a condition or a result, each of which is on a line of its own.
func Messages(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, "\n")
}

// Refusals are the errors because of which a graph was not rendered.
func (o *Output) Refusals() []string {
	if o.Err == nil {
		return nil
	}
	return Messages(strings.TrimSpace(beforeFatal.ReplaceAllString(o.Stderr, "")))
}

// Warnings about a rendered graph, from condition Accepted.
func (o *Output) Warnings() []string {
	for _, c := range o.Conditions() {
		if condition, ok := c.(map[string]any); ok && condition["type"] == "Accepted" {
			message, _ := condition["message"].(string)
			return Messages(message)
		}
	}
	return nil
}

// Conditions of the composite resource.
func (o *Output) Conditions() []any {
	if o.Composite == nil {
		return nil
	}
	all, _, _ := unstructured.NestedSlice(o.Composite.Object, "status", "conditions")
	return all
}
