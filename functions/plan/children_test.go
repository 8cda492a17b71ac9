package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

const observedWithGroup = `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"},"spec":{"replicas":1,"template":{
	"cliques":[{"name":"frontend","spec":{"replicas":1,"minAvailable":1}},{"name":"worker-ldr","spec":{"replicas":1,"minAvailable":1}},
		{"name":"worker-wkr","spec":{"replicas":1,"minAvailable":1}}],
	"podCliqueScalingGroups":[{"name":"worker","cliqueNames":["worker-ldr","worker-wkr"],"replicas":2,"minAvailable":1}]}}}`

func TestChildren(t *testing.T) {
	const (
		clique = `{"apiVersion":"grove.io/v1alpha1","kind":"PodClique","metadata":{"name":"llama-0-frontend","generation":3},"spec":{"replicas":2,"roleName":"frontend"},
			"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":1,"readyReplicas":2,"scheduledReplicas":3,"hpaPodSelector":"x"}}`
		inGroup = `{"kind":"PodClique","metadata":{"name":"llama-0-worker-0-worker-ldr","generation":1},"spec":{"replicas":1}}`
		group   = `{"kind":"PodCliqueScalingGroup","metadata":{"name":"llama-0-worker","generation":1},"spec":{"replicas":2},
			"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"availableReplicas":2,"scheduledReplicas":2}}`
		others = `{"kind":"PodCliqueScalingGroup","metadata":{"name":"llama-1-worker","generation":1},"spec":{"replicas":2}}`

		cliqueChild = `"Frontend":{"kind":"PodClique","name":"llama-0-frontend","generation":3,"observedGeneration":2,"specReplicas":2,
			"replicas":3,"updatedReplicas":1,"readyReplicas":2,"availableReplicas":0,"scheduledReplicas":3}`
		groupChild = `"Worker":{"kind":"PodCliqueScalingGroup","name":"llama-0-worker","generation":1,"observedGeneration":1,"specReplicas":2,
			"replicas":2,"updatedReplicas":2,"readyReplicas":0,"availableReplicas":2,"scheduledReplicas":2}`
	)
	xr := graphOf(services(frontend, multinode))
	planned := func(children string) responseOption {
		return planOf(`{"version":2,"release":"development","orchestrator":"Grove","grove":{"terminationDelay":"15m0s"},"totalGPUs":32,` + children + `
			"services":{"Frontend":{"discovery":"kubernetes","dynamoNamespace":"inference-llama"},
			"Worker":{"framework":"vllm","executor":"ray","discovery":"kubernetes","dynamoNamespace":"inference-llama"}}}`)
	}
	live := func(more ...requestOption) []requestOption {
		return append([]requestOption{withGroups("grove"), withObserved("podcliqueset", observedWithGroup)}, more...)
	}
	asked := []responseOption{asksForGroups(), asksForChildren("frontend"), asksForScalingGroups("worker"), accepted(), onGrove(), noQueue()}
	undelivered := request(xr, live()...)
	delete(undelivered.GetRequiredResources(), "podcliquescalinggroup-worker")
	compare(t, map[string]responseCase{
		"BothKinds": {
			reason: "A single-node service is its PodClique, a multinode one its PodCliqueScalingGroup; the PodCliques in there are not even asked for.",
			req:    request(xr, live(withChildren([]string{clique, inGroup}, []string{group, others}))...),
			want:   want(append(asked, planned(`"children":{`+cliqueChild+`,`+groupChild+`},`))...),
		},
		"NoneYet": {
			reason: "Grove may not have made them yet.",
			req:    request(xr, live()...),
			want:   want(append(asked, planned(``))...),
		},
		"Undelivered": {
			reason: "What has not been looked up is unknown: there is no plan before it has.",
			req:    undelivered,
			want:   want(asksForGroups(), asksForChildren("frontend"), asksForScalingGroups("worker")),
		},
		"NoSetYet": {
			reason: "Before there is a PodCliqueSet there is nothing to look up.",
			req:    request(xr, withGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), planned(``)),
		},
		"Odd": {
			reason: "A child that cannot be read is told of, with what can be, and no graph is lost over it.",
			req: request(xr, live(withChildren([]string{`{"kind":"PodClique","metadata":{"name":"llama-0-frontend","generation":1},"spec":{"replicas":2},"status":{"replicas":"two"}}`},
				[]string{`{"kind":"PodCliqueScalingGroup"}`, `{"metadata":"x"}`}))...),
			want: want(append(asked, planned(`"children":{"Frontend":{"kind":"PodClique","name":"llama-0-frontend","generation":1,"specReplicas":2,
				"replicas":0,"updatedReplicas":0,"readyReplicas":0,"availableReplicas":0,"scheduledReplicas":0,
				"trouble":"cannot be read: cannot read PodClique llama-0-frontend: status.replicas: Invalid value: must be a whole number, not a string"}},`))...),
		},
	})
}

