package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

func TestWarnOffGrove(t *testing.T) {
	plan := func(o graphplan.Orchestrator) *graphplan.Plan { return &graphplan.Plan{Orchestrator: o} }
	cases := map[string]struct {
		reason string
		spec   string
		plan   *graphplan.Plan
		want   []string
	}{
		"Nothing": {reason: "Most graphs ask for nothing of Grove's.", spec: services(frontend, multinode), plan: plan(graphplan.LeaderWorkerSet)},
		"PriorityClass": {
			reason: "The class of the graph is that of its PodCliqueSet.",
			spec:   `{"priorityClassName":"high","services":{"A":{}}}`, plan: plan(graphplan.Deployment),
			want: []string{"spec.priorityClassName: has no effect on Deployment; name the class in extraPodSpec of each service"},
		},
		"MinAvailable": {
			reason: "Only Grove makes a gang of replicas. One replica is a gang anyway.",
			spec:   services(`"A":{"replicas":2,"minAvailable":2}`, `"B":{"minAvailable":1}`), plan: plan(graphplan.LeaderWorkerSet),
			want: []string{"spec.services[A].minAvailable: has no effect on LeaderWorkerSet: each replica is scheduled by itself"},
		},
		"Autoscaling": {
			reason: "An autoscaler scales one object, and here each replica that spans nodes is one.",
			spec:   services(`"A":{"multinode":{"nodeCount":2},"autoscaling":{"enabled":true,"maxReplicas":2}}`, `"B":{"autoscaling":{"enabled":true,"maxReplicas":2}}`),
			plan:   plan(graphplan.LeaderWorkerSet),
			want:   []string{"spec.services[A].autoscaling: has no effect on a service that spans nodes on LeaderWorkerSet, where each of its replicas is an object of its own: set replicas, or run the graph on Grove"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := warnOffGrove(decoded(t, tc.spec, `{}`), tc.plan)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nwarnOffGrove(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
