package manifest

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/document"
)

// parse the documents of a file.
func (f *Files) parse(file string, data []byte) {
	for _, d := range document.Split(data) {
		if !d.IsEmpty() {
			f.parseDocument(file, d)
		}
	}
}

func (f *Files) parseDocument(file string, d document.Document) {
	content, err := d.Read()
	var unreadable *document.Error
	if errors.As(err, &unreadable) {
		f.Problems = append(f.Problems, Problem{Position: Position{File: file, Line: unreadable.Line, Column: 1}, Message: unreadable.Message})
		return
	}
	if content.Root == nil {
		return
	}
	object, ok := content.Value.(map[string]any)
	if !ok {
		if isListOfObjects(content.Value) {
			f.Problems = append(f.Problems, Problem{Position: Position{File: file, Line: d.Before + content.Root.Content[0].Line, Column: 1}, Message: "a list of objects is no manifest; put them into items of an object with apiVersion: v1 and kind: List"})
			return
		}
		f.Others++
		return
	}
	f.add(Object{Unstructured: &unstructured.Unstructured{Object: object}, File: file, node: content.Root.Content[0], before: d.Before, index: &Index{}})
}

// isListOfObjects reports whether a document is a list of what would be manifests without it, as jq --slurp writes them.
func isListOfObjects(value any) bool {
	items, _ := value.([]any)
	return slices.ContainsFunc(items, func(item any) bool {
		object, _ := item.(map[string]any)
		return object["apiVersion"] != nil && object["kind"] != nil
	})
}

// add an object, or the objects of a list. Those in a list of one kind have it without saying so, as clients write them.
func (f *Files) add(o Object) {
	items, isList := o.Object["items"].([]any)
	switch {
	case (o.GetAPIVersion() == "" || o.GetKind() == "") && o.mistaken() == "":
		f.Others++
	case !isList || !strings.HasSuffix(o.GetKind(), "List"):
		f.Objects = append(f.Objects, o)
	default:
		nodes := resolve(child(o.node, "items").value)
		for i, item := range items {
			content, isObject := item.(map[string]any)
			if !isObject || nodes == nil || i >= len(nodes.Content) {
				f.Others++
				continue
			}
			if kind := strings.TrimSuffix(o.GetKind(), "List"); kind != "" && content["kind"] == nil && content["apiVersion"] == nil {
				content["apiVersion"], content["kind"] = o.GetAPIVersion(), kind
			}
			f.add(Object{Unstructured: &unstructured.Unstructured{Object: content}, File: o.File, node: nodes.Content[i], before: o.before, index: &Index{}})
		}
	}
}

// Duplicates are keys that are set twice in a mapping of the object.
func (o *Object) Duplicates() []Problem {
	var problems []Problem
	for _, d := range (document.Document{Before: o.before}).Duplicates(o.node) {
		problems = append(problems, Problem{Position: Position{File: o.File, Line: d.Line, Column: d.Column}, Message: d.Message})
	}
	return problems
}
