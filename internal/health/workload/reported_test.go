package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
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
	frontend, worker := deploymentOf(nil, progressOf(1, 1, 0, 0)), setUp()
	frontend.Name, worker.Name = "llama-frontend", "llama-worker-0"
	zero, one := new(int32(0)), new(int32(1))
	cases := map[string]struct {
		reason   string
		status   fields
		observed map[string]any
		children Children
		want     map[string]Workload
	}{
		"Nothing": {
			reason: "A graph without a status runs nothing.",
			status: fields{},
			want:   map[string]Workload{},
		},
		"Deployment": {
			reason:   "A Deployment is judged as it is now, whatever the status says of it.",
			status:   fields{"services": fields{"Frontend": fields{"componentKind": "Deployment", "componentNames": []any{"llama-frontend"}, "replicas": 7}}},
			observed: map[string]any{"deployment-frontend": frontend},
			want: map[string]Workload{"Frontend": {
				Kind: "Deployment", Names: []string{"llama-frontend"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: zero, Available: zero}, Settled: true,
				Waiting: []string{"Deployment llama-frontend: 0 of 1 replicas are available"}, Reason: some,
			}},
		},
		"OneOfTwoIsGone": {
			reason:   "What is not observed any more does not exist.",
			status:   fields{"services": fields{"Worker": fields{"componentKind": "LeaderWorkerSet", "componentNames": []any{"llama-worker-0", "llama-worker-1"}, "replicas": 2}}},
			observed: map[string]any{"leaderworkerset-worker-0": worker},
			want: map[string]Workload{"Worker": {
				Kind: "LeaderWorkerSet", Names: []string{"llama-worker-0", "llama-worker-1"}, Counts: Counts{Replicas: 1, Updated: 1, Ready: one}, Settled: true,
				Waiting: []string{"LeaderWorkerSet llama-worker-1: does not exist"}, Reason: some,
			}},
		},
		"ScaledToZero": {
			reason: "A service that is scaled to zero names an object that is not there, and is ready.",
			status: fields{"services": fields{"Worker": fields{"componentKind": "LeaderWorkerSet", "componentNames": []any{"llama-worker-0"}, "replicas": 0}}},
			want: map[string]Workload{"Worker": {
				Kind: "LeaderWorkerSet", Names: []string{"llama-worker-0"}, Counts: Counts{Ready: zero}, Ready: true, Settled: true,
			}},
		},
		"Children": {
			reason:   "A child of a PodCliqueSet is judged by what Grove says of it.",
			status:   fields{"services": fields{"Frontend": fields{"componentKind": "PodClique", "componentNames": []any{"llama-0-frontend"}}, "Worker": fields{"componentKind": "PodCliqueScalingGroup", "componentNames": []any{"llama-0-worker"}}}},
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
			status: fields{"services": fields{"Frontend": fields{"componentKind": "Deployment"}, "Worker": 3}},
			want:   map[string]Workload{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			status := &fnv1.Resource{Resource: encoded(t, fields{"status": tc.status})}
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: status, Resources: map[string]*fnv1.Resource{}}}
			for key, object := range tc.observed {
				req.Observed.Resources[key] = &fnv1.Resource{Resource: encoded(t, object)}
			}
			if diff := cmp.Diff(tc.want, Reported(observed.StatusOf(req), req.GetObserved().GetResources(), tc.children)); diff != "" {
				t.Errorf("%s\nReported(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
