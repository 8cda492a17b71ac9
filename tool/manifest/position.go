package manifest

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// At is the position of a field: that of its value if it is a scalar in the same line, otherwise that of its key. exact is false if the
// object does not have the field. The position is then that of the closest field above it.
//
// A path has the form of field errors: spec.services[Worker].envs[0].value. In brackets are a key, an index, or the name of an item.
func (o *Object) At(path string) (p Position, exact bool) {
	found, rest := o.descend(path)
	return o.position(found), rest == ""
}

// Key is the position of the key of a field, as At otherwise.
func (o *Object) Key(path string) (p Position, exact bool) {
	found, rest := o.descend(path)
	if found.key != nil {
		found.value = found.key
	}
	return o.position(found), rest == ""
}

// Canonical form of a path: with keys and indices instead of names, so that two paths can be compared. The elements begin with slashes, and
// the last of them is what the object does not have.
func (o *Object) Canonical(path string) string {
	var canonical strings.Builder
	place := entry{value: o.node}
	for path != "" {
		next, rest, ok := o.index.step(place.value, path)
		if !ok {
			return canonical.String() + "/" + strings.Trim(path, ".[]")
		}
		canonical.WriteByte('/')
		if next.key != nil {
			canonical.WriteString(next.key.Value)
		} else {
			canonical.WriteString(strconv.Itoa(next.position))
		}
		place, path = next, rest
	}
	return canonical.String()
}

// descend along a path from the root as far as possible.
func (o *Object) descend(path string) (found entry, rest string) {
	return o.index.descend(entry{value: o.node}, path)
}

func (o *Object) position(e entry) Position {
	if o.isBuilt {
		return Position{File: o.File, Line: 1, Column: 1}
	}
	node := e.value
	if e.key != nil && (node.Kind != yaml.ScalarNode || node.Line != e.key.Line) {
		node = e.key
	}
	return Position{File: o.File, Line: o.before + node.Line, Column: node.Column}
}

// A Rename gives the field at a path another name.
type Rename struct{ Path, Name string }

// Renamed is the object with other names for some fields. Its positions are the same. done says for each whether the object has the field, and none
// of the new name.
func (o *Object) Renamed(renames []Rename) (renamed Object, done []bool) {
	copied := &copier{copies: map[*yaml.Node]*yaml.Node{}}
	renamed = Object{Unstructured: o.DeepCopy(), File: o.File, node: copied.copy(o.node), before: o.before, isBuilt: o.isBuilt, index: &Index{}}
	taken := map[Rename]bool{}
	done = make([]bool, len(renames))
	for i, r := range renames {
		found, rest := o.descend(r.Path)
		if rest != "" || found.key == nil {
			continue
		}
		old := found.key.Value
		parent := strings.TrimSuffix(strings.TrimSuffix(r.Path, old), ".")
		above, _ := o.descend(parent)
		canonical := o.Canonical(parent)
		if o.index.element(resolve(above.value), r.Name).key != nil || taken[Rename{canonical, r.Name}] {
			continue
		}
		value, isObject := valueAt(renamed.Object, canonical)
		if !isObject {
			continue
		}
		taken[Rename{canonical, r.Name}], done[i] = true, true
		copied.copies[found.key].Value = r.Name
		value[r.Name] = value[old]
		delete(value, old)
	}
	return renamed, done
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
type copier struct{ copies map[*yaml.Node]*yaml.Node }

func (c *copier) copy(node *yaml.Node) *yaml.Node {
	if node == nil {
		return nil
	}
	if known, ok := c.copies[node]; ok {
		return known
	}
	copied := *node
	c.copies[node] = &copied
	copied.Alias = c.copy(node.Alias)
	copied.Content = make([]*yaml.Node, len(node.Content))
	for i := range node.Content {
		copied.Content[i] = c.copy(node.Content[i])
	}
	return &copied
}
