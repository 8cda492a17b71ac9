package render

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// redacted replaces each value of a Secret. It is valid base64, so the API server still accepts the Secret.
const redacted = "REDACTED"

// Redact the values of Secrets. A rendered Secret contains a random key, or the key in use if it is observed: two previews of a graph would
// differ, and the log of a CI job would contain a key.
func Redact(objects []unstructured.Unstructured) {
	for _, o := range objects {
		if o.GetAPIVersion() != "v1" || o.GetKind() != "Secret" {
			continue
		}
		for _, field := range []string{"data", "stringData"} {
			values, ok := o.Object[field].(map[string]any)
			if !ok {
				continue
			}
			for key := range values {
				values[key] = redacted
			}
		}
	}
}
