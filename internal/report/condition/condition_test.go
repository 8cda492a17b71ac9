package condition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

func want(conditionType string, status fnv1.Status, reason, message string) *fnv1.Condition {
	c := &fnv1.Condition{Type: conditionType, Status: status, Reason: reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}
	if message != "" {
		c.Message = &message
	}
	return c
}

func TestSet(t *testing.T) {
	rsp := &fnv1.RunFunctionResponse{}
	True(rsp, TypeAccepted, ReasonValid, "")
	False(rsp, TypeQueueAvailable, ReasonQueueNotFound, "no queue")
	Unknown(rsp, TypeTopologyLevelsAvailable, ReasonTopologyConditionPending, "not yet")

	wanted := []*fnv1.Condition{
		want("Accepted", fnv1.Status_STATUS_CONDITION_TRUE, "Valid", ""),
		want("QueueAvailable", fnv1.Status_STATUS_CONDITION_FALSE, "QueueNotFound", "no queue"),
		want("TopologyLevelsAvailable", fnv1.Status_STATUS_CONDITION_UNKNOWN, "TopologyConditionPending", "not yet"),
	}
	if diff := cmp.Diff(wanted, rsp.GetConditions(), protocmp.Transform()); diff != "" {
		t.Errorf("conditions: -want, +got:\n%s", diff)
	}
}

func TestOfComposite(t *testing.T) {
	cases := map[string]struct {
		reason string
		xr     string
		want   []Observed
	}{
		"Ours": {
			reason: "Conditions of functions are read, whoever set them; Crossplane's own cannot be set by functions.",
			xr: `{"status":{"conditions":[
				{"type":"Synced","status":"True","reason":"ReconcileSuccess"},
				{"type":"Ready","status":"False","reason":"Creating"},
				{"type":"Responsive","status":"True","reason":"WatchCircuitClosed"},
				{"type":"Healthy","status":"True","reason":"x"},
				{"type":"UpToDate","status":"True","reason":"x"},
				{"type":"Accepted","status":"True","reason":"Valid","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"},
				{"type":"BucketReady","status":"Unknown","reason":"Waiting"}]}}`,
			want: []Observed{
				{Type: "Accepted", Status: "True", Reason: "Valid", Message: "m"},
				{Type: "BucketReady", Status: "Unknown", Reason: "Waiting"},
			},
		},
		"NoStatus": {reason: "A new composite resource has no conditions.", xr: `{}`},
		"Garbage":  {reason: "What is no condition is passed over.", xr: `{"status":{"conditions":["x",{"status":"True"},3]}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(tc.xr)}}}
			if diff := cmp.Diff(tc.want, OfComposite(req)); diff != "" {
				t.Errorf("%s\nOfComposite(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFind(t *testing.T) {
	observed := []Observed{{Type: "A", Reason: "a"}, {Type: "B", Reason: "b"}}
	cases := map[string]struct {
		reason string
		find   string
		want   *Observed
	}{
		"There":    {reason: "A condition is found by its type.", find: "B", want: &Observed{Type: "B", Reason: "b"}},
		"NotThere": {reason: "A condition that is not there is nil.", find: "C"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Find(observed, tc.find)); diff != "" {
				t.Errorf("%s\nFind(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRepeat(t *testing.T) {
	rsp := &fnv1.RunFunctionResponse{}
	False(rsp, TypeAccepted, ReasonInvalid, "new")
	Repeat(rsp, []Observed{
		{Type: "Accepted", Status: "True", Reason: "Valid", Message: "old"},
		{Type: "ServicesReady", Status: "True", Reason: "all_resources_are_ready"},
		{Type: "QueueAvailable", Status: "False", Reason: "QueueNotFound", Message: "no queue"},
		{Type: "BucketReady", Status: "Unknown", Reason: "Waiting", Message: "soon"},
		{Type: "NoReason", Status: "True"},
	})

	wanted := []*fnv1.Condition{
		want("Accepted", fnv1.Status_STATUS_CONDITION_FALSE, "Invalid", "new"),
		want("ServicesReady", fnv1.Status_STATUS_CONDITION_TRUE, "all_resources_are_ready", ""),
		want("QueueAvailable", fnv1.Status_STATUS_CONDITION_FALSE, "QueueNotFound", "no queue"),
		want("BucketReady", fnv1.Status_STATUS_CONDITION_UNKNOWN, "Waiting", "soon"),
	}
	if diff := cmp.Diff(wanted, rsp.GetConditions(), protocmp.Transform()); diff != "" {
		t.Errorf("A condition that the step returns itself is not repeated, nor one without the reason that the API asks for.\nRepeat(...): -want, +got:\n%s", diff)
	}
}

func TestOfPlan(t *testing.T) {
	cases := map[string]struct {
		reason string
		types  []string
		want   bool
	}{
		"Plan":   {reason: "Step plan returns its conditions whenever it writes a plan.", types: []string{TypeAccepted, TypeOrchestratorSelected, TypeQueueAvailable}, want: true},
		"Others": {reason: "Conditions of later steps or of other functions do not belong to step plan.", types: []string{TypeServicesReady, TypeTopologyLevelsAvailable, "BucketReady"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, conditionType := range tc.types {
				if got := OfPlan(conditionType); got != tc.want {
					t.Errorf("%s\nOfPlan(%s): want %t, got %t", tc.reason, conditionType, tc.want, got)
				}
			}
		})
	}
}

func TestOf(t *testing.T) {
	for status, text := range map[fnv1.Status]string{
		fnv1.Status_STATUS_CONDITION_TRUE: "True", fnv1.Status_STATUS_CONDITION_FALSE: "False",
		fnv1.Status_STATUS_CONDITION_UNKNOWN: "Unknown", fnv1.Status_STATUS_CONDITION_UNSPECIFIED: "Unknown",
	} {
		got := Of(want("ServicesReady", status, "all_resources_are_ready", "message"))
		if diff := cmp.Diff(Observed{Type: "ServicesReady", Status: text, Reason: "all_resources_are_ready", Message: "message"}, got); diff != "" {
			t.Errorf("Crossplane sets a condition to what the function says, and to Unknown if it does not.\nOf(%s): -want, +got:\n%s", status, diff)
		}
	}
}
