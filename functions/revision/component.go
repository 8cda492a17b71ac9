package revision

import (
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// component is a component in a state of its graph.
type component struct {
	// written is what the user wrote for the pods.
	written graphplan.Written

	// generation of the workers. Empty if the pods have none.
	generation string

	// release of the functions that built the pods. Empty if it is not known.
	release string

	// pods that all replicas have in common.
	pods *structpb.Struct

	// replicas whose pods differ in more than what is numbered, by number: another step of the Composition has made them so. Each as replica 0
	// would have it.
	replicas map[string]*structpb.Struct

	// encoded form in a revision; nil of a component that is in none yet.
	encoded *structpb.Struct

	// differences are the fields of the pods that would be others if the graph were new.
	differences []string
}

// podsOf a replica: the pods as replica 0 would have them.
func (c *component) podsOf(replica int32) *structpb.Struct {
	if pods, ok := c.replicas[number(replica)]; ok {
		return pods
	}
	return c.pods
}

// decode a component. Its pods are usually those that are rendered, and are then not parsed.
func decodeComponent(encoded, rendered *structpb.Struct) (*component, error) {
	c := &component{
		written: graphplan.Written(tree.Text(encoded, "written")), generation: tree.Text(encoded, "generation"),
		release: tree.Text(encoded, "release"), pods: rendered, encoded: encoded,
	}
	var err error
	if rendered == nil || tree.Text(encoded, "hash") != tree.Hash(rendered) {
		if c.pods, err = decodePods(tree.Text(encoded, "pods")); err != nil {
			return nil, err
		}
	}
	for i, value := range tree.At(encoded, "replicas").GetFields() {
		pods, err := decodePods(value.GetStringValue())
		if err != nil {
			return nil, err
		}
		if c.replicas == nil {
			c.replicas = map[string]*structpb.Struct{}
		}
		c.replicas[i] = pods
	}
	return c, nil
}

// completed is the component with the formats of what the user wrote that are missing: it is from a release that does not know them.
func (c *component) completed(now graphplan.Written) *component {
	if all := c.written.Completed(now); all != c.written {
		c.written, c.encoded = all, nil
	}
	return c
}

func (c *component) encode() *structpb.Struct {
	if c.encoded != nil {
		return c.encoded
	}
	c.encoded = &structpb.Struct{Fields: map[string]*structpb.Value{
		"written": structpb.NewStringValue(string(c.written)), "hash": structpb.NewStringValue(tree.Hash(c.pods)),
		"pods": structpb.NewStringValue(encodePods(c.pods)),
	}}
	for key, value := range map[string]string{"generation": c.generation, "release": c.release} {
		if value != "" {
			c.encoded.Fields[key] = structpb.NewStringValue(value)
		}
	}
	for i, pods := range c.replicas {
		c.encoded = tree.WithText(c.encoded, encodePods(pods), i, "replicas")
	}
	return c.encoded
}

// encodePods as JSON with a line for each field, in the order of the names of the fields.
func encodePods(pods *structpb.Struct) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	// A number that JSON does not know cannot be in it: Crossplane has decoded the objects from JSON.
	_ = encoder.Encode(pods.AsMap()) //nolint:errchkjson // See above.
	return text.String()
}

// decodePods from JSON.
func decodePods(text string) (*structpb.Struct, error) {
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, errors.Wrap(err, "cannot parse the pods of a revision")
	}
	pods, err := structpb.NewStruct(fields)
	return pods, errors.Wrap(err, "cannot parse the pods of a revision")
}
