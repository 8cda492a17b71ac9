package api

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/fields"
)

// section of the page.
type section struct {
	title, introduction string
	rows                []row
}

// row about fields of which the same is to be said.
type row struct {
	// prefix of the form to which the fields belong. An empty text stands for the graph itself.
	prefix string

	// paths below the prefix.
	paths []string

	value, text, since, effect string
}

// experimental is where components have some of the fields that services have without it.
const experimental = "experimental."

// rowsOf all fields that have a description, or that are not simply passed on. Fields of one form that have the same name and of which the
// same is to be said share a row.
func rowsOf(all []Field, support map[string]Support) []row {
	found := make(map[string][]State, len(support))
	for path, s := range support {
		found[path] = s.States
	}
	var rows []row
	for _, field := range all {
		states := textsOf(fields.StatesOf(field.Path, field.Leaf, found))
		if field.Description == "" && !isException(states) {
			continue
		}
		r := rowOf(field, support[field.Path].Since, states)
		if i := slices.IndexFunc(rows, r.isSame); i >= 0 {
			rows[i].paths = append(rows[i].paths, r.paths...)
			continue
		}
		rows = append(rows, r)
	}
	return rows
}

func rowOf(field Field, since string, states []string) row {
	r := row{prefix: prefixOf(field.Path), text: withoutName(field), effect: strings.Join(states, ", ")}
	r.paths = []string{strings.TrimPrefix(field.Path, r.prefix)}
	r.value = strings.TrimSuffix(field.Type+"; "+field.Limits, "; ")
	if len(slices.Compact(slices.Clone(states))) == 1 {
		r.effect = states[0]
	}
	if first := map[bool]string{true: sinceComponents, false: sinceServices}[r.prefix == components]; since != first {
		r.since = fmt.Sprintf("(%s)", since)
	}
	return r
}

// isSame reports whether a field of the same form and name has the same row.
func (r row) isSame(other row) bool {
	return r.prefix == other.prefix && r.name() == other.name() && r.value == other.value && r.text == other.text &&
		r.since == other.since && r.effect == other.effect
}

// name of a field without the fields above it.
func (r row) name() string { return r.paths[0][strings.LastIndex(r.paths[0], ".")+1:] }

// sectionsOf the page. What components and services have in common comes once.
func sectionsOf(rows []row) []section {
	ofGraph, ofComponents, ofServices, ofBoth := section{title: "The graph"}, section{title: "Each component"}, section{title: "Each service"}, section{
		title:        "Each component or service",
		introduction: "Services have these fields without `experimental.`\n\n",
	}
	for _, r := range rows {
		switch r.prefix {
		case components:
			ofComponents.rows = append(ofComponents.rows, r)
		case services:
			ofServices.rows = append(ofServices.rows, r)
		default:
			ofGraph.rows = append(ofGraph.rows, r)
		}
	}
	ofComponents.rows = slices.DeleteFunc(ofComponents.rows, func(c row) bool {
		i := slices.IndexFunc(ofServices.rows, c.isOfServices)
		if i < 0 {
			return false
		}
		c.since = ofServices.rows[i].since
		ofBoth.rows = append(ofBoth.rows, c)
		ofServices.rows = slices.Delete(ofServices.rows, i, i+1)
		return true
	})
	sections := []section{ofGraph, ofBoth, ofComponents, ofServices}
	return slices.DeleteFunc(sections, func(s section) bool { return len(s.rows) == 0 })
}

// isOfServices reports whether a row about components also describes fields of services.
func (r row) isOfServices(service row) bool {
	return slices.Equal(ofServices(r.paths), service.paths) && r.value == service.value && r.effect == service.effect &&
		strings.ReplaceAll(service.text, "service", "component") == strings.ReplaceAll(r.text, "service", "component") &&
		(r.since == service.since || r.since == "" && service.since == "("+sinceComponents+")")
}

// ofServices are the paths of fields of services that have those names in components.
func ofServices(paths []string) []string {
	var all []string
	for _, path := range paths {
		all = append(all, strings.TrimPrefix(path, experimental))
	}
	return all
}

// named is a description as Go has it: with the name of the field as its subject.
var named = regexp.MustCompile(`^(\w+) (?:((?:is|are|holds) )|\w+s )`)

// withoutName is the description of a field without its name, which is beside it.
func withoutName(field Field) string {
	found := named.FindStringSubmatch(field.Description)
	if len(found) == 0 || !strings.EqualFold(found[1], field.Path[strings.LastIndex(field.Path, ".")+1:]) {
		return field.Description
	}
	text := strings.TrimPrefix(strings.TrimPrefix(field.Description, found[1]+" "), found[2])
	if value, _, _ := strings.Cut(text, " "); slices.Contains(field.Values, value) {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
