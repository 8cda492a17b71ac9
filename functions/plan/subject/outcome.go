package subject

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// A Kind of refusal decides the reason of condition Accepted.
type Kind string

const (
	// PolicyInvalid is a mistake in the policy of the platform, with which nothing is decided.
	PolicyInvalid Kind = "PolicyInvalid"

	// Mistake in the graph.
	Mistake Kind = "Mistake"

	// ImmutableChange is a change of what cannot change after the graph was created.
	ImmutableChange Kind = "ImmutableChange"

	// NameTaken is the name of an object that is not the graph's.
	NameTaken Kind = "NameTaken"

	// NotSupported is what a valid graph needs and this cluster does not have.
	NotSupported Kind = "NotSupported"

	// APIGone is the API of existing objects of the graph that the cluster no longer serves.
	APIGone Kind = "APIGone"

	// AwaitsDeletion of an object, before which the graph cannot be created.
	AwaitsDeletion Kind = "AwaitsDeletion"

	// AwaitsCheckpoint that has to be ready before the graph can be applied.
	AwaitsCheckpoint Kind = "AwaitsCheckpoint"
)

// A Refusal is a reason for which a graph is not applied.
type Refusal struct {
	Kind Kind

	// Field is the error in a field of the graph or of the policy. nil: the reason is not in a field.
	Field *field.Error

	// Text of a reason that is not in a field.
	Text string
}

// Message of the refusal.
func (r Refusal) Message() string {
	if r.Field != nil {
		return r.Field.Error()
	}
	return r.Text
}

// Outcome is everything that is reported to the user about a subject.
type Outcome struct {
	// Refusals are all reasons for which the graph is refused.
	Refusals []Refusal

	// Warnings are about fields without effect, or with an unintended effect.
	Warnings []string

	// Lacking says that an object is left out because the cluster does not serve its API.
	Lacking bool
}

// Refused for errors in fields.
func Refused(kind Kind, errs ...*field.Error) Outcome {
	var o Outcome
	o.Refuse(kind, errs...)
	return o
}

// RefusedBecause of reasons that are not in a field.
func RefusedBecause(kind Kind, texts ...string) Outcome {
	var o Outcome
	o.RefuseBecause(kind, texts...)
	return o
}

// Refuse the graph for errors in fields.
func (o *Outcome) Refuse(kind Kind, errs ...*field.Error) {
	for _, e := range errs {
		o.Refusals = append(o.Refusals, Refusal{Kind: kind, Field: e})
	}
}

// RefuseBecause of reasons that are not in a field.
func (o *Outcome) RefuseBecause(kind Kind, texts ...string) {
	for _, text := range texts {
		o.Refusals = append(o.Refusals, Refusal{Kind: kind, Text: text})
	}
}

// Errors in fields, of some kinds.
func (o *Outcome) Errors(kinds ...Kind) field.ErrorList { return ErrorsOf(*o, kinds...) }

// ErrorsOf an outcome in fields, of some kinds.
func ErrorsOf(o Outcome, kinds ...Kind) field.ErrorList {
	var errs field.ErrorList
	for _, r := range o.Refusals {
		if r.Field != nil && slices.Contains(kinds, r.Kind) {
			errs = append(errs, r.Field)
		}
	}
	return errs
}

// Has reports whether there is a refusal of one of some kinds.
func (o *Outcome) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(o.Refusals, func(r Refusal) bool { return slices.Contains(kinds, r.Kind) })
}

// Add the outcome of another subject.
func (o *Outcome) Add(other Outcome) {
	o.Refusals = append(o.Refusals, other.Refusals...)
	o.Warnings = append(o.Warnings, other.Warnings...)
	o.Lacking = o.Lacking || other.Lacking
}

// Warn about a field.
func (o *Outcome) Warn(path *field.Path, message string) {
	o.Warnings = append(o.Warnings, rule.Field(path)+": "+message)
}

// Change of a field that cannot change.
func (o *Outcome) Change(path *field.Path, value any, detail string) {
	o.Refuse(ImmutableChange, field.Invalid(path, value, detail))
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
