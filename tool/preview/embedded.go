package preview

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/compositions"
	"github.com/dynamo-crossplane/configuration-dynamo/examples/cluster"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/document"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// embedded Compositions, which are read once for all graphs.
type embedded struct {
	lock sync.Mutex
	read map[string]*pipeline.Composition
}

// compositionFor the kind of a graph.
func (e *embedded) compositionFor(kind string) (*pipeline.Composition, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if composition := e.read[kind]; composition != nil {
		return composition, nil
	}
	data := compositions.Graph
	if IsLegacy(kind) {
		data = compositions.Composite
	}
	objects, err := render.Objects("-", bytes.NewReader(data))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the embedded Composition")
	}
	composition, err := pipeline.CompositionOf(&objects[0])
	if err != nil {
		return nil, err //nolint:wrapcheck // It names the Composition.
	}
	// In the packages, it has the name of the chain's.
	composition.Metadata.Name = strings.TrimSuffix(composition.Metadata.Name, "-fused")
	if e.read == nil {
		e.read = map[string]*pipeline.Composition{}
	}
	e.read[kind] = composition
	return composition, nil
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
	if !errors.Is(err, fs.ErrNotExist) {
		return objects, errors.Wrapf(err, "cannot read the cluster from %q; want objects as %q prints them", name, "cluster record")
	}
	known := append(Clusters(), "live")
	if near := strict.Near(name, known); near != "" {
		return nil, errors.Errorf("there is no cluster %q; did you mean %q?", name, near)
	}
	return nil, errors.Wrapf(err, "cannot read cluster %q, which is neither a file nor one of %s", name, strings.Join(known, ", "))
}

// PoliciesIn a file or folder with the objects of a cluster are its EnvironmentConfigs, with the positions of their fields.
func PoliciesIn(path string) ([]manifest.Object, error) {
	files, err := manifest.Reader{Recursive: true}.Read([]string{path})
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read the policy from %q", path)
	}
	return slices.DeleteFunc(files.Objects, func(o manifest.Object) bool { return o.GetKind() != "EnvironmentConfig" }), nil
}

// fullCluster is the name of the embedded cluster that offers everything.
const fullCluster = "all"

// EmbeddedCluster is an embedded cluster, of which it is known which kinds it serves. nil if no cluster has this name.
func EmbeddedCluster(name string) (pipeline.Cluster, error) {
	if !slices.Contains(Clusters(), name) {
		return nil, nil //nolint:nilnil // Another cluster is no error.
	}
	all, err := ClusterNamed(name)
	if err != nil {
		return nil, err
	}
	known := knownCluster{servesAll: name == fullCluster}
	for i := range all {
		known.Objects = append(known.Objects, &all[i])
	}
	return known, nil
}

// knownCluster is a cluster of objects that serves their kinds, or all kinds.
type knownCluster struct {
	pipeline.Objects

	servesAll bool
}

// Schemas of kinds that are served.
func (c knownCluster) Schemas(selectors map[string]*fnv1.SchemaSelector) (map[string]*fnv1.Schema, error) {
	if !c.servesAll {
		return c.Objects.Schemas(selectors)
	}
	out := make(map[string]*fnv1.Schema, len(selectors))
	for name := range selectors {
		out[name] = &fnv1.Schema{OpenapiV3: &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}}
	}
	return out, nil
}

// kindOfInput is the kind of the input of step plan. A file may leave it out.
const apiVersionOfInput, kindOfInput = "plan.dynamo.nvidia.com/v1alpha1", "Input"

// InputIn reads the input of step plan in a file, with the positions of its fields.
func InputIn(path string) (*manifest.Object, error) {
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the input of step plan")
	}
	var inputs []*manifest.Object
	for _, d := range document.Split(data) {
		content, err := d.ReadStrict()
		mistake := &document.Error{}
		if errors.As(err, &mistake) {
			return nil, errors.Errorf("%s: %s", manifest.Position{File: path, Line: mistake.Line, Column: 1}, mistake.Message)
		}
		if err != nil {
			return nil, errors.Wrapf(err, "cannot read the input of step plan from %q", path)
		}
		if content.Root == nil {
			continue
		}
		object, ok := content.Value.(map[string]any)
		if !ok {
			return nil, errors.Errorf("cannot read the input of step plan from %q: want an object with the fields of an Input", path)
		}
		inputs = append(inputs, manifest.Of(path, object, content.Root, d.Before))
	}
	if len(inputs) != 1 {
		return nil, errors.Errorf("cannot read the input of step plan from %q: want one object of kind Input", path)
	}
	input := inputs[0]
	for _, known := range [][2]string{{"kind", kindOfInput}, {"apiVersion", apiVersionOfInput}} {
		field, want := known[0], known[1]
		if got, ok := input.Object[field]; ok && got != want {
			position, _ := input.At(field)
			message := fmt.Sprintf("%s: %s is %v: want one object of kind %s of %s", position, field, got, kindOfInput, apiVersionOfInput)
			if flag := input.PolicyFlag(); flag != "" {
				message += "; pass this file with " + flag
			}
			return nil, errors.New(message)
		}
		input.Object[field] = want
	}
	return input, nil
}
