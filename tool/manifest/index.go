package manifest

import (
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// entry of a mapping, or an item of a list, which has no key. at is its place in a list.
type entry struct {
	key, value *yaml.Node
	position   int
}

// An Index finds fields and items of nodes. It reads each mapping and each list once, because there may be thousands of errors, each with the path
// of a field in a mapping with thousands of keys.
type Index struct {
	lock  sync.Mutex
	known map[*yaml.Node]*contents
}

// contents of a mapping or of a list.
type contents struct {
	// places of values by their keys, or of items by their names.
	places map[string]int

	// lengths of the keys.
	lengths map[int]bool
}

// contentsOf a node. Of two keys that are equal, the last one counts, and of two names the first one.
func (x *Index) contentsOf(node *yaml.Node) *contents {
	x.lock.Lock()
	defer x.lock.Unlock()
	if c := x.known[node]; c != nil {
		return c
	}
	c := &contents{places: map[string]int{}, lengths: map[int]bool{}}
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i].Value
			c.places[key], c.lengths[len(key)] = i+1, true
		}
	} else {
		for i, item := range node.Content {
			for _, name := range namesOf(resolve(item)) {
				if _, taken := c.places[name]; !taken {
					c.places[name] = i
				}
			}
		}
	}
	if x.known == nil {
		x.known = map[*yaml.Node]*contents{}
	}
	x.known[node] = c
	return c
}

// namesOf an item of a list.
func namesOf(item *yaml.Node) []string {
	var names []string
	for _, naming := range []string{"name", "componentName"} {
		if name := child(item, naming).value; name != nil {
			names = append(names, name.Value)
		}
	}
	return names
}

// descend along a path as far as possible. The rest is what was not found.
func (x *Index) descend(place entry, path string) (found entry, rest string) {
	for path != "" {
		next, after, ok := x.step(place.value, path)
		if !ok {
			return place, path
		}
		place, path = next, after
	}
	return place, ""
}

// step to the first field of a path.
func (x *Index) step(node *yaml.Node, path string) (next entry, rest string, ok bool) {
	node = resolve(node)
	if inside, isKey := strings.CutPrefix(path, "["); isKey {
		// A key may contain brackets, so the last bracket that matches counts.
		for end := strings.Index(inside, "]"); end >= 0; {
			if next := x.element(node, inside[:end]); next.value != nil {
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
	return x.longest(node, path)
}

// longest key of a mapping with which a path begins. Keys may contain dots.
func (x *Index) longest(node *yaml.Node, path string) (next entry, rest string, ok bool) {
	in := x.contentsOf(node)
	for end := 1; end <= len(path); end++ {
		if !in.lengths[end] || end < len(path) && path[end] != '.' && path[end] != '[' {
			continue
		}
		if i, has := in.places[path[:end]]; has {
			next, rest, ok = entry{key: node.Content[i-1], value: node.Content[i]}, path[end:], true
		}
	}
	return next, rest, ok
}

// Element of a mapping by its key, or of a list by its name or index, and where the key is. Both are nil if there is none.
func (x *Index) Element(node *yaml.Node, key string) (at, value *yaml.Node) {
	found := x.element(node, key)
	return found.key, found.value
}

func (x *Index) element(node *yaml.Node, key string) entry {
	if node == nil || node.Kind != yaml.MappingNode && node.Kind != yaml.SequenceNode {
		return entry{}
	}
	i, has := x.contentsOf(node).places[key]
	switch {
	case has && node.Kind == yaml.MappingNode:
		return entry{key: node.Content[i-1], value: node.Content[i]}
	case has:
		return entry{value: node.Content[i], position: i}
	case node.Kind == yaml.MappingNode:
		return entry{}
	}
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(node.Content) {
		return entry{value: node.Content[i], position: i}
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
