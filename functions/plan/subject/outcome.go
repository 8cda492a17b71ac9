package subject

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Outcome is everything that the user is told about a subject.
type Outcome struct {
	// Errors are mistakes in the graph, Changes are changes of fields that are immutable once the graph runs, and Taken are
	// names that other objects already have.
	Errors, Changes, Taken field.ErrorList

	// Warnings are about fields without effect, or with another effect than the intended one.
	Warnings []string

	// Unsupported is what keeps a valid graph from running in this cluster.
	Unsupported []string

	// Gone are the APIs that the graph has objects of and that the cluster no longer serves.
	Gone []string

	// Lacking says that an object is left out because the cluster does not serve its API.
	Lacking bool

	// Waits are the objects that have to be deleted before the graph can be created.
	Waits []string
}

// Add the outcome of another subject.
func (o *Outcome) Add(other Outcome) {
	o.Errors = append(o.Errors, other.Errors...)
	o.Changes = append(o.Changes, other.Changes...)
	o.Taken = append(o.Taken, other.Taken...)
	o.Warnings = append(o.Warnings, other.Warnings...)
	o.Unsupported = append(o.Unsupported, other.Unsupported...)
	o.Gone = append(o.Gone, other.Gone...)
	o.Lacking = o.Lacking || other.Lacking
	o.Waits = append(o.Waits, other.Waits...)
}

// Warn of a field.
func (o *Outcome) Warn(path *field.Path, message string) {
	o.Warnings = append(o.Warnings, path.String()+": "+message)
}

// Change of a field that cannot change.
func (o *Outcome) Change(path *field.Path, value any, detail string) {
	o.Changes = append(o.Changes, field.Invalid(path, value, detail))
}

// Remedies where a live graph cannot be changed.
const (
	Recreate = "delete and recreate the graph"
	PutBack  = "undo the change, or " + Recreate
)

// NoChange is how messages about immutable fields begin.
const NoChange = "cannot be changed after creation"

// Keeps says that a live graph keeps a value although the input of the step has another one now.
type Keeps struct {
	// Setting of the input, such as kai.queue, and its value.
	Setting, Value string

	// Keeper is the graph or pods of it, and Kept what they keep.
	Keeper, Kept string

	// Remedy says how to take over what the input says.
	Remedy string
}

// String is a warning.
func (k Keeps) String() string {
	return fmt.Sprintf("%s is %s in the input of step plan, which does not affect running graphs: %s %s; to change it, %s", k.Setting, k.Value, k.Keeper, k.Kept, k.Remedy)
}
