package input

import (
	"iter"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Sources say where the settings of a valid policy are, so that a message names the document that somebody has to change.
type Sources struct{ layers []layer }

// layer of a policy: a document, or one of its entries for namespaces.
type layer struct {
	// in which document, in the words of messages.
	in string

	root   *field.Path
	values *structpb.Struct
}

// SourcesOf the policy that an input is, with the data of an EnvironmentConfig over it, for a graph in a namespace. data may be null.
func SourcesOf(given *structpb.Struct, data *structpb.Value, name, namespace string) Sources {
	layers := layersOf(inInput, inputPath(), given, namespace)
	return Sources{layers: append(layers, layersOf("in EnvironmentConfig "+name, overlayPath(name), data.GetStructValue(), namespace)...)}
}

// inInput is where settings are that the EnvironmentConfig does not have.
const inInput = "in the input of step plan"

func inputPath() *field.Path { return field.NewPath("input") }

func overlayPath(name string) *field.Path {
	return field.NewPath("EnvironmentConfig").Key(name).Child("data")
}

func layersOf(in string, root *field.Path, document *structpb.Struct, namespace string) []layer {
	layers := []layer{{in: in, root: root, values: document}}
	for path, entry := range selected(document, root, namespace) {
		layers = append(layers, layer{in: in, root: path, values: entry})
	}
	return layers
}

// selected entries of a document for a namespace, in their order, with their paths.
func selected(document *structpb.Struct, root *field.Path, namespace string) iter.Seq2[*field.Path, *structpb.Struct] {
	return func(yield func(*field.Path, *structpb.Struct) bool) {
		for i, value := range document.GetFields()["namespaces"].GetListValue().GetValues() {
			entry := value.GetStructValue()
			allowed := tree.At(entry, "selector").GetFields()["matchNames"].GetListValue().GetValues()
			matches := slices.ContainsFunc(allowed, func(name *structpb.Value) bool { return names.Match(name.GetStringValue(), namespace) })
			if matches && !yield(root.Child("namespaces").Index(i), entry) {
				return
			}
		}
	}
}

// In which document a setting is, such as kai.queue, as a part of a sentence: in the input of step plan, or in EnvironmentConfig dynamo. A
// setting that is in neither belongs into the input.
func (s Sources) In(setting string) string { return s.layerOf(setting).in }

// Path of a setting in its document.
func (s Sources) Path(setting string) *field.Path {
	parts := strings.Split(setting, ".")
	return s.layerOf(setting).root.Child(parts[0], parts[1:]...)
}

// layerOf a setting is the last layer that has it.
func (s Sources) layerOf(setting string) layer {
	path := strings.Split(setting, ".")
	parents, name := path[:len(path)-1], path[len(path)-1]
	for _, l := range slices.Backward(s.layers) {
		if value, ok := tree.At(l.values, parents...).GetFields()[name]; ok && !tree.IsNull(value) {
			return l
		}
	}
	return layer{in: inInput, root: inputPath()}
}
