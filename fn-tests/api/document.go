package api

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/fields"
)

// Support is what the tests found out about a field.
type Support struct {
	// States on Grove, LeaderWorkerSets and Deployments.
	States []State
	// Since is the first of upstream's definitions that has the field.
	Since string
}

const head = `# The fields and annotations of the API

<!-- Generated from the API and from fn-tests/api by make generate. Do not edit. -->

This page lists every field of a DynamoGraphDeployment, and its effect. A test finds the effect: it renders a graph with and without the field.

- yes: The field changes composed objects, or the status.
- warning: The field has no effect or only a part of its effect, or it is deprecated. Condition ` + "`Accepted`" + ` and an event say so, with the remedy.
- refused: A graph with a value other than the default is refused, with the remedy, and nothing is changed.
- below: The effect differs between the fields below.
- a dash: No graph on this orchestrator can have it.

Three words are for Grove, LeaderWorkerSets (components of several nodes) and Deployments, in this order. A single word is for all of them. Fields of
Kubernetes' own types are listed only if they are not simply passed on.

The value is the type of a field, its default, and its limits, apart from patterns. Immutable fields cannot be changed after creation.

A graph has either components, the form of nvidia.com/v1beta1, or services, the deprecated form of nvidia.com/v1alpha1. Both
versions [accept both forms](install.md#versions-of-the-api). Upstream has fields of components since ` + sinceComponents + `, and others since
` + sinceServices + `, unless a later month is in parentheses.
`

// sinceComponents and sinceServices are the first of upstream's definitions with the form.
const sinceComponents, sinceServices = "2026-08", "2026-04"

// annotationsHead explains the table of annotations.
const annotationsHead = `
## Annotations

What the functions read. *Where* is one of these:

- graph: ` + "`metadata.annotations`" + ` of the graph
- all: ` + "`spec.annotations`" + `, for every component
- component: ` + "`podTemplate.metadata.annotations`" + ` of a component, or ` + "`annotations`" + ` of a service, which take precedence

| annotation | where | values | what it does |
|---|---|---|---|
`

// A UserAnnotation is an annotation that users set.
type UserAnnotation struct{ Name, Where, Values, Description string }

// ReadAnnotations from the table in a folder.
func ReadAnnotations(folder string) ([]UserAnnotation, error) {
	const columns = 3
	rows, err := readTable(filepath.Join(folder, "annotations.tsv"), columns)
	if err != nil {
		return nil, err
	}
	var all []UserAnnotation
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, UserAnnotation{Name: name, Where: rows[name][0], Values: rows[name][1], Description: rows[name][2]})
	}
	return all, nil
}

// Document is the page about all fields and annotations.
func Document(all []Field, support map[string]Support, annotations []UserAnnotation) string {
	var page strings.Builder
	page.WriteString(head)
	said := map[string]string{}
	for _, s := range sectionsOf(rowsOf(all, support)) {
		fmt.Fprintf(&page, "\n## %s\n\n%s| field | value | what it does | effect |\n|---|---|---|---|\n", s.title, s.introduction)
		for _, r := range s.rows {
			r.text = once(said, r)
			fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", strings.Join(r.paths, "`, `"), escape(r.value), escape(strings.TrimSpace(r.text+" "+r.since)), r.effect)
		}
	}
	page.WriteString(annotationsHead)
	for _, a := range annotations {
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", a.Name, a.Where, a.Values, a.Description)
	}
	return page.String()
}

// once says a long text about fields of the same name, and refers to it later.
func once(said map[string]string, r row) string {
	const long = 40
	key := r.name() + " " + r.text
	if first, ok := said[key]; ok && len(r.text) > long {
		return fmt.Sprintf("As `%s`.", first)
	}
	if said[key] == "" {
		said[key] = r.paths[0]
	}
	return r.text
}

// prefixOf the fields that are described together with a field.
func prefixOf(path string) string {
	for _, prefix := range []string{components, services} {
		if strings.HasPrefix(path, prefix) {
			return prefix
		}
	}
	return ""
}

func textsOf(states []State) []string {
	texts := make([]string, 0, len(states))
	for _, state := range states {
		texts = append(texts, string(state))
	}
	return texts
}

// isException reports whether a field is not simply passed on.
func isException(states []string) bool {
	return slices.ContainsFunc(states, func(state string) bool { return state != string(Works) })
}

// escape characters that Markdown would interpret as a column or a tag.
func escape(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`).Replace(text)
}

// ReadSupport from the tables that the tests write, of which one is in a folder.
func ReadSupport(folder string) (map[string]Support, error) {
	states, err := fields.Support()
	if err != nil {
		return nil, err
	}
	since, err := readTable(filepath.Join(folder, "since.tsv"), 1)
	if err != nil {
		return nil, err
	}
	support := map[string]Support{}
	for path, columns := range since {
		support[path] = Support{States: states[path], Since: columns[0]}
	}
	return support, nil
}

// readTable of lines with a path and columns, between tabs.
func readTable(path string, columns int) (map[string][]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read a table: %w", err)
	}
	rows, err := fields.Table(string(data), columns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}
