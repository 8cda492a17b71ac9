package sequences

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// changes between the objects of two renders, a line each: what comes (+), goes (-), and changes and where (~); and how many
// stay as they are (=).
func changes(t *testing.T, before, after map[string]*unstructured.Unstructured) string {
	t.Helper()
	var lines strings.Builder
	same := 0
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		old, now := before[key], after[key]
		switch {
		case old == nil:
			fmt.Fprintf(&lines, "+ %s %s %s%s\n", key, now.GetKind(), now.GetName(), claims(t, now))
		case now == nil:
			fmt.Fprintf(&lines, "- %s\n", key)
		default:
			var paths []string
			differ(applied(old), applied(now), "", &paths)
			if len(paths) == 0 {
				same++
				continue
			}
			fmt.Fprintf(&lines, "~ %s %s\n", key, strings.Join(paths, " "))
		}
	}
	if same > 0 {
		fmt.Fprintf(&lines, "= %d\n", same)
	}
	return lines.String()
}

// conditions that differ between two states of the composite resource, a line each (?). Crossplane's own, and what tells of
// the readiness of single objects, are not looked at.
func conditions(before, after *unstructured.Unstructured) string {
	old := conditionsOf(before)
	now := conditionsOf(after)
	var lines strings.Builder
	for _, conditionType := range slices.Sorted(maps.Keys(now)) {
		if now[conditionType] != old[conditionType] {
			fmt.Fprintf(&lines, "? %s=%s\n", conditionType, now[conditionType])
		}
	}
	return lines.String()
}

func conditionsOf(xr *unstructured.Unstructured) map[string]string {
	list, _, _ := unstructured.NestedSlice(xr.Object, "status", "conditions")
	all := map[string]string{}
	for _, item := range list {
		fields, _ := item.(map[string]any)
		text := func(name string) string { value, _ := fields[name].(string); return value }
		switch conditionType := text("type"); conditionType {
		case "Synced", "Ready", "Responsive", "ServicesReady":
		default:
			all[conditionType] = strings.TrimSpace(text("status") + " " + text("reason") + " " + indented(text("message")))
		}
	}
	return all
}

// indented are the lines of a message below its first one.
func indented(message string) string { return strings.ReplaceAll(message, "\n", "\n    ") }

// applied is an object without what the API server and controllers write.
func applied(object *unstructured.Unstructured) map[string]any {
	fields := maps.Clone(object.DeepCopy().Object)
	delete(fields, "status")
	for _, name := range []string{"uid", "generation", "resourceVersion", "creationTimestamp", "deletionTimestamp"} {
		unstructured.RemoveNestedField(fields, "metadata", name)
	}
	return fields
}

// differ collects the paths at which two values differ.
func differ(a, b any, path string, paths *[]string) {
	switch x := a.(type) {
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			keys := maps.Clone(x)
			maps.Copy(keys, y)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				differ(x[key], y[key], strings.TrimPrefix(path+"."+key, "."), paths)
			}
			return
		}
	case []any:
		if y, ok := b.([]any); ok && len(x) == len(y) {
			for i := range x {
				differ(x[i], y[i], fmt.Sprintf("%s[%d]", path, i), paths)
			}
			return
		}
	}
	if !reflect.DeepEqual(a, b) {
		*paths = append(*paths, path)
	}
}

// claims of channels by the pods of a workload: which of them claim a channel of which domain.
func claims(t *testing.T, object *unstructured.Unstructured) string {
	t.Helper()
	var claiming []string
	templates := podTemplates(t, map[string]*unstructured.Unstructured{harness.Key(object): object})
	for where, template := range templates {
		_, rest, ok := strings.Cut(template, `"resourceClaimTemplateName":"`)
		if domain, _, closed := strings.Cut(rest, `"`); ok && closed {
			_, pods, _ := strings.Cut(where, " ")
			claiming = append(claiming, pods[strings.LastIndex(pods, " ")+1:]+" claims of "+domain)
		}
	}
	if len(claiming) == 0 {
		return ""
	}
	slices.Sort(claiming)
	return ": " + strings.Join(claiming, ", ")
}
