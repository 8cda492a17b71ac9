package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
)

func TestReported(t *testing.T) {
	up := graphplan.Child{
		Kind: "PodClique", Name: "llama-0-frontend", Generation: 1, ObservedGeneration: new(int64(1)),
		SpecReplicas: 1, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, ScheduledReplicas: 1,
	}
	children := func(kind, name string) (graphplan.Child, bool) {
		if kind == up.Kind && name == up.Name {
			return up, true
		}
		return graphplan.Child{}, false
	}
	zero, one := new(int32(0)), new(int32(1))
	cases := map[string]struct {
		reason   string
		status   string
		observed map[string]string
		children Children
		want     map[string]Workload
	}{
		"Nothing": {
			reason: "A graph without a status runs nothing.",
			status: `{}`,
			want:   map[string]Workload{},
		},
		"Deployment": {
			reason: "A Deployment is judged as it is now, whatever the status says of it.",
			status: `{"services":{"Frontend":{"componentKind":"Deployment","componentNames":["llama-frontend"],"replicas":7}}}`,
			observed: map[string]string{
				"deployment-frontend": `{"kind":"Deployment","metadata":{"name":"llama-frontend"},"spec":{"replicas":1},"status":{"replicas":1,"updatedReplicas":1}}`,
			},
			want: map[string]Workload{"Frontend": {
				Kind: "Deployment", Names: []string{"llama-frontend"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: zero, Available: zero}, Settled: true,
				Waiting: []string{"Deployment llama-frontend: 0 of 1 replicas are available"}, Reason: some,
			}},
		},
		"OneOfTwoIsGone": {
			reason: "What is not observed any more does not exist.",
			status: `{"services":{"Worker":{"componentKind":"LeaderWorkerSet","componentNames":["llama-worker-0","llama-worker-1"],"replicas":2}}}`,
			observed: map[string]string{"leaderworkerset-worker-0": `{"kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0"},"spec":{"replicas":1},
				"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":1,"conditions":[{"type":"Available","status":"True"}]}}`},
			want: map[string]Workload{"Worker": {
				Kind: "LeaderWorkerSet", Names: []string{"llama-worker-0", "llama-worker-1"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: one}, Settled: true,
				Waiting: []string{"LeaderWorkerSet llama-worker-1: does not exist"}, Reason: some,
			}},
		},
		"ScaledToZero": {
			reason: "A service that is scaled to zero names an object that is not there, and is ready.",
			status: `{"services":{"Worker":{"componentKind":"LeaderWorkerSet","componentNames":["llama-worker-0"],"replicas":0}}}`,
			want: map[string]Workload{"Worker": {
				Kind: "LeaderWorkerSet", Names: []string{"llama-worker-0"}, Counts: Counts{Ready: zero}, Ready: true, Settled: true,
			}},
		},
		"Children": {
			reason:   "A child of a PodCliqueSet is judged by what Grove says of it.",
			status:   `{"services":{"Frontend":{"componentKind":"PodClique","componentNames":["llama-0-frontend"]},"Worker":{"componentKind":"PodCliqueScalingGroup","componentNames":["llama-0-worker"]}}}`,
			children: children,
			want: map[string]Workload{
				"Frontend": {
					Kind: "PodClique", Names: []string{"llama-0-frontend"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: one, Scheduled: one},
					Ready: true, Settled: true,
				},
				"Worker": {
					Kind: "PodCliqueScalingGroup", Names: []string{"llama-0-worker"}, Settled: true,
					Waiting: []string{"resource not found (PodCliqueScalingGroup llama-0-worker)"}, Reason: some,
				},
			},
		},
		"OddStatus": {
			reason: "A service that names nothing is passed over.",
			status: `{"services":{"Frontend":{"componentKind":"Deployment"},"Worker":3}}`,
			want:   map[string]Workload{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			status := &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":` + tc.status + `}`)}
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: status, Resources: map[string]*fnv1.Resource{}}}
			for key, text := range tc.observed {
				req.Observed.Resources[key] = &fnv1.Resource{Resource: object(text)}
			}
			if diff := cmp.Diff(tc.want, Reported(observed.StatusOf(req), req.GetObserved().GetResources(), tc.children)); diff != "" {
				t.Errorf("%s\nReported(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
