package render

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/document"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/kustomization"
)

// Objects in a YAML file, in the files of a directory, or from a reader if the path is -.
func Objects(path string, in io.Reader) ([]unstructured.Unstructured, error) {
	if path == stdin {
		return decodeStream(in)
	}
	return objects(path)
}

// objects in a YAML file, or in the .yaml and .yml files of a directory in the order of their names, or of its kustomization.
// Subdirectories are not read.
func objects(path string) ([]unstructured.Unstructured, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // Only open for reading.
		return decodeStream(f)
	}

	if file := kustomization.In(path); file != "" {
		built, err := kustomization.Build(file)
		if err != nil {
			return nil, err //nolint:wrapcheck // It says what cannot be built.
		}
		return decodeStream(bytes.NewReader(built))
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}

	var out []unstructured.Unstructured
	for _, entry := range entries {
		if entry.IsDir() || !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(entry.Name())) {
			continue
		}
		more, err := objects(filepath.Join(path, entry.Name()))
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read %s", entry.Name())
		}
		out = append(out, more...)
	}
	if len(out) == 0 {
		return nil, errors.New("no objects found in .yaml and .yml files")
	}
	return out, nil
}

// single is the only object that was loaded.
func single(all []unstructured.Unstructured, err error) (*unstructured.Unstructured, error) {
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, errors.Errorf("expected exactly one object, found %d", len(all))
	}
	return &all[0], nil
}

// decodeStream decodes a stream of YAML documents, and skips those that only contain comments.
func decodeStream(in io.Reader) ([]unstructured.Unstructured, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, errors.Wrap(err, "cannot read YAML stream")
	}
	var out []unstructured.Unstructured
	for i, d := range document.Split(data) {
		o, err := decode(d)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot parse YAML document %d", i+1)
		}
		if o != nil {
			out = append(out, *o)
		}
	}
	return out, nil
}

// decode one YAML document. nil if it is empty. A duplicate key is an error, because one of the two values would be lost.
func decode(d document.Document) (*unstructured.Unstructured, error) {
	content, err := d.ReadStrict()
	if err != nil {
		return nil, err
	}
	if content.Value == nil {
		return nil, nil //nolint:nilnil // Nothing is neither an object nor an error.
	}
	object, ok := content.Value.(map[string]any)
	if !ok {
		return nil, errors.New("not a Kubernetes object: it must be a mapping with apiVersion, kind and metadata")
	}
	o := &unstructured.Unstructured{Object: object}
	if o.GetAPIVersion() == "" || o.GetKind() == "" {
		return nil, errors.New("not a Kubernetes object: it has no apiVersion or no kind")
	}
	return o, nil
}
