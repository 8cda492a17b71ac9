package render

import (
	"io"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// Objects in a YAML file, in the files of a directory or of its kustomization, or from a reader if the path is -. What is no object is an error,
// because it would be left out.
func Objects(path string, in io.Reader) ([]unstructured.Unstructured, error) {
	reader := manifest.Reader{In: in}
	found, err := reader.Find([]string{path})
	if err != nil {
		return nil, err //nolint:wrapcheck // It names the path.
	}
	if len(found) == 0 {
		return nil, errors.New("there are no manifests in it")
	}
	files, err := reader.Read(found)
	if err == nil {
		err = files.Err()
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // It names the file.
	}
	if files.Others > 0 {
		return nil, errors.Errorf("it has documents that are no Kubernetes objects (%d): each must be a mapping with apiVersion, kind and metadata", files.Others)
	}
	objects := make([]unstructured.Unstructured, 0, len(files.Objects))
	for i := range files.Objects {
		objects = append(objects, *files.Objects[i].Unstructured)
	}
	return objects, nil
}

// single is the only object in a file.
func single(path string, in io.Reader) (*unstructured.Unstructured, error) {
	all, err := Objects(path, in)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, errors.Errorf("expected exactly one object, found %d", len(all))
	}
	return &all[0], nil
}
