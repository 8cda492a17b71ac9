// Package convert turns the graphs in files of YAML from one version into the other, and leaves everything else as its user wrote it.
package convert

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/document"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// Converter of files.
type Converter struct {
	// To is the version to convert to, without its group.
	To string
	// Plain leaves out of the annotation of what the version has no fields for all that does not take effect.
	Plain bool
	// Warnings of all that was converted, each with its file, line and column.
	Warnings []string
	// Refused are the values that the version does not accept. A graph with one is not valid after its conversion.
	Refused []Refusal
}

// A Refusal of a value by the version to convert to.
type Refusal struct {
	manifest.Position

	// Field that has the value, in the version that is converted from.
	Field string
	// Detail says in whole sentences what the version accepts, and what to write.
	Detail string
}

// String is the refusal in one line, which begins with its position.
func (r Refusal) String() string {
	return fmt.Sprintf("%s: %s: %s", r.Position, r.Field, r.Detail)
}

// File converts a file, where - is standard input, to a stream of YAML.
func (c *Converter) File(path string, in io.Reader) ([]byte, error) {
	data, err := manifest.Reader{In: in}.Content(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // It names the file.
	}
	var stream []byte
	for i, doc := range document.Split(data) {
		converted, err := c.document(path, doc)
		if err != nil {
			return nil, errors.Wrapf(err, "cannot convert document %d of %q", i+1, path)
		}
		stream = Join(stream, converted)
	}
	return stream, nil
}

// Join streams of documents. The last line of a file may have no end.
func Join(stream, next []byte) []byte {
	if len(stream) > 0 && !bytes.HasPrefix(next, []byte("---")) {
		stream = append(stream, "---\n"...)
	}
	stream = append(stream, next...)
	if len(next) > 0 && !bytes.HasSuffix(next, []byte("\n")) {
		stream = append(stream, '\n')
	}
	return stream
}

// separator is the line before a document that says nothing else but a comment.
var separator = regexp.MustCompile(`^---[ \t]*(?:[ \t]#.*)?\r?\n`)

// document in the version to convert to. One without a graph stays as it is, to the letter.
func (c *Converter) document(file string, doc document.Document) ([]byte, error) {
	line := separator.Find(doc.Text)
	body := document.Document{Text: doc.Text[len(line):], Before: doc.Before + bytes.Count(line, []byte("\n"))}
	content, err := body.ReadStrict()
	if err != nil {
		return nil, err
	}
	object, ok := content.Value.(map[string]any)
	if !ok || !holdsGraph(object) {
		return doc.Text, nil
	}
	node := expanded(content.Root.Content[0])
	converted := c.object(file, body.Before, node, object)
	if reflect.DeepEqual(object, converted) {
		return doc.Text, nil
	}
	encoded, err := encode(content.Root, layOut(node, object, converted))
	return slices.Concat(line, schemaOf.ReplaceAll(encoded, []byte("${1}"+c.To+"${3}"))), err
}

// schemaOf is the comment that names the JSON Schema of a graph to an editor, as the examples have it. It depends on the version.
var schemaOf = regexp.MustCompile(`(?m)^(# yaml-language-server: .*/dynamographdeployment-)(v1alpha1|v1beta1)(\.json)$`)

// object in the version to convert to, or a list with the graphs of it. before is the number of lines of the file before its document.
func (c *Converter) object(file string, before int, node *yaml.Node, object map[string]any) map[string]any {
	if items, ok := itemsOf(object); ok {
		out := maps.Clone(object)
		if isOurs(object, "DynamoGraphDeploymentList", "XDynamoGraphDeploymentList") {
			out["apiVersion"] = c.version()
		}
		converted := slices.Clone(items)
		_, list := treeOf(node).at(path{"items"})
		for i, item := range items {
			if graph, isObject := item.(map[string]any); isObject && holdsGraph(graph) {
				converted[i] = c.object(file, before, list.Content[i], graph)
			}
		}
		out["items"] = converted
		return out
	}
	written := manifest.Of(file, object, &yaml.Node{Content: []*yaml.Node{node}}, before)
	place := func(field string) manifest.Position {
		position, _ := written.Key(field)
		return position
	}
	if deep := deeper(node, strict.MaxDepth); deep != nil {
		field := fieldpath.NewPath(deep[0], deep[1:min(len(deep), shownSteps)]...).String()
		detail := fmt.Sprintf("What is below is nested more than %d levels deep. Flatten it.", strict.MaxDepth)
		c.Refused = append(c.Refused, Refusal{Position: place(field), Field: field, Detail: detail})
		return object
	}
	convert := conversion.ToV1beta1
	if c.version() == conversion.V1alpha1 {
		convert = conversion.ToV1alpha1
	}
	ready, changes := prepared(object, c.version())
	converted, warnings := convert(ready)
	warnings = append(changes, warnings...)
	if c.Plain {
		converted = conversion.Plain(converted)
	}
	for _, warning := range append(warnings, replacing(ready, converted)...) {
		field := warning.Field.String()
		if warning.Reason == conversion.ReasonRefused {
			c.Refused = append(c.Refused, Refusal{Position: place(field), Field: field, Detail: warning.Detail})
			continue
		}
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s: %s", place(field), warning))
	}
	return converted
}

func (c *Converter) version() string {
	return v1alpha1.Group + "/" + c.To
}

// itemsOf a list.
func itemsOf(object map[string]any) ([]any, bool) {
	kind, _ := object["kind"].(string)
	items, ok := object["items"].([]any)
	return items, ok && strings.HasSuffix(kind, "List")
}

// holdsGraph reports whether an object is a graph, in either flavour of the definition, or a list of some.
func holdsGraph(object map[string]any) bool {
	if items, ok := itemsOf(object); ok {
		return slices.ContainsFunc(items, func(item any) bool {
			nested, isObject := item.(map[string]any)
			return isObject && holdsGraph(nested)
		})
	}
	return isOurs(object, "DynamoGraphDeployment", "XDynamoGraphDeployment")
}

func isOurs(object map[string]any, kinds ...string) bool {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	version, err := schema.ParseGroupVersion(apiVersion)
	return err == nil && slices.Contains([]string{conversion.V1alpha1, conversion.V1beta1}, version.String()) && slices.Contains(kinds, kind)
}
