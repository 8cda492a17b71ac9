package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"
)

// An edit of a graph sets a field to a value, YAML. The path of the field is as in messages. Without a value, the field is removed.
type edit struct{ field, value string }

func (e edit) String() string { return e.field + " = " + e.value }

// apply edits to a copy of a graph, in the order of their fields.
func apply(graph *structpb.Struct, edits []edit) (*structpb.Struct, error) {
	out := structpb.NewStructValue(proto.CloneOf(graph))
	for _, e := range slices.SortedFunc(slices.Values(edits), func(a, b edit) int { return strings.Compare(a.field, b.field) }) {
		value, err := parse(e.value)
		if err == nil {
			err = put(out, steps(e.field), value)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot set %s: %w", e.field, err)
		}
	}
	return out.GetStructValue(), nil
}

// parse a value; an empty one is nil.
func parse(text string) (*structpb.Value, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // No value is what the text says.
	}
	encoded, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, err
	}
	value := &structpb.Value{}
	err = value.UnmarshalJSON(encoded)
	return value, err
}

// steps of a path: a.b[c.d].e has a, b, c.d and e.
func steps(path string) []string {
	var all []string
	for path != "" {
		if key, ok := strings.CutPrefix(path, "["); ok {
			key, path, _ = strings.Cut(key, "]")
			path = strings.TrimPrefix(path, ".")
			all = append(all, key)
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		all, path = append(all, path[:end]), strings.TrimPrefix(path[end:], ".")
	}
	return all
}

// put a value into a tree. Missing objects are created, but items of lists must exist.
func put(tree *structpb.Value, steps []string, value *structpb.Value) error {
	if list := tree.GetListValue(); list != nil {
		i, err := strconv.Atoi(steps[0])
		switch {
		case err != nil || i >= len(list.GetValues()):
			return fmt.Errorf("a list of %d items has no %s", len(list.GetValues()), steps[0])
		case len(steps) == 1:
			list.Values[i] = value
			return nil
		default:
			return put(list.GetValues()[i], steps[1:], value)
		}
	}
	fields := tree.GetStructValue().GetFields()
	switch {
	case fields == nil:
		return fmt.Errorf("there is no object to hold %s", steps[0])
	case len(steps) == 1 && value == nil:
		delete(fields, steps[0])
		return nil
	case len(steps) == 1:
		fields[steps[0]] = value
		return nil
	case fields[steps[0]] == nil:
		fields[steps[0]] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{}})
	}
	return put(fields[steps[0]], steps[1:], value)
}

// overlap reports whether the fields are equal, or one of them contains the other.
func overlap(a, b edit) bool {
	one, other := steps(a.field), steps(b.field)
	n := min(len(one), len(other))
	return slices.Equal(one[:n], other[:n])
}
