package preview

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/compositions"
	"github.com/dynamo-crossplane/configuration-dynamo/examples/cluster"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/render"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pipeline"
)

// embedded Composition of a kind.
func embedded(kind string) (*pipeline.Composition, error) {
	data := compositions.Graph
	if IsLegacy(kind) {
		data = compositions.Composite
	}
	objects, err := render.Objects("-", bytes.NewReader(data))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the embedded Composition")
	}
	return pipeline.CompositionOf(&objects[0])
}

// Clusters that are embedded, by name.
func Clusters() []string {
	entries, err := fs.ReadDir(cluster.Files, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return names
}

// ClusterNamed returns the objects of an embedded cluster, or of a file or folder if no cluster has this name.
func ClusterNamed(name string) ([]unstructured.Unstructured, error) {
	if slices.Contains(Clusters(), name) {
		data, err := cluster.Files.ReadFile(name + ".yaml")
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read the embedded cluster %s", name)
		}
		return render.Objects("-", bytes.NewReader(data))
	}
	objects, err := render.Objects(name, nil)
	return objects, errors.Wrapf(err, "cannot read cluster %q, which is neither a file nor one of %s", name, strings.Join(append(Clusters(), "live"), ", "))
}

// InputIn reads the input of step plan in a file.
func InputIn(path string) (map[string]any, error) {
	objects, err := render.Objects(path, nil)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read the input of step plan from %q", path)
	}
	if len(objects) != 1 || objects[0].GetKind() != "Input" {
		return nil, errors.Errorf("cannot read the input of step plan from %q: want one object of kind Input", path)
	}
	return objects[0].Object, nil
}
