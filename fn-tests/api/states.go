package api

import (
	"regexp"
	"slices"
	"strings"
)

// State of a field on one orchestrator.
type State string

// The states, from the best to the worst.
const (
	// NotThere: no graph of this orchestrator can have the field.
	NotThere State = "-"
	// Works: the field changes what is composed, or the status.
	Works State = "yes"
	// Warned: a warning names the field.
	Warned State = "warning"
	// Refused: a graph with the field is refused, and the error names the field.
	Refused State = "refused"
	// Silent: nothing happens. No field may be silent.
	Silent State = "silent"
)

// worse of two states.
func worse(a, b State) State {
	order := []State{NotThere, Works, Warned, Refused, Silent}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

var (
	// fieldPath is how messages name a field, before a colon.
	fieldPath = regexp.MustCompile(`(spec(?:\.\w+|\[[^\]]*\])+): `)
	service   = regexp.MustCompile(`^spec\.services\[[^\]]*\]`)
	component = regexp.MustCompile(`^spec\.components\[[^\]]*\]`)
	index     = regexp.MustCompile(`\[\d+\]`)
	key       = regexp.MustCompile(`\[[^\]]+\]`)
)

// names reports whether a message names a field, or one that it is part of.
func names(message, field string) bool {
	for _, match := range fieldPath.FindAllStringSubmatch(message, -1) {
		path := service.ReplaceAllString(match[1], "spec.services.*")
		path = component.ReplaceAllString(path, "spec.components[]")
		path = key.ReplaceAllString(index.ReplaceAllString(path, "[]"), "")
		// A message about a whole service is not about its fields.
		if slices.Contains([]string{"spec.services", "spec.services.*", "spec.components", "spec.components[]"}, path) {
			continue
		}
		if within(field, path) || within(path, field) {
			return true
		}
	}
	return false
}

// within reports whether a field is another one or a part of it.
func within(field, of string) bool {
	rest, ok := strings.CutPrefix(field, of)
	return ok && (rest == "" || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "[]"))
}
