package convert

import (
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

const mergeTag = "!!merge"

// encode a document with another node in it.
func encode(root, node *yaml.Node) ([]byte, error) {
	document := *root
	document.Content = []*yaml.Node{node}
	return output.YAMLOf(&document, isCompact(root))
}

// isCompact reports whether the first list below a key is not indented more than the key.
func isCompact(node *yaml.Node) bool {
	compact, found := false, false
	var visit func(node *yaml.Node)
	visit = func(node *yaml.Node) {
		for i, child := range node.Content {
			if node.Kind == yaml.MappingNode && i%2 == 1 && child.Kind == yaml.SequenceNode && child.Style&yaml.FlowStyle == 0 && !found {
				compact, found = child.Column == node.Content[i-1].Column, true
			}
			visit(child)
		}
	}
	visit(node)
	return compact
}

// expanded is a node without aliases and merged keys, because what they refer to may move or go. JSON becomes YAML.
func expanded(node *yaml.Node) *yaml.Node {
	isJSON := node.Style&yaml.FlowStyle != 0
	var expand func(node *yaml.Node) *yaml.Node
	expand = func(node *yaml.Node) *yaml.Node {
		if node.Kind == yaml.AliasNode {
			out := expand(node.Alias)
			out.HeadComment, out.LineComment, out.FootComment = node.HeadComment, node.LineComment, node.FootComment
			return out
		}
		out := *node
		out.Anchor = ""
		out.Content = nil
		if isJSON {
			out.Style = 0
		}
		for i := 0; i < len(node.Content); i++ {
			if node.Kind == yaml.MappingNode && i%2 == 0 && node.Content[i].Tag == mergeTag {
				i++
				merge(&out, expand(node.Content[i]))
				continue
			}
			out.Content = append(out.Content, expand(node.Content[i]))
		}
		if node.Kind == yaml.MappingNode {
			out.Content = lastOfEach(out.Content)
		}
		return &out
	}
	return expand(node)
}

// merge the keys of an object, or of a list of them, of which the first counts.
func merge(into, node *yaml.Node) {
	if node.Kind == yaml.SequenceNode {
		for _, child := range slices.Backward(node.Content) {
			merge(into, child)
		}
		return
	}
	into.Content = append(into.Content, node.Content...)
}

// lastOfEach key with its value: a key of an object is set over one that is merged. Those merged come first unless they were written after.
func lastOfEach(content []*yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	at := map[string]int{}
	for i := 0; i+1 < len(content); i += 2 {
		if j, ok := at[content[i].Value]; ok {
			out[j], out[j+1] = content[i], content[i+1]
			continue
		}
		at[content[i].Value] = len(out)
		out = append(out, content[i], content[i+1])
	}
	return out
}

// A tree of nodes in which a step is found without a look at all others.
type tree struct {
	manifest.Index

	root *yaml.Node
}

func treeOf(root *yaml.Node) *tree { return &tree{root: root} }

// at is the value at a path, and its key if it has one.
func (t *tree) at(p path) (key, value *yaml.Node) {
	value = t.root
	for _, step := range p {
		if value == nil {
			return nil, nil
		}
		if value.Kind == yaml.SequenceNode {
			if !strings.HasPrefix(step, "@") && !strings.HasPrefix(step, "#") {
				return nil, nil
			}
			step = step[1:]
		}
		key, value = t.Element(value, step)
	}
	return key, value
}

// shownSteps of the path to what is nested too deeply.
const shownSteps = 3

// deeper is the path to the first value that is nested deeper than a number of levels. nil if there is none.
func deeper(node *yaml.Node, levels int) path {
	if levels < 0 {
		return path{}
	}
	for i, child := range node.Content {
		if deep := deeper(child, levels-1); deep != nil {
			step := strconv.Itoa(i)
			if node.Kind == yaml.MappingNode {
				step = node.Content[i-i%2].Value
			}
			return append(path{step}, deep...)
		}
	}
	return nil
}

// valueOf a node, as Kubernetes reads it.
func valueOf(node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			out[node.Content[i].Value] = valueOf(node.Content[i+1])
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for _, item := range node.Content {
			out = append(out, valueOf(item))
		}
		return out
	default:
		return scalarOf(node)
	}
}

// scalarOf a node. Kubernetes reads yes, on and their like as YAML 1.1 does.
func scalarOf(node *yaml.Node) any {
	if node.Style == 0 && node.Tag == "!!str" {
		switch node.Value {
		case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
			return true
		case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
			return false
		}
	}
	var out any
	if node.Decode(&out) != nil {
		return nil
	}
	if number, ok := out.(int); ok {
		return int64(number)
	}
	return out
}
