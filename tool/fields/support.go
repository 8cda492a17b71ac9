package fields

import (
	_ "embed"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"
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
	// Below: it differs from one field below to the other.
	Below State = "below"
)

// Orchestrators are the columns of states.
func Orchestrators() []string { return []string{"Grove", "LeaderWorkerSet", "Deployment"} }

// support is the table that the test of all fields writes.
//
//go:embed support.tsv
var support string

// Support is what becomes of each field on each orchestrator, by path.
func Support() (map[string][]State, error) {
	rows, err := Table(support, len(Orchestrators()))
	if err != nil {
		return nil, err
	}
	states := make(map[string][]State, len(rows))
	for path, columns := range rows {
		for _, state := range columns {
			states[path] = append(states[path], State(state))
		}
	}
	return states, nil
}

// Table of lines with a path and columns, between tabs.
func Table(text string, columns int) (map[string][]string, error) {
	rows := map[string][]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != columns+1 {
			return nil, errors.Errorf("want a path and %d columns, got %q", columns, line)
		}
		rows[cells[0]] = cells[1:]
	}
	return rows, nil
}

// StatesOf a field, or the states that the fields below it have in common. They are empty if they are not known.
func StatesOf(path string, isLeaf bool, support map[string][]State) []State {
	states := make([]State, len(Orchestrators()))
	for _, other := range slices.Sorted(maps.Keys(support)) {
		if other != path && (isLeaf || !Within(other, path)) {
			continue
		}
		for i, state := range support[other] {
			switch states[i] {
			case "", state:
				states[i] = state
			default:
				states[i] = Below
			}
		}
	}
	return states
}

// Within reports whether a field is another one or a part of it.
func Within(field, parent string) bool {
	rest, ok := strings.CutPrefix(field, parent)
	return ok && (rest == "" || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "[]"))
}
