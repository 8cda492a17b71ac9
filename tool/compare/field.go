package compare

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// redacted stands for a value that may be secret.
const redacted = "REDACTED"

// A Field that changes. A value that does not exist is nil.
type Field struct {
	Path   string `json:"path"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// differences between two objects, by path. Items of lists are told apart by their names if all have one.
func differences(before, after map[string]any) []Field {
	var found []Field
	differ(&found, "", before, after)
	for i := range found {
		found[i] = withoutValues(found[i])
	}
	return found
}

func differ(found *[]Field, path string, before, after any) {
	old, wasObject := objectOf(before)
	now, isObject := objectOf(after)
	switch {
	case reflect.DeepEqual(before, after):
	case wasObject && isObject, ofLabels.MatchString(path) && (before == nil || after == nil):
		keys := map[string]any{}
		maps.Copy(keys, old)
		maps.Copy(keys, now)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			differ(found, join(path, key), old[key], now[key])
		}
	default:
		*found = append(*found, Field{Path: path, Before: before, After: after})
	}
}

// ofLabels are the paths of labels and annotations, each of which is a field of its own even if all of them come or go.
var ofLabels = regexp.MustCompile(`(^|\.)metadata(\.labels|\.annotations)?$`)

// objectOf a value: an object, or a list whose items have names.
func objectOf(value any) (map[string]any, bool) {
	switch v := value.(type) {
	case map[string]any:
		return v, true
	case []any:
		named := make(map[string]any, len(v))
		for _, item := range v {
			fields, _ := item.(map[string]any)
			name, ok := fields["name"].(string)
			if _, twice := named["["+name+"]"]; !ok || twice {
				return nil, false
			}
			named["["+name+"]"] = item
		}
		return named, len(v) > 0
	default:
		return nil, false
	}
}

// join a path and a key, which is in brackets if it is the name of an item or if it has dots itself.
func join(path, key string) string {
	switch {
	case strings.HasPrefix(key, "["):
		return path + key
	case strings.ContainsAny(key, "./"):
		return path + "[" + key + "]"
	default:
		return strings.TrimPrefix(path+"."+key, ".")
	}
}

// withoutValues is a field without command lines and variables, which may contain credentials.
func withoutValues(f Field) Field {
	show := withoutSecrets
	if strict.IsSecretPath(f.Path) {
		show = hidden
	}
	return Field{Path: f.Path, Before: show(f.Before), After: show(f.After)}
}

func hidden(value any) any {
	if value == nil {
		return nil
	}
	return redacted
}

// withoutSecrets is a value without command lines and variables, such as those of a container that is added.
func withoutSecrets(value any) any {
	switch v := value.(type) {
	case map[string]any:
		shown := make(map[string]any, len(v))
		for key, field := range v {
			if strict.IsSecretField(key) {
				shown[key] = hidden(field)
			} else {
				shown[key] = withoutSecrets(field)
			}
		}
		return shown
	case []any:
		shown := make([]any, 0, len(v))
		for _, item := range v {
			shown = append(shown, withoutSecrets(item))
		}
		return shown
	default:
		return value
	}
}

// most reasons that are named.
const mostReasons = 3

// reasons are short names of fields of pods, in the order of their paths.
func reasons(fields []Field) []string {
	var all []string
	for i := range fields {
		if reason := reasonOf(fields[i].Path); !slices.Contains(all, reason) {
			all = append(all, reason)
		}
	}
	if more := len(all) - mostReasons; more > 1 {
		all = append(all[:mostReasons], strconv.Itoa(more)+" more")
	}
	return all
}

var (
	inTemplate  = regexp.MustCompile(`^(?:[^.\[]+\.)?(metadata|spec)[.\[]`)
	inContainer = regexp.MustCompile(`^(?:initC|c)ontainers\[([^\]]+)\](?:\.(.+))?$`)
	variable    = regexp.MustCompile(`^env\[([^\]]+)\]`)
	ofMetadata  = regexp.MustCompile(`^(label|annotation)s\[?\.?(.*?)\]?$`)
	firstName   = regexp.MustCompile(`^[^.\[]+`)
)

// reasonOf is a short name of a field of pods.
func reasonOf(path string) string {
	short := path
	if indexes := inTemplate.FindStringSubmatchIndex(path); indexes != nil {
		short = strings.TrimLeft(path[indexes[3]:], ".")
	}
	if strings.Contains(path, metadata.AnnotationRestartAt) {
		return "spec.restart"
	}
	if strings.Contains(path, metadata.AnnotationEPPConfigHash) {
		return "eppConfig"
	}
	if strings.Contains(path, metadata.LabelWorkerHash) || strings.Contains(path, "env["+pod.EnvWorkerSuffix+"]") {
		return "generation of the workers"
	}
	if m := ofMetadata.FindStringSubmatch(short); len(m) > 2 && m[2] != "" {
		return m[1] + " " + m[2]
	}
	if m := inContainer.FindStringSubmatch(short); m != nil {
		field := m[2]
		switch v := variable.FindStringSubmatch(field); {
		case field == "":
			return "container " + m[1]
		case v != nil:
			field = "env " + v[1]
		default:
			field = firstName.FindString(field)
		}
		if m[1] != "main" {
			return fmt.Sprintf("%s of %s", field, m[1])
		}
		return field
	}
	return firstName.FindString(short)
}
