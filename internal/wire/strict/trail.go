package strict

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A trail is the path from the outermost object to the current position. It is only converted to a field path for errors.
type trail []stretch

// A stretch of the trail: the name of a field, an index, or the key of a map.
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

// path of the trail below a root. Names and keys are made printable.
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

// childPath is path.Child with a printable name. A nil path is the root.
func childPath(path *field.Path, name string) *field.Path {
	if path == nil {
		return field.NewPath(Printable(name))
	}
	return path.Child(Printable(name))
}

// endsIn reports whether the names of the fields of the trail, followed by one more name, end with one of the patterns.
func (t trail) endsIn(patterns []string, name string) bool {
	names := []string{name}
	for _, s := range t {
		if s.kind == ofField {
			names = append(names[:len(names)-1], s.name, name)
		}
	}
	for i := range names {
		if slices.Contains(patterns, strings.Join(names[i:], ".")) {
			return true
		}
	}
	return false
}
