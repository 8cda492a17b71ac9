package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// Placeholders that people leave for others to replace.
var (
	// wholly are values that are nothing else, wherever they are.
	wholly = regexp.MustCompile(`^(<[A-Za-z][^<>]*>|\[?(?i:your|insert)[-_ ][\w -]+\]?|(?i:change|replace)[-_ ]?(?i:me|this)|\{\{.*\}\})$`)

	// partly are parts of images and names of objects, which cannot have them otherwise.
	partly = regexp.MustCompile(`<[A-Za-z][^<>]*>|\{\{|\$\{|\$\(|(?:^|[/:@._-])(?:(?i:your)[-_][\w-]+|my-registry|my-tag|my-org)(?:$|[/:@._-])`)
)

// placeholders in a graph, other than those that are found to be wrong anyway. Nobody can tell whether a name only looks like one, so they are
// warned of.
func placeholders(o *manifest.Object, known []Finding) []Finding {
	wrong := map[string]bool{}
	for i := range known {
		wrong[known[i].Field] = wrong[known[i].Field] || known[i].Severity == Error
	}
	var found []Finding
	walk(o.Object["spec"], "spec", func(path, value string) {
		isPlaceholder := wholly.MatchString(value) || isReference(path) && partly.MatchString(value)
		if wrong[path] || !isPlaceholder {
			return
		}
		shown := fmt.Sprintf("%q", strict.Printable(value))
		if strict.IsSecretPath(path) && !isReference(path) {
			shown = "the value"
		}
		found = append(found, about(o, Warning, rule.Placeholder, path, "%s looks like a placeholder; replace it with what it stands for%s", shown, renderedBy(value)))
	})
	return found
}

// withPlaceholders are the findings with placeholders. That a placeholder is no name of an image follows.
func withPlaceholders(o *manifest.Object, found []Finding) []Finding {
	more := placeholders(o, found)
	found = slices.DeleteFunc(found, func(f Finding) bool {
		return f.Code == rule.Images && slices.ContainsFunc(more, func(p Finding) bool { return p.Field == f.Field })
	})
	return append(found, more...)
}

// template is what a value has that nobody has rendered.
var template = regexp.MustCompile(`\{\{.*\}\}|\$\{[^}]*\}`)

// unrendered templates are why values are wrong: a number that is still a variable is not to be written as a number.
func unrendered(o *manifest.Object, found []Finding) {
	values := map[string]string{}
	for _, top := range []string{"metadata", "spec"} {
		walk(o.Object[top], top, func(path, value string) { values[path] = value })
	}
	for i := range found {
		f := &found[i]
		if value := values[f.Field]; f.Severity == Error && template.MatchString(value) {
			f.Message += "; the value looks like a template, so render it first" + renderedBy(value)
		}
	}
}

// renderedBy is how a template is rendered, in the words of a remedy. Empty if the value is none.
func renderedBy(value string) string {
	switch {
	case strings.Contains(value, "{{"):
		return ", such as with helm template"
	case strings.Contains(value, "${"):
		return ", such as with envsubst"
	case strings.Contains(value, "$("):
		return ": Kubernetes only expands variables in command, args and env"
	default:
		return ""
	}
}

// isReference reports whether a path is that of an image, or of the name of something outside of the graph.
func isReference(path string) bool {
	names := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	last := names[len(names)-1]
	lower := strings.ToLower(last)
	for _, suffix := range []string{"image", "host", "secret", "secretname", "claimname"} {
		if strings.HasSuffix(lower, suffix) {
			return true
		}
	}
	if last != "name" || len(names) < 2 {
		return false
	}
	return slices.ContainsFunc(names[max(0, len(names)-3):len(names)-1], func(parent string) bool {
		parent = strings.ToLower(parent)
		return strings.Contains(parent, "ref") || strings.Contains(parent, "secret") || strings.Contains(parent, "configmap") || strings.Contains(parent, "pvc")
	})
}

// walk through the strings of a value, with their paths in the form of field errors.
func walk(value any, path string, visit func(path, value string)) {
	switch t := value.(type) {
	case string:
		visit(path, t)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(t)) {
			if path == "spec.services" || strings.ContainsAny(key, ".[]") {
				walk(t[key], path+"["+key+"]", visit)
				continue
			}
			walk(t[key], path+"."+key, visit)
		}
	case []any:
		for i, item := range t {
			name := strconv.Itoa(i)
			if content, ok := item.(map[string]any); ok && isPlainName(content["name"]) {
				name = fmt.Sprint(content["name"])
			}
			walk(item, path+"["+name+"]", visit)
		}
	}
}

// isPlainName reports whether a value can be that by which an item of a list is found.
func isPlainName(value any) bool {
	name, ok := value.(string)
	return ok && name != "" && !strings.ContainsAny(name, "[]<>{}$")
}
