// Package document reads documents of YAML as kubectl does: a stream of them, with anchors, merged keys, the booleans of YAML 1.1, and JSON.
// Every command reads all its files with it, so that a file means the same everywhere.
package document

import (
	"bytes"
	stdjson "encoding/json"
	"errors" //nolint:depguard // Of joined errors, it has one a line.
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/json"
	kubeyaml "sigs.k8s.io/yaml"
)

// mergeTag is that of the key <<, whose value is merged into the mapping. A key of the mapping itself takes precedence.
const mergeTag = "!!merge"

// A Document of a stream.
type Document struct {
	Text []byte

	// Before is the number of lines of the stream before the document.
	Before int
}

// Split a stream into its documents. Each but the first begins with its separator, after which a line may have content. Objects of JSON need none.
func Split(data []byte) []Document {
	if all := objects(data); len(all) > 1 {
		return all
	}
	var all []Document
	current := Document{}
	line := 0
	for text := range bytes.Lines(data) {
		if isSeparator(text) && line > current.Before {
			all = append(all, current)
			current = Document{Before: line}
		}
		current.Text = append(current.Text, text...)
		line++
	}
	return append(all, current)
}

// objects of JSON that follow each other, as jq writes them. nil: the stream has something else.
func objects(data []byte) []Document {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil
	}
	var all []Document
	for d, begin, line := stdjson.NewDecoder(bytes.NewReader(data)), 0, 0; ; {
		var object stdjson.RawMessage
		switch err := d.Decode(&object); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			return nil
		}
		end := int(d.InputOffset())
		before := data[begin : end-len(object)]
		line += bytes.Count(before, []byte("\n"))
		all = append(all, Document{Text: object, Before: line})
		line += bytes.Count(object, []byte("\n"))
		begin = end
	}
}

func isSeparator(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(rest) == 0 || bytes.ContainsAny(rest[:1], " \t\r\n"))
}

// IsEmpty reports whether a document has nothing but comments and directives.
func (d Document) IsEmpty() bool {
	for line := range bytes.Lines(d.Text) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && line[0] != '%' && !bytes.Equal(line, []byte("---")) && !bytes.Equal(line, []byte("...")) {
			return false
		}
	}
	return true
}

// Content of a document.
type Content struct {
	// Value as kubectl reads it: of the types of JSON, with integers as int64. Of a key that is set twice, the last value counts.
	Value any

	// Root is the node of the document, which has the positions of all fields. nil if the document is empty.
	Root *yaml.Node
}

// An Error in a document.
type Error struct {
	// Line of the stream, from 1.
	Line int

	Message string
}

// Error is the message with its line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Read the content of a document. The error is an *Error.
func (d Document) Read() (Content, error) {
	root, stream := &yaml.Node{}, yaml.NewDecoder(bytes.NewReader(d.Text))
	if err := stream.Decode(root); err != nil && !errors.Is(err, io.EOF) {
		unreadable := d.unreadable(err)
		unreadable.Line = d.Before + mistake(d.Text, unreadable.Line-d.Before)
		return Content{}, d.explained(unreadable)
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) == 0 {
		return Content{}, nil
	}
	data, err := kubeyaml.YAMLToJSON(d.Text)
	if err != nil {
		return Content{}, d.explained(d.unreadable(err))
	}
	if err := d.end(stream, root.Content[0]); err != nil {
		return Content{}, err
	}
	content := Content{Root: root}
	if err := json.Unmarshal(data, &content.Value); err != nil {
		return Content{}, d.unreadable(err)
	}
	return content, nil
}

// end is an error if anything but a comment follows the document, which readers of YAML do not see.
func (d Document) end(stream *yaml.Decoder, root *yaml.Node) error {
	next := &yaml.Node{}
	err := stream.Decode(next)
	if errors.Is(err, io.EOF) {
		return nil
	}
	line := d.Before + next.Line
	switch {
	case err != nil && root.Column > 1 && root.Style&yaml.FlowStyle == 0:
		return &Error{Line: d.Before + root.Line, Message: "cannot parse YAML: this line is indented more than what follows, which would be lost; indent both equally"}
	case err != nil:
		line = min(d.unreadable(err).Line, d.Before+bytes.Count(d.Text, []byte("\n"))) + 1 // It names the line before, but for the last one.
	}
	return &Error{Line: line, Message: "more content follows the end of the document, and would be lost; begin each document with a line ---"}
}

var yamlLine = regexp.MustCompile(`^(?:error converting YAML to JSON: )?(?:yaml: )?(?:line (\d+): )?`)

