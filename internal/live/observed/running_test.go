package observed_test

import (
	"cmp"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
)

// TestRunning shows with how many replicas component Worker was last applied.
func TestRunning(t *testing.T) {
	const (
		deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker"},"spec":{"replicas":3}}`
		set        = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","spec":{"template":{
			"cliques":[{"name":"worker-ldr","spec":{"replicas":1}},{"name":"worker-wkr","spec":{"replicas":1}},{"name":"frontend","spec":{"replicas":9}}],
			"podCliqueScalingGroups":[{"name":"worker","cliqueNames":["worker-ldr","worker-wkr"],"replicas":4}]}}}`
	)
	leaderWorkerSet := func(name string) *lwsv1.LeaderWorkerSet { return setOf(name, nil, corev1.PodTemplateSpec{}) }
	deleted := leaderWorkerSet("llama-worker-3")
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	cases := map[string]struct {
		reason string
		// graph with a status, JSON. Empty: it has none.
		graph string
		// observed objects, or JSON, by key.
		observed map[string]any

		want int32
		ok   bool
	}{
		"Nothing":    {reason: "A service that does not run has no number."},
		"Deployment": {reason: "A Deployment has the number.", observed: map[string]any{"deployment-worker": deployment}, want: 3, ok: true},
		"Grove":      {reason: "A PodCliqueSet has the number of each scaling group.", observed: map[string]any{"podcliqueset": set}, want: 4, ok: true},
		"GroveScaling": {
			reason:   "While a helper scales the child, the PodCliqueSet still has the number before.",
			observed: map[string]any{"podcliqueset": set, "replicas-worker": `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"minReplicas":6,"maxReplicas":6}}`},
			want:     6, ok: true,
		},
		"GroveScaled": {
			reason:   "A helper that is being deleted has done its work.",
			observed: map[string]any{"podcliqueset": set, "replicas-worker": `{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"minReplicas":6,"maxReplicas":6}}`},
			want:     4, ok: true,
		},
		"LeaderWorkerSets": {
			reason: "Each replica is an object. One that is missing in between is counted, and one that a scale-in deletes is not.",
			observed: map[string]any{
				"leaderworkerset-worker-0": leaderWorkerSet("llama-worker-0"),
				"leaderworkerset-worker-2": leaderWorkerSet("llama-worker-2"),
				"leaderworkerset-worker-3": deleted,
				"leaderworkerset-other-7":  leaderWorkerSet("llama-other-7"),
			},
			want: 3, ok: true,
		},
		"Status":     {reason: "Without any object, the status remembers the number.", graph: `{"status":{"services":{"Worker":{"replicas":2}}}}`, want: 2, ok: true},
		"Components": {reason: "The status of a graph with components tells the number as well.", graph: `{"status":{"components":{"Worker":{"replicas":0}}}}`, ok: true},
		"Creating": {
			reason:   "LeaderWorkerSets that are not created yet are referred to.",
			graph:    `{"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-3"},{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","name":"llama-worker-a-7"}]}}}`,
			observed: map[string]any{"leaderworkerset-worker-0": leaderWorkerSet("llama-worker-0")}, want: 4, ok: true,
		},
		"NotCreated": {
			reason: "What could not be created yet has no number, although the status reports that nothing runs.",
			graph: `{"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"apps/v1","kind":"Deployment","name":"llama-worker"}]}},
				"status":{"orchestrator":"Deployment","components":{"Worker":{"replicas":0,"componentKind":"Deployment","componentNames":["llama-worker"]}}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			state, err := observed.Of(request(cmp.Or(tc.graph, `{}`), tc.observed))
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := state.Running("Worker"); got != tc.want || ok != tc.ok {
				t.Errorf("%s\nRunning(...): want %d, %t, got %d, %t", tc.reason, tc.want, tc.ok, got, ok)
			}
		})
	}
}
