package render

import (
	"bytes"
	"io"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// write objects as a stream of YAML documents. It writes either all of them or none.
func write(out io.Writer, objects []unstructured.Unstructured) error {
	var stream bytes.Buffer
	for _, o := range objects {
		doc, err := output.YAML(o.Object)
		if err != nil {
			return errors.Wrapf(err, "cannot marshal %s %q to YAML", o.GetKind(), o.GetName())
		}
		stream.WriteString("---\n")
		stream.Write(doc)
	}
	_, err := stream.WriteTo(out)
	return errors.Wrap(err, "cannot write output")
}

// merged is an object with the fields of another one, which take precedence. Lists are replaced as a whole.
func merged(into, from map[string]any) map[string]any {
	out := maps.Clone(into)
	for key, value := range from {
		nested, isObject := value.(map[string]any)
		if was, ok := out[key].(map[string]any); ok && isObject {
			out[key] = merged(was, nested)
			continue
		}
		out[key] = value
	}
	return out
}
