package manifest

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	kubeyaml "sigs.k8s.io/yaml"
)

// document of a file.
type document struct {
	text []byte

	// before is the number of lines of the file before the document.
	before int
}

// documents of a stream. Each but the first begins with its separator, after which a line may have content.
func documents(data []byte) []document {
	var all []document
	current := document{}
	line := 0
	for text := range bytes.Lines(data) {
		if isSeparator(text) && line > current.before {
			all = append(all, current)
			current = document{before: line}
		}
		current.text = append(current.text, text...)
		line++
	}
	return append(all, current)
}

func isSeparator(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n"))
}

// isEmpty reports whether a document has nothing but comments and directives.
func (d document) isEmpty() bool {
	for line := range bytes.Lines(d.text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' && !bytes.Equal(line, []byte("---")) && !bytes.Equal(line, []byte("...")) {
			return false
		}
	}
	return true
}

// parse the documents of a file.
func (f *Files) parse(file string, data []byte) {
	for _, d := range documents(data) {
		if !d.isEmpty() {
			f.parseDocument(file, d)
		}
	}
}

func (f *Files) parseDocument(file string, d document) {
	root := &yaml.Node{}
	if err := yaml.Unmarshal(d.text, root); err != nil {
		f.Problems = append(f.Problems, notYAML(file, d, err))
		return
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) == 0 {
		return
	}

	// Values are read as kubectl reads them, for which yes is a boolean. Of a key that occurs twice, the last value counts.
	data, err := kubeyaml.YAMLToJSON(d.text)
	if err != nil {
		f.Problems = append(f.Problems, notYAML(file, d, err))
		return
	}
	content := map[string]any{}
	if err := json.Unmarshal(data, &content); err != nil {
		f.Others++
		return
	}
	f.add(Object{Unstructured: &unstructured.Unstructured{Object: content}, File: file, node: root.Content[0], before: d.before})
}

// add an object, or the objects of a list.
func (f *Files) add(o Object) {
	items, isList := o.Object["items"].([]any)
	switch {
	case o.GetAPIVersion() == "" || o.GetKind() == "":
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
			f.add(Object{Unstructured: &unstructured.Unstructured{Object: content}, File: o.File, node: nodes.Content[i], before: o.before})
		}
	}
}

var yamlLine = regexp.MustCompile(`^(?:error converting YAML to JSON: )?(?:yaml: )?(?:line (\d+): )?`)

// notYAML is an error of a parser, which counts the lines of the document.
func notYAML(file string, d document, err error) Problem {
	text := err.Error()
	line := 1
	if match := yamlLine.FindStringSubmatch(text); match != nil {
		text = text[len(match[0]):]
		if n, err := strconv.Atoi(match[1]); err == nil && n > 0 {
			line = min(n, bytes.Count(d.text, []byte("\n"))+1)
		}
	}
	return Problem{Position: Position{File: file, Line: d.before + line, Column: 1}, Message: "cannot parse YAML: " + text}
}

// Duplicates are keys that occur twice in a mapping of the object.
func (o *Object) Duplicates() []Problem { return duplicates(o.File, o.before, o.node) }

func duplicates(file string, before int, node *yaml.Node) []Problem {
	var problems []Problem
	for i, n := range node.Content {
		problems = append(problems, duplicates(file, before, n)...)
		if node.Kind != yaml.MappingNode || i%2 != 0 || n.Kind != yaml.ScalarNode {
			continue
		}
		for j := 0; j < i; j += 2 {
			if first := node.Content[j]; first.Kind == yaml.ScalarNode && first.Value == n.Value {
				problems = append(problems, Problem{
					Position: Position{File: file, Line: before + n.Line, Column: n.Column},
					Message:  fmt.Sprintf("key %q is already set in line %d, and one of the two values is lost; remove one of them", n.Value, before+first.Line),
				})
				break
			}
		}
	}
	return problems
}
