package subject

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/rule"
)

// Outcome is everything that is reported to the user about a subject.
type Outcome struct {
	// Errors are errors in the graph, Changes are changes of fields that are immutable after the graph was created, and Taken are names of
	// existing objects.
	Errors, Changes, Taken field.ErrorList

	// Warnings are about fields without effect, or with an unintended effect.
	Warnings []string

	// Unsupported is why a valid graph cannot run in this cluster.
	Unsupported []string

	// Gone are the APIs of existing objects of the graph that the cluster no longer serves.
	Gone []string

	// Lacking says that an object is left out because the cluster does not serve its API.
	Lacking bool

	// Waits are the objects that have to be deleted before the graph can be created.
	Waits []string

	// Awaits are the checkpoints that have to be ready before the graph can be applied.
	Awaits []string
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
	o.Awaits = append(o.Awaits, other.Awaits...)
}

// Warn about a field.
func (o *Outcome) Warn(path *field.Path, message string) {
	o.Warnings = append(o.Warnings, rule.Field(path)+": "+message)
}

// Change of a field that cannot change.
func (o *Outcome) Change(path *field.Path, value any, detail string) {
	o.Changes = append(o.Changes, field.Invalid(path, value, detail))
}

// Remedies for live graphs that cannot be changed.
const (
	Recreate = "delete and recreate the graph"
	PutBack  = "undo the change, or " + Recreate
)

// NoChange is the beginning of messages about immutable fields.
const NoChange = "cannot be changed after creation"

// Keeps says that a live graph keeps a value although the policy of the platform has changed.
type Keeps struct {
	// Setting of the policy, such as kai.queue, and its value.
	Setting, Value string

	// Keeper is the graph or its pods, and Current is what they keep.
	Keeper, Current string

	// Remedy describes how to apply the policy.
	Remedy string
}

// Keeps is a warning.
func (f *Facts) Keeps(k Keeps) string {
	return fmt.Sprintf("%s is %s %s, which does not affect running graphs: %s %s; to change it, %s", k.Setting, k.Value, f.Sources.In(k.Setting), k.Keeper, k.Current, k.Remedy)
}
