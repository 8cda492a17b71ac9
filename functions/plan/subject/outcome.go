package subject

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
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

// code of the rule that a graph breaks by which nothing is wrong with the graph itself. Empty if the rule depends on what is wrong.
func (k Kind) code() rule.Code {
	switch k {
	case NotSupported, APIGone, AwaitsDeletion:
		return rule.NotSupportedHere
	case AwaitsCheckpoint:
		return rule.Checkpoints
	case PolicyInvalid, Mistake, ImmutableChange, NameTaken:
		return ""
	}
	return ""
}

// A Refusal is a reason for which a graph is not applied.
type Refusal struct {
	*message.Message

	Kind Kind
}

// Outcome is everything that is reported to the user about a subject, and what it depends on.
type Outcome struct {
	// Requirements are the look-ups by which the subject is decided. Nothing is reported before all of them are resolved.
	Requirements require.Requirements

	// Refusals are all reasons for which the graph is refused.
	Refusals []Refusal

	// Warnings are about fields without effect, or with an unintended effect.
	Warnings message.List

	// Lacking says that an object is left out because the cluster does not serve its API.
	Lacking bool
}

// Refused for reasons of a kind.
func Refused(kind Kind, reasons ...*message.Message) Outcome {
	var o Outcome
	o.Refuse(kind, reasons...)
	return o
}

// Refuse the graph for reasons of a kind.
func (o *Outcome) Refuse(kind Kind, reasons ...*message.Message) {
	for _, m := range reasons {
		m.Code = cmp.Or(m.Code, kind.code())
		o.Refusals = append(o.Refusals, Refusal{Kind: kind, Message: m})
	}
}

// Refused for reasons of some kinds.
func (o *Outcome) Refused(kinds ...Kind) message.List {
	var reasons message.List
	for _, r := range o.Refusals {
		if slices.Contains(kinds, r.Kind) {
			reasons = append(reasons, r.Message)
		}
	}
	return reasons
}

// Has reports whether there is a refusal of one of some kinds.
func (o *Outcome) Has(kinds ...Kind) bool {
	return slices.ContainsFunc(o.Refusals, func(r Refusal) bool { return slices.Contains(kinds, r.Kind) })
}

// Add the outcome of another subject.
func (o *Outcome) Add(other Outcome) {
	o.Requirements = append(o.Requirements, other.Requirements...)
	o.Refusals = append(o.Refusals, other.Refusals...)
	o.Warnings = append(o.Warnings, other.Warnings...)
	o.Lacking = o.Lacking || other.Lacking
}

// Mark everything as being about a rule, unless it already is about one.
func (o *Outcome) Mark(code rule.Code) {
	for _, r := range o.Refusals {
		r.Code = cmp.Or(r.Code, code)
	}
	o.Warnings.Mark(code)
}

// Warn about a field.
func (o *Outcome) Warn(path *field.Path, format string, args ...any) {
	o.Warnings = append(o.Warnings, message.About(path, format, args...))
}

// Change of a field that cannot change.
func (o *Outcome) Change(path *field.Path, value any, format string, args ...any) {
	o.Refuse(ImmutableChange, message.Invalid(path, value, format, args...))
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
func (f *Facts) Keeps(k Keeps) *message.Message {
	return message.Because("%s is %s %s, which does not affect running graphs: %s %s; to change it, %s", k.Setting, k.Value, f.Sources.In(k.Setting), k.Keeper, k.Current, k.Remedy)
}