// unreadable is an error of a parser, which counts the lines of the document.
func (d Document) unreadable(err error) *Error {
	text := err.Error()
	line := 1
	if match := yamlLine.FindStringSubmatch(text); match != nil {
		text = text[len(match[0]):]
		if n, err := strconv.Atoi(match[1]); err == nil && n > 0 {
			line = min(n, bytes.Count(d.Text, []byte("\n"))+1)
		}
	}
	return &Error{Line: d.Before + line, Message: "cannot parse YAML: " + text}
}

// explained is an error about what people write that is no YAML: templates, and tabs.
func (d Document) explained(e *Error) *Error {
	lines := bytes.Split(d.Text, []byte("\n"))
	rest := lines[min(len(lines), max(1, e.Line-d.Before))-1]
	template := slices.IndexFunc(lines, templated.Match)
	if bytes.Contains(rest, []byte("{{")) {
		template = e.Line - d.Before - 1
	}
	indent := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))]
	switch {
	case template >= 0:
		e.Line = d.Before + template + 1
		e.Message = "cannot parse YAML: {{ belongs to a template, such as a template of Helm; check what the template renders to: helm template CHART | dgd validate -f -"
	case variable.Match(rest):
		e.Message = fmt.Sprintf("cannot parse YAML: %s is a variable that is not replaced; replace it first: envsubst < FILE | dgd validate -f -", variable.Find(rest))
	case bytes.ContainsRune(indent, '\t'):
		e.Message = "cannot parse YAML: a tab is in the indentation; indent with spaces"
	}
	return e
}

// templated is a line that begins with a template, or of which the value does.
var templated = regexp.MustCompile(`^\s*(?:- )*(?:[\w./-]+:\s+)?\{\{`)

// variable that a shell or envsubst replaces.
var variable = regexp.MustCompile(`\$\{\w+\}|\$\(\w+\)`)

// A Duplicate is a key that is set twice in a mapping.
type Duplicate struct {
	// Line and Column of the second key in the stream, from 1.
	Line, Column int

	Message string
}

// Duplicates below a node of a document, for which only one of the values counts. A key that is set after one that is merged takes precedence
// over it, and is none. kubectl has a merged key take precedence over one that is set before.
func (d Document) Duplicates(node *yaml.Node) []Duplicate {
	var found []Duplicate
	// The first place of each key before the one at hand: a mapping may have thousands.
	places := map[string]int{}
	for i, n := range node.Content {
		found = append(found, d.Duplicates(n)...)
		if node.Kind != yaml.MappingNode || i%2 != 0 || n.Kind != yaml.ScalarNode {
			continue
		}
		keys, message := []string{n.Value}, "key %q is already set in line %d, and one of the two values is lost; remove one of them"
		if n.Tag == mergeTag {
			keys, message = mergedKeys(node.Content[i+1], maxMerges), "this merges key %q over the key in line %d, whose value is lost; move << to the beginning of the mapping"
		}
		if first := firstOf(keys, places); first >= 0 {
			set := node.Content[first]
			found = append(found, Duplicate{Line: d.Before + n.Line, Column: n.Column, Message: fmt.Sprintf(message, set.Value, d.Before+set.Line)})
		}
		if _, isSet := places[n.Value]; !isSet && n.Tag != mergeTag {
			places[n.Value] = i
		}
	}
	return found
}

// firstOf keys in a mapping is the place of the one that is set first. Negative: none of them is set.
func firstOf(keys []string, places map[string]int) int {
	first := -1
	for _, key := range keys {
		if i, isSet := places[key]; isSet && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// maxMerges is the number of merges within merges that are followed. Nobody writes as many, and an alias may refer to what contains it.
const maxMerges = 10

// mergedKeys are the keys of a mapping, or of a list of them, that is merged.
func mergedKeys(node *yaml.Node, depth int) []string {
	var keys []string
	switch {
	case depth == 0:
	case node.Kind == yaml.AliasNode:
		keys = mergedKeys(node.Alias, depth)
	case node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			keys = append(keys, mergedKeys(item, depth-1)...)
		}
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Tag == mergeTag {
				keys = append(keys, mergedKeys(node.Content[i+1], depth-1)...)
				continue
			}
			keys = append(keys, node.Content[i].Value)
		}
	}
	return keys
}

// ReadStrict reads the content of a document, in which no key may be set twice. The error names all that are.
func (d Document) ReadStrict() (Content, error) {
	content, err := d.Read()
	if err != nil || content.Root == nil {
		return content, err
	}
	var twice []error
	for _, duplicate := range d.Duplicates(content.Root) {
		twice = append(twice, &Error{Line: duplicate.Line, Message: duplicate.Message})
	}
	return content, errors.Join(twice...)
}
