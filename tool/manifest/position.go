package manifest

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// entry of a mapping, or an item of a list, which has no key.
type entry struct{ key, value *yaml.Node }

// At is the position of a field: that of its value if it is a scalar in the same line, otherwise that of its key. exact is false if the
// object does not have the field. The position is then that of the closest field above it.
//
// A path has the form of field errors: spec.services[Worker].envs[0].value. In brackets are a key, an index, or the name of an item.
func (o *Object) At(path string) (p Position, exact bool) {
	found, rest := descend(entry{value: o.node}, path)
	return o.position(found), rest == ""
}

// Key is the position of the key of a field, as At otherwise.
func (o *Object) Key(path string) (p Position, exact bool) {
	found, rest := descend(entry{value: o.node}, path)
	if found.key != nil {
		found.value = found.key
	}
	return o.position(found), rest == ""
}

// Canonical form of a path: with keys and indices instead of names, so that two paths can be compared. The elements begin with slashes, and
// the last of them is what the object does not have.
func (o *Object) Canonical(path string) string {
	var canonical strings.Builder
	at := entry{value: o.node}
	for path != "" {
		next, rest, ok := step(at.value, path)
		if !ok {
			return canonical.String() + "/" + strings.Trim(path, ".[]")
		}
		canonical.WriteByte('/')
		if next.key != nil {
			canonical.WriteString(next.key.Value)
		} else {
			canonical.WriteString(strconv.Itoa(slices.Index(resolve(at.value).Content, next.value)))
		}
		at, path = next, rest
	}
	return canonical.String()
}

func (o *Object) position(e entry) Position {
	node := e.value
	if e.key != nil && (node.Kind != yaml.ScalarNode || node.Line != e.key.Line) {
		node = e.key
	}
	return Position{File: o.File, Line: o.before + node.Line, Column: node.Column}
}

// descend along a path as far as possible. The rest is what was not found.
func descend(at entry, path string) (found entry, rest string) {
	for path != "" {
		next, after, ok := step(at.value, path)
		if !ok {
			return at, path
		}
		at, path = next, after
	}
	return at, ""
}

// step to the first field of a path.
func step(node *yaml.Node, path string) (next entry, rest string, ok bool) {
	node = resolve(node)
	if inside, isKey := strings.CutPrefix(path, "["); isKey {
		// A key may contain brackets, so the last bracket that matches counts.
		for end := strings.Index(inside, "]"); end >= 0; {
			if next := element(node, inside[:end]); next.value != nil {
				return next, inside[end+1:], true
			}
			more := strings.Index(inside[end+1:], "]")
			if more < 0 {
				break
			}
			end += 1 + more
		}
		return entry{}, "", false
	}
	path = strings.TrimPrefix(path, ".")
	if node == nil || node.Kind != yaml.MappingNode {
		return entry{}, "", false
	}
	return longest(node, path)
}

// longest key of a mapping with which a path begins. Keys may contain dots. Of two that are equal, the last one counts.
func longest(node *yaml.Node, path string) (next entry, rest string, ok bool) {
	length := -1
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		after, has := strings.CutPrefix(path, key)
		if has && len(key) >= length && key != "" && (after == "" || after[0] == '.' || after[0] == '[') {
			length = len(key)
			next, rest, ok = entry{key: node.Content[i], value: node.Content[i+1]}, after, true
		}
	}
	return next, rest, ok
}

// element of a mapping by its key, or of a list by its index or name.
func element(node *yaml.Node, key string) entry {
	if node == nil {
		return entry{}
	}
	if node.Kind == yaml.MappingNode {
		return child(node, key)
	}
	if node.Kind != yaml.SequenceNode {
		return entry{}
	}
	for _, item := range node.Content {
		for _, naming := range []string{"name", "componentName"} {
			if name := child(resolve(item), naming).value; name != nil && name.Value == key {
				return entry{value: item}
			}
		}
	}
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(node.Content) {
		return entry{value: node.Content[i]}
	}
	return entry{}
}

// child of a mapping with a key. Of two, the last one counts.
func child(node *yaml.Node, key string) entry {
	found := entry{}
	if node == nil || node.Kind != yaml.MappingNode {
		return found
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			found = entry{key: node.Content[i], value: node.Content[i+1]}
		}
	}
	return found
}

// resolve an alias.
func resolve(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// Renamed is the object with another name for the field at a path. Its positions are the same. ok: it has the field, and none of the new name.
func (o *Object) Renamed(path, name string) (renamed Object, ok bool) {
	found, rest := descend(entry{value: o.node}, path)
	if rest != "" || found.key == nil {
		return *o, false
	}
	old := found.key.Value
	parent := strings.TrimSuffix(strings.TrimSuffix(path, old), ".")
	above, _ := descend(entry{value: o.node}, parent)
	if child(resolve(above.value), name).key != nil {
		return *o, false
	}
	copied := &copier{of: map[*yaml.Node]*yaml.Node{}}
	node := copied.copy(o.node)
	copied.of[found.key].Value = name
	content := o.DeepCopy()
	value, isObject := valueAt(content.Object, o.Canonical(parent))
	if !isObject {
		return *o, false
	}
	value[name] = value[old]
	delete(value, old)
	return Object{Unstructured: content, File: o.File, node: node, before: o.before}, true
}

// valueAt a canonical path of an object.
func valueAt(object map[string]any, canonical string) (map[string]any, bool) {
	var value any = object
	for key := range strings.SplitSeq(strings.Trim(canonical, "/"), "/") {
		switch t := value.(type) {
		case map[string]any:
			if key != "" {
				value = t[key]
			}
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(t) {
				return nil, false
			}
			value = t[i]
		}
	}
	found, ok := value.(map[string]any)
	return found, ok
}

// copier copies nodes, each once: several aliases have the same one.
type copier struct{ of map[*yaml.Node]*yaml.Node }

func (c *copier) copy(node *yaml.Node) *yaml.Node {
	if node == nil {
		return nil
	}
	if known, ok := c.of[node]; ok {
		return known
	}
	copied := *node
	c.of[node] = &copied
	copied.Alias = c.copy(node.Alias)
	copied.Content = make([]*yaml.Node, len(node.Content))
	for i := range node.Content {
		copied.Content[i] = c.copy(node.Content[i])
	}
	return &copied
}
