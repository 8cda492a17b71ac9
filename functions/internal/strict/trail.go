package strict

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A trail is the way from the outermost object to where the decoder is. Paths are made of it for errors alone.
type trail []stretch

// A stretch of the way: the name of a field, an index, or the key of a map.
type stretch struct {
	name  string
	index int
	kind  stretchKind
}

type stretchKind int

const (
	ofField stretchKind = iota
	ofKey
	ofIndex
)

// path of the trail below a root. Names and keys are made fit for a message.
func (t trail) path(root *field.Path) *field.Path {
	path := root
	for _, s := range t {
		switch s.kind {
		case ofField:
			path = childPath(path, s.name)
		case ofKey:
			path = path.Key(Printable(s.name))
		case ofIndex:
			path = path.Index(s.index)
		}
	}
	return path
}

// childPath is path.Child, with the name made fit for a message and a nil path taken as the root.
func childPath(path *field.Path, name string) *field.Path {
	if path == nil {
		return field.NewPath(Printable(name))
	}
	return path.Child(Printable(name))
}

// endsIn says whether the names of the fields of the trail and one name more end in one of the patterns.
func (t trail) endsIn(patterns map[string]bool, name string) bool {
	names := []string{name}
	for _, s := range t {
		if s.kind == ofField {
			names = append(names[:len(names)-1], s.name, name)
		}
	}
	for i := range names {
		if patterns[strings.Join(names[i:], ".")] {
			return true
		}
	}
	return false
}
