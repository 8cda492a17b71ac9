package harness

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// KeyAnnotation contains the composition resource name of a composed resource.
const KeyAnnotation = "crossplane.io/composition-resource-name"

// Key is the composition resource name of a composed resource.
func Key(object *unstructured.Unstructured) string { return object.GetAnnotations()[KeyAnnotation] }

// Parse the objects of a YAML stream.
func Parse(stream []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read a document: %w", err)
		}
		data, err := yaml.YAMLToJSON(document)
		if err != nil {
			return nil, fmt.Errorf("cannot parse a document: %w", err)
		}
		object := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal(data, &object.Object); err != nil {
			return nil, fmt.Errorf("cannot parse a document: %w", err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// Read the objects of a file, whose path is relative to the root of the repository or absolute.
func Read(t testing.TB, path string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := Parse(File(t, path))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return objects
}

// Write objects to a temporary file, and return its path.
func Write(t testing.TB, objects ...*unstructured.Unstructured) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(path, Format(t, objects...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Format objects as a YAML stream.
func Format(t testing.TB, objects ...*unstructured.Unstructured) []byte {
	t.Helper()
	var stream bytes.Buffer
	for _, object := range objects {
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		stream.WriteString("---\n")
		stream.Write(document)
	}
	return stream.Bytes()
}