// TestUpdates shows what is told of rolling updates, of which Grove has written the status at some time.
func TestUpdates(t *testing.T) {
	const (
		started = `"updateStartedAt":"2026-01-01T00:00:00Z"`
		ended   = started + `,"updateEndedAt":"2026-01-01T00:01:00Z"`
		written = `"managedFields":[{"manager":"grove","subresource":"status","time":"2026-01-01T00:02:00Z"},{"manager":"grove","subresource":"status","time":"2026-01-01T00:03:00Z"},
			{"manager":"grove","subresource":"status"},{"manager":"hpa","subresource":"scale","time":"2026-01-01T00:04:00Z"},{"manager":"grove","time":"2026-01-01T00:05:00Z"}]`
	)
	cases := map[string]struct {
		reason         string
		status, meta   string
		clique, scaled *graphplan.ChildUpdate
	}{
		"None":    {reason: "Most children are not updated."},
		"Ended":   {reason: "An update that has ended is none.", status: `"updateProgress":{` + ended + `}`},
		"Started": {reason: "One that has begun is.", status: `"updateProgress":{` + started + `}`, clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{}},
		"Before": {
			reason: "Before v0.1.0-alpha.7 it has another name.", status: `"rollingUpdateProgress":{` + started + `}`,
			clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{},
		},
		"Selected": {
			reason: "The pods of a PodClique are counted that it has replaced, and the one that it replaces.",
			status: `"updateProgress":{` + started + `,"readyPodsSelectedToUpdate":{"current":"c","completed":["a","b"]}}`,
			clique: &graphplan.ChildUpdate{Selected: 3}, scaled: &graphplan.ChildUpdate{},
		},
		"NoneSelected": {
			reason: "Without one that it replaces it waits for none.",
			status: `"updateProgress":{` + started + `,"readyPodsSelectedToUpdate":{"current":""}}`,
			clique: &graphplan.ChildUpdate{}, scaled: &graphplan.ChildUpdate{},
		},
		"Written": {
			reason: "Only what writes the status tells how old it is.", status: `"updateProgress":{` + started + `}`, meta: "," + written,
			clique: &graphplan.ChildUpdate{Written: "2026-01-01T00:03:00Z"}, scaled: &graphplan.ChildUpdate{Written: "2026-01-01T00:03:00Z"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := resource.MustStructJSON(`{"metadata":{"name":"x"` + tc.meta + `},"spec":{"replicas":2},"status":{` + tc.status + `}}`)
			if diff := cmp.Diff(tc.clique, podClique("x", object).Update); diff != "" {
				t.Errorf("%s\nthe update of a PodClique: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.scaled, podCliqueScalingGroup("x", object).Update); diff != "" {
				t.Errorf("%s\nthe update of a PodCliqueScalingGroup: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTrouble(t *testing.T) {
	breached := func(status, reason, message string) string {
		return `"conditions":[{"type":"PodCliqueScheduled","status":"False","reason":"X"},{"type":"MinAvailableBreached","status":"` + status + `","reason":"` + reason + `","message":"` + message + `"}]`
	}
	const terminated = `"conditions":[{"type":"MinAvailableBreached","status":"True","reason":"InsufficientAvailablePodCliqueScalingGroupReplicas","message":"expected 2, found 0"},
		{"type":"GangTerminationInProgress","status":"True","reason":"GangTerminationActive","message":"MinAvailable is breached for longer than 15m0s"}]`
	cases := map[string]struct {
		reason string
		// up replicas of the two that are wanted, and what else the status holds.
		up     string
		status string
		meta   string
		want   string
	}{
		"None": {reason: "Most have none.", up: "2", status: breached("False", "SufficientReadyPods", "fine")},
		"Starting": {
			reason: "Pods that start are no trouble.", up: "0", status: breached("False", "SufficientReadyPods", "fine"),
		},
		"UpdateInProgress": {
			reason: "Nor are those that are replaced.", up: "1", status: breached("Unknown", "UpdateInProgress", "Update is in progress"),
		},
		"NeverScheduled": {
			reason: "Up to alpha.11 a PodClique without any place looks as if all were well.", up: "0",
			status: breached("False", "InsufficientScheduledPods", "expected at least 2, found 0"),
			want:   "waits for a place on nodes: expected at least 2, found 0",
		},
		"NeverScheduledGroup": {
			reason: "So does a PodCliqueScalingGroup.", up: "0", status: breached("False", "InsufficientScheduledPodCliqueScalingGroupReplicas", "expected 2, found 0"),
			want: "waits for a place on nodes: expected 2, found 0",
		},
		"NeverScheduledSinceAlpha12": {
			reason: "Since then it is said to be breached, which it is not: it has yet to start.", up: "0",
			status: breached("True", "ScheduledReplicasBelowMinAvailable", "scheduled replicas (1) below MinAvailable (2)"),
			want:   "waits for a place on nodes: scheduled replicas (1) below MinAvailable (2)",
		},
		"Breached": {
			reason: "Pods that were there and are not any more are trouble.", up: "1", status: breached("True", "InsufficientReadyPods", "expected 2, found 1"),
			want: "too few replicas are up: expected 2, found 1",
		},
		"NoMessage": {
			reason: "Without a message the reason has to do.", up: "1", status: breached("True", "InsufficientReadyPods", ""),
			want: "too few replicas are up: InsufficientReadyPods",
		},
		"BreachedAndUp": {
			reason: "A condition that the counts refute is late.", up: "2", status: breached("True", "InsufficientReadyPods", "expected 2, found 1"),
		},
		"GangTerminated": {
			reason: "The end of a gang says more than what led to it.", up: "0", status: terminated,
			want: "its gang was terminated and starts anew: MinAvailable is breached for longer than 15m0s",
		},
		"GangIsBack": {reason: "It ends when all are up again.", up: "2", status: terminated},
		"Error": {
			reason: "Grove's own errors are told.", up: "2", status: `"lastErrors":[{"code":"ERR_SYNC_PODS","description":"cannot create pods"}]`,
			want: "Grove reports: cannot create pods",
		},
		"ErrorCode": {reason: "By their code where they say nothing else.", up: "2", status: `"lastErrors":[{"code":"ERR_SYNC_PODS"}]`, want: "Grove reports: ERR_SYNC_PODS"},
		"BeingDeleted": {
			reason: "What is on its way out is not up for long.", up: "2", status: `"replicas":2`, meta: `,"deletionTimestamp":"2026-01-01T00:00:00Z"`,
			want: "is being deleted",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := `{"metadata":{"name":"x"` + tc.meta + `},"spec":{"replicas":2},"status":{"UP":` + tc.up + `,` + tc.status + `}}`
			for field, digest := range map[string]func(string) graphplan.Child{
				"readyReplicas":     func(text string) graphplan.Child { return podClique("x", resource.MustStructJSON(text)) },
				"availableReplicas": func(text string) graphplan.Child { return podCliqueScalingGroup("x", resource.MustStructJSON(text)) },
			} {
				got := digest(strings.Replace(text, "UP", field, 1))
				if diff := cmp.Diff(tc.want, got.Trouble); diff != "" {
					t.Errorf("%s\nthe trouble of a %s: -want, +got:\n%s", tc.reason, got.Kind, diff)
				}
			}
		})
	}
}
