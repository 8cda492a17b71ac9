package api

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/fields"
)

// State of a field on one orchestrator.
type State = fields.State

// The states, from the best to the worst.
const (
	NotThere = fields.NotThere
	Works    = fields.Works
	Warned   = fields.Warned
	Refused  = fields.Refused
	Silent   = fields.Silent
)

// worse of two states.
func worse(a, b State) State {
	order := []State{NotThere, Works, Warned, Refused, Silent}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// losses are the fields that do less than before, and how.
func losses(before, after map[string][]State) []string {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(before)) {
		for i, was := range before[path] {
			is := NotThere
			if i < len(after[path]) {
				is = after[path][i]
			}
			if was != NotThere && was != is && (is == NotThere || worse(was, is) == is) {
				all = append(all, fmt.Sprintf("%s on %s: %s becomes %s", path, fields.Orchestrators()[i], was, is))
			}
		}
	}
	return all
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
		if fields.Within(field, path) || fields.Within(path, field) {
			return true
		}
	}
	return false
}
