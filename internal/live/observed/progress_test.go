package observed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// progress is what the three kinds have in common.
type progress struct {
	Generation int64
	Replicas   int32
}

func TestProgress(t *testing.T) {
	deployment := func(object *structpb.Struct) (progress, error) {
		d, err := observed.ProgressOfDeployment(object)
		return progress{d.Generation, d.Status.Replicas}, err
	}
	set := func(object *structpb.Struct) (progress, error) {
		s, err := observed.ProgressOfLeaderWorkerSet(object)
		return progress{s.Generation, s.Status.Replicas}, err
	}
	cliqueSet := func(object *structpb.Struct) (progress, error) {
		s, err := observed.ProgressOfPodCliqueSet(object)
		return progress{s.Generation, s.Status.AvailableReplicas}, err
	}
	cases := map[string]struct {
		reason string
		decode func(*structpb.Struct) (progress, error)
		object string
		want   progress
		fails  bool
	}{
		"Deployment": {
			reason: "The pods of a Deployment are not decoded, so it does not matter that they cannot be.",
			decode: deployment, object: `{"metadata":{"generation":2},"spec":{"template":3},"status":{"replicas":4}}`, want: progress{2, 4},
		},
		"UnreadableDeployment": {
			reason: "A status of a Deployment that cannot be decoded is an error.",
			decode: deployment, object: `{"status":{"replicas":"four"}}`, fails: true,
		},
		"LeaderWorkerSet": {
			reason: "The pods of a LeaderWorkerSet are not decoded, so it does not matter that they cannot be.",
			decode: set, object: `{"metadata":{"generation":2},"spec":{"leaderWorkerTemplate":3},"status":{"replicas":1}}`, want: progress{2, 1},
		},
		"UnreadableLeaderWorkerSet": {
			reason: "A status of a LeaderWorkerSet that cannot be decoded is an error.",
			decode: set, object: `{"status":{"replicas":"one"}}`, fails: true,
		},
		"PodCliqueSet": {
			reason: "The cliques of a PodCliqueSet are not decoded, so it does not matter that they cannot be.",
			decode: cliqueSet, object: `{"metadata":{"generation":2},"spec":{"template":3},"status":{"availableReplicas":1}}`, want: progress{2, 1},
		},
		"UnreadablePodCliqueSet": {
			reason: "A status of a PodCliqueSet that cannot be decoded is an error.",
			decode: cliqueSet, object: `{"status":{"availableReplicas":"one"}}`, fails: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := tc.decode(resource.MustStructJSON(tc.object))
			if diff := cmp.Diff(tc.want, got); diff != "" || tc.fails != (err != nil) {
				t.Errorf("%s\nwant an error: %t, got: %v; -want progress, +got progress:\n%s", tc.reason, tc.fails, err, diff)
			}
		})
	}
}

func TestAvailableSince(t *testing.T) {
	const since = "2026-01-01T08:00:00Z"
	condition := func(conditionType lwsv1.LeaderWorkerSetConditionType, changed string) any {
		return map[string]any{"type": string(conditionType), "status": "True", "lastTransitionTime": changed}
	}
	progressing, available := condition(lwsv1.LeaderWorkerSetProgressing, "2026-01-01T09:00:00Z"), condition(lwsv1.LeaderWorkerSetAvailable, since)
	cases := map[string]struct {
		reason string
		status map[string]any
		want   string
	}{
		"BeforeLWS09": {
			reason: "Before LWS v0.9, the last transition of condition Available shows whether the status is newer than a change.",
			status: map[string]any{"conditions": []any{progressing, available}}, want: since,
		},
		"Generation": {
			reason: "If the status contains a generation, the time of the condition does not matter.",
			status: map[string]any{"conditions": []any{progressing, available}, "observedGeneration": 3},
		},
		"NotAvailable": {
			reason: "A set that has never been available has no such time.",
			status: map[string]any{"conditions": []any{progressing}},
		},
		"New": {reason: "A set without a status has no such time.", status: nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object, err := structpb.NewStruct(map[string]any{"status": tc.status})
			if err != nil {
				t.Fatal(err)
			}
			if got := observed.AvailableSince(object); got != tc.want {
				t.Errorf("%s\nAvailableSince(...): want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
