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
	loader "github.com/dynamo-crossplane/configuration-dynamo/tool/document"
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
	File         string
	Line, Column int
	// Field that has the value, in the version that is converted from.
	Field string
	// Detail says in whole sentences what the version accepts, and what to write.
	Detail string
}

// String is the refusal in one line, which begins with its position.
func (r Refusal) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", r.File, r.Line, r.Column, r.Field, r.Detail)
}

// Files converts files, where - is standard input, to one stream of YAML.
func (c *Converter) Files(paths []string, in io.Reader) ([]byte, error) {
	var out bytes.Buffer
	for _, path := range paths {
		data, err := manifest.Reader{In: in}.Content(path)
		if err != nil {
			return nil, err //nolint:wrapcheck // It names the file.
		}
		for i, doc := range split(data) {
			converted, err := c.document(path, doc)
			if err != nil {
				return nil, errors.Wrapf(err, "cannot convert document %d of %q", i+1, path)
			}
			switch {
			case doc.separator != "":
				writeLines(&out, []byte(doc.separator))
			case out.Len() > 0:
				writeLines(&out, []byte("---"))
			}
			writeLines(&out, converted)
		}
	}
	return out.Bytes(), nil
}

// writeLines writes whole lines, even if the last one of a file has no end.
func writeLines(out *bytes.Buffer, data []byte) {
	out.Write(data)
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		out.WriteByte('\n')
	}
}

// document in the version to convert to. One without a graph stays as it is, to the letter.
func (c *Converter) document(file string, doc document) ([]byte, error) {
	content, err := loader.Document{Text: doc.body, Before: doc.before}.ReadStrict()
	if err != nil {
		return nil, err
	}
	root := content.Root
	object, ok := content.Value.(map[string]any)
	if !ok || !holdsGraph(object) {
		return doc.body, nil
	}
	moveDown(root, doc.before)
	node := expanded(root.Content[0])
	converted := c.object(file, node, object)
	if reflect.DeepEqual(object, converted) {
		return doc.body, nil
	}
	encoded, err := encode(root, layOut(node, object, converted))
	return schemaOf.ReplaceAll(encoded, []byte("${1}"+c.To+"${3}")), err
}

// moveDown all nodes, so that their lines are those of the file.
func moveDown(node *yaml.Node, lines int) {
	node.Line += lines
	for _, child := range node.Content {
		moveDown(child, lines)
	}
}

// schemaOf is the comment that names the JSON Schema of a graph to an editor, as the examples have it. It depends on the version.
var schemaOf = regexp.MustCompile(`(?m)^(# yaml-language-server: .*/dynamographdeployment-)(v1alpha1|v1beta1)(\.json)$`)

// object in the version to convert to, or a list with the graphs of it.
func (c *Converter) object(file string, node *yaml.Node, object map[string]any) map[string]any {
	if items, ok := itemsOf(object); ok {
		out := maps.Clone(object)
		if isOurs(object, "DynamoGraphDeploymentList", "XDynamoGraphDeploymentList") {
			out["apiVersion"] = c.version()
		}
		converted := slices.Clone(items)
		_, list := treeOf(node).at(path{"items"})
		for i, item := range items {
			if graph, isObject := item.(map[string]any); isObject && holdsGraph(graph) {
				converted[i] = c.object(file, list.Content[i], graph)
			}
		}
		out["items"] = converted
		return out
	}
	if deep := deeper(node, strict.MaxDepth); deep != nil {
		field := fieldpath.NewPath(deep[0], deep[1:min(len(deep), shownSteps)]...).String()
		place := treeOf(node).position(field)
		c.Refused = append(c.Refused, Refusal{
			File: file, Line: place.Line, Column: place.Column, Field: field,
			Detail: fmt.Sprintf("What is below is nested more than %d levels deep. Flatten it.", strict.MaxDepth),
		})
		return object
	}
	convert := conversion.ToV1beta1
	if c.version() == conversion.V1alpha1 {
		convert = conversion.ToV1alpha1
	}
	nodes := treeOf(node)
	ready, changes := prepared(object, c.version())
	converted, warnings := convert(ready)
	warnings = append(changes, warnings...)
	if c.Plain {
		converted = conversion.Plain(converted)
	}
	for _, warning := range append(warnings, replacing(ready, converted)...) {
		place := nodes.position(warning.Field.String())
		if warning.Reason == conversion.ReasonRefused {
			c.Refused = append(c.Refused, Refusal{File: file, Line: place.Line, Column: place.Column, Field: warning.Field.String(), Detail: warning.Detail})
			continue
		}
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s:%d:%d: %s", file, place.Line, place.Column, warning))
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
