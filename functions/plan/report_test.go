package plan

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// TestReason shows which of several refusals is the reason of condition Accepted.
func TestReason(t *testing.T) {
	// kinds, those that come before others first.
	kinds := []struct {
		kind   subject.Kind
		reason string
	}{
		{subject.PolicyInvalid, condition.ReasonPolicyInvalid},
		{subject.Mistake, condition.ReasonInvalid},
		{subject.ImmutableChange, condition.ReasonImmutableField},
		{subject.NameTaken, condition.ReasonNameTaken},
		{subject.NotSupported, condition.ReasonNotSupportedHere},
		{subject.APIGone, condition.ReasonNotSupportedHere},
		{subject.AwaitsDeletion, condition.ReasonWaitingForDeletion},
		{subject.AwaitsCheckpoint, condition.ReasonWaitingForCheckpoint},
	}
	for i, first := range kinds {
		for _, second := range kinds[i:] {
			want := first.reason
			if first.kind == subject.ImmutableChange && second.kind == subject.NameTaken {
				// Neither is the only one.
				want = condition.ReasonInvalid
			}
			d := &decision{Outcome: subject.Refused(second.kind, message.Because("b")), words: &graph.Graph{}}
			d.Refuse(first.kind, message.Because("a"))
			if got := d.reason(); got != want {
				t.Errorf("%s and %s: want %s, got %s", first.kind, second.kind, want, got)
			}
			if got, want := d.refusal().Error(), "a\nb"; got != want {
				t.Errorf("%s and %s: want %q, got %q", first.kind, second.kind, want, got)
			}
		}
	}
}
