package render

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// redacted stands for each value of a Secret. It is valid base64, so that the Secret stays one that the API server accepts.
const redacted = "REDACTED"

// redact the values of Secrets. A rendered Secret holds a key that is random, or, where it is observed, the one in use: two
// previews of one graph would differ, and the log of a CI job would hold a key.
func redact(objects []unstructured.Unstructured) {
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
