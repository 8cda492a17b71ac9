package subject

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Outcome is what deciding a subject comes to beside its part of the plan: everything that the user is told.
type Outcome struct {
	// Errors are mistakes in the graph. Changes are those of what cannot change after creation, and Taken are names that
	// objects of others have.
	Errors, Changes, Taken field.ErrorList

	// Warnings name what has no effect, or not the one that is meant.
	Warnings []string

	// Unsupported is what keeps a valid graph from running in this cluster.
	Unsupported []string

	// Gone is what the graph has objects of and the cluster does not serve any more.
	Gone []string

	// Lacking says that something is left out that the cluster does not serve.
	Lacking bool

	// Waits are for what has to be gone before anything is done.
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
	PutBack  = "put it back as it was, or " + Recreate
)

// NoChange is what is said of a field that cannot change.
const NoChange = "cannot change after creation"

// Keeps says that a live graph keeps something although the input of the step says something else now.
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
	return fmt.Sprintf("%s is %s in the input of step plan, which changes no graph that runs: %s %s; to change it, %s", k.Setting, k.Value, k.Keeper, k.Kept, k.Remedy)
}
