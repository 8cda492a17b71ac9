package conversion

import (
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A change of a field that restores what was written.
type change struct {
	Path   []string `json:"path"`
	Value  any      `json:"value,omitempty"`
	Absent bool     `json:"absent,omitempty"`

	// lost is whether the rules restore nothing at the path.
	lost bool
}

// changes that turn one value into another. Objects are compared key by key, and lists of the same items item by item.
func changes(path []string, from, to any) []change {
	switch to := to.(type) {
	case object:
		if from, ok := from.(object); ok && from != nil && to != nil {
			return changesOfObject(path, from, to)
		}
	case []any:
		if from, ok := from.([]any); ok && from != nil && to != nil && slices.Equal(names(from), names(to)) {
			var out []change
			for i := range to {
				out = append(out, changes(append(slices.Clip(path), strconv.Itoa(i)), from[i], to[i])...)
			}
			return out
		}
	}
	if unchanged(from, to) {
		return nil
	}
	return []change{{Path: path, Value: clone(to), lost: from == nil}}
}

func changesOfObject(path []string, from, to object) []change {
	var out []change
	for _, key := range slices.Sorted(maps.Keys(to)) {
		extended := append(slices.Clip(path), key)
		if before, ok := from[key]; ok {
			out = append(out, changes(extended, before, to[key])...)
			continue
		}
		out = append(out, change{Path: extended, Value: clone(to[key]), lost: true})
	}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if _, ok := to[key]; !ok {
			out = append(out, change{Path: append(slices.Clip(path), key), Absent: true})
		}
	}
	return out
}

// apply the change. An object without the path stays as it is.
func (c change) apply(o object) {
	if len(c.Path) == 0 {
		return
	}
	var holder any = o
	for _, step := range c.Path[:len(c.Path)-1] {
		switch below := holder.(type) {
		case object:
			holder = below[step]
		case []any:
			holder = nil
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(below) {
				holder = below[i]
			}
		default:
			return
		}
	}
	last := c.Path[len(c.Path)-1]
	switch holder := holder.(type) {
	case object:
		switch {
		case holder == nil:
		case c.Absent:
			delete(holder, last)
		default:
			holder[last] = clone(c.Value)
		}
	case []any:
		if i, err := strconv.Atoi(last); err == nil && i >= 0 && i < len(holder) && !c.Absent {
			holder[i] = clone(c.Value)
		}
	}
}

// pathFrom is the path of the field that changes.
func (c change) pathFrom(path *field.Path) *field.Path {
	for _, step := range c.Path {
		if i, err := strconv.Atoi(step); err == nil {
			path = path.Index(i)
			continue
		}
		path = path.Child(step)
	}
	return path
}
