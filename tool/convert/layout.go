package convert

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
)

// layOut what was converted as its user laid out the original: what stays the same keeps its node, and what has a counterpart its comments
// and place.
func layOut(node *yaml.Node, original, converted map[string]any) *yaml.Node {
	if items, ok := itemsOf(converted); ok {
		nodes := treeOf(node)
		_, list := nodes.at(path{"items"})
		before, _ := itemsOf(original)
		for i := range items {
			object, isObject := items[i].(map[string]any)
			if isObject && !reflect.DeepEqual(before[i], items[i]) {
				graph, _ := before[i].(map[string]any)
				list.Content[i] = layOut(list.Content[i], graph, object)
			}
		}
		if _, version := nodes.at(path{"apiVersion"}); version != nil {
			version.Value, _ = converted["apiVersion"].(string)
		}
		return node
	}
	l := layout{tree: treeOf(node), pairs: pairs(), fromAlpha: converted["apiVersion"] == conversion.V1beta1, used: map[*yaml.Node]bool{}}
	out, _ := l.build(nil, converted)
	return out
}

// layout of a graph.
type layout struct {
	*tree

	pairs     []pair
	fromAlpha bool
	// used nodes of the original have their comments in what is built.
	used map[*yaml.Node]bool
}

// once is a node the first time, and after that a copy without comments: where a field becomes two fields, the first of them gets its comments.
func (l *layout) once(node *yaml.Node) *yaml.Node {
	if !l.used[node] {
		l.used[node] = true
		return node
	}
	bare := *node
	bare.HeadComment, bare.LineComment, bare.FootComment = "", "", ""
	return &bare
}

// none is the line of what the original does not have. It comes last.
const none = math.MaxInt

// build the node of a value, and the line of the original that it comes from.
func (l *layout) build(p path, value any) (*yaml.Node, int) {
	var source *yaml.Node
	line := none
	for _, origin := range l.origins(p) {
		_, candidate := l.at(origin)
		if candidate == nil {
			continue
		}
		if same(valueOf(candidate), value) {
			return l.once(candidate), candidate.Line
		}
		if source == nil {
			source, line = candidate, candidate.Line
		}
	}
	out := &yaml.Node{}
	switch value := value.(type) {
	case map[string]any:
		*out = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		line = min(line, l.fields(out, p, value))
	case []any:
		*out = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		line = min(line, l.items(out, p, value))
	default:
		if err := out.Encode(value); err != nil {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, none
		}
	}
	if source != nil {
		source = l.once(source)
		out.HeadComment, out.LineComment, out.FootComment = source.HeadComment, source.LineComment, source.FootComment
		if source.Kind == out.Kind && out.Kind != yaml.ScalarNode {
			out.Style = source.Style
		}
	}
	return out, line
}

// A field of an object that is built.
type field struct {
	key, value *yaml.Node
	line       int
}

// fields of an object, in the order of the original.
func (l *layout) fields(out *yaml.Node, p path, value map[string]any) int {
	var all []field
	first := none
	for _, name := range slices.Sorted(maps.Keys(value)) {
		nested := value[name]
		here := append(slices.Clip(p), name)
		node, line := l.build(here, nested)
		key, origin := l.key(here)
		key.Value = name
		line = min(line, origin)
		if key.HeadComment == node.HeadComment && key.HeadComment != "" {
			// It was an item of a list, and is below a key now.
			copied := *node
			copied.HeadComment = ""
			node = &copied
		}
		if node.Kind == yaml.ScalarNode || len(node.Content) == 0 {
			// It was before something below the key. Before a value in the same line, it would hide the value.
			key.HeadComment, key.LineComment = joined(key.HeadComment, key.LineComment), ""
		}
		first = min(first, line)
		all = append(all, field{key: key, value: node, line: line})
	}
	slices.SortFunc(all, func(a, b field) int {
		if rank := rankOf(p, a.key.Value) - rankOf(p, b.key.Value); rank != 0 {
			return rank
		}
		if a.line != b.line {
			return a.line - b.line
		}
		if a.key.Value < b.key.Value {
			return -1
		}
		return 1
	})
	for _, field := range all {
		out.Content = append(out.Content, field.key, field.value)
	}
	return first
}

// key of a field with the comments of the original, and the line that it was in. Where one field comes of two, none of their comments is lost.
func (l *layout) key(p path) (*yaml.Node, int) {
	out, line := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}, none
	for _, origin := range l.origins(p) {
		key, value := l.at(origin)
		switch {
		case value == nil:
			continue
		case key == nil:
			key = &yaml.Node{HeadComment: value.HeadComment, Line: value.Line}
		default:
			key = l.once(key)
		}
		if line == none {
			line, out.Style = key.Line, key.Style
			out.LineComment, out.FootComment = key.LineComment, key.FootComment
		}
		out.HeadComment = joined(out.HeadComment, key.HeadComment)
		if value.Kind != yaml.ScalarNode {
			break
		}
	}
	return out, line
}

// joined comments, each once.
func joined(comments ...string) string {
	var all []string
	for _, comment := range comments {
		if comment != "" && !slices.Contains(all, comment) {
			all = append(all, comment)
		}
	}
	return strings.Join(all, "\n")
}

// rankOf a field that comes first wherever it was: that of the object, and what names a component.
func rankOf(p path, name string) int {
	order := []string{"name", "metadata"}
	switch {
	case len(p) > 1 && p[len(p)-2] == "containers":
		order = []string{"name", "image", "command", "args"}
	case len(p) == 0:
		order = []string{"apiVersion", "kind", "metadata", "spec", "status"}
	case len(p) == 3 && p[0] == "spec" && (p[1] == "components" || p[1] == "services"):
		order = []string{"name", "type", "componentType", "subComponentType"}
	}
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// items of a list.
func (l *layout) items(out *yaml.Node, p path, value []any) int {
	first := none
	steps := stepsIn(value)
	for i, item := range value {
		here := append(slices.Clip(p), steps[i])
		node, line := l.build(here, item)
		first = min(first, line)
		if key := l.keyOf(here); key != nil && node.HeadComment == "" {
			// What was below a key is an item now.
			key, copied := l.once(key), *node
			copied.HeadComment, copied.FootComment = joined(key.HeadComment, key.LineComment), key.FootComment
			node = &copied
		}
		out.Content = append(out.Content, node)
	}
	return first
}

// keyOf what an item of a list was below.
func (l *layout) keyOf(p path) *yaml.Node {
	for _, origin := range l.origins(p) {
		if key, value := l.at(origin); value != nil {
			return key
		}
	}
	return nil
}

// stepsIn a list: the name of each item that has one of its own, otherwise its index.
func stepsIn(list []any) []string {
	steps := make([]string, len(list))
	seen := map[string]bool{}
	for i, item := range list {
		object, _ := item.(map[string]any)
		name, _ := object["name"].(string)
		steps[i] = "@" + name
		if name == "" || seen[name] {
			steps[i] = "#" + strconv.Itoa(i)
		}
		seen[name] = true
	}
	return steps
}

// same reports whether two values are equal, whatever types their numbers have.
func same(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	left, leftOK := a.(float64)
	right, rightOK := b.(int64)
	return leftOK && rightOK && left == float64(right)
}
