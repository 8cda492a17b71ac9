package observed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestStatus(t *testing.T) {
	type read struct {
		Orchestrator graphplan.Orchestrator
		Generation   float64
		MNNVL        graphplan.MNNVL
		Decided      bool
		Restart      *v1alpha1.RestartStatus
		Components   []observed.Component
	}
	cases := map[string]struct {
		reason string
		// graph with the status, JSON.
		graph string
		want  read
	}{
		"None": {reason: "A new graph has no status.", graph: `{"status":{}}`, want: read{Components: []observed.Component{}}},
		"Full": {
			reason: "A status is read by name of the service.",
			graph: `{"status":{"orchestrator":"LeaderWorkerSet","observedGeneration":3,"mnnvl":{"mode":"Auto","scope":"Replica"},
				"restart":{"observedID":"one","phase":"Restarting","inProgress":["Worker"]},
				"services":{"Worker":{"componentKind":"LeaderWorkerSet","componentNames":["llama-worker-0"],"replicas":1},"Frontend":{"componentKind":"Deployment"}}}}`,
			want: read{
				Orchestrator: graphplan.LeaderWorkerSet, Generation: 3,
				MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeReplica}, Decided: true,
				Restart: &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"Worker"}},
				Components: []observed.Component{
					{Name: "Frontend", Kind: "Deployment"},
					{Name: "Worker", Kind: "LeaderWorkerSet", Objects: []string{"llama-worker-0"}, Replicas: 1},
				},
			},
		},
		"Disabled": {
			reason: "A graph without a domain has a status that says so, which decides as much.",
			graph:  `{"status":{"mnnvl":{"mode":"Disabled"}}}`,
			want:   read{MNNVL: graphplan.MNNVL{Mode: graphplan.MNNVLDisabled}, Decided: true, Components: []observed.Component{}},
		},
		"Unknown": {
			reason: "An orchestrator that does not exist is none.",
			graph:  `{"status":{"orchestrator":"Slurm","mnnvl":{}}}`,
			want:   read{Components: []observed.Component{}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := observed.StatusOf(request(tc.graph, nil))
			mnnvl, decided := s.MNNVL()
			got := read{
				Orchestrator: s.Orchestrator(), Generation: s.ObservedGeneration(), MNNVL: mnnvl, Decided: decided,
				Restart: s.Restart(), Components: s.Components(),
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nStatusOf(...): -want, +got:\n%s", tc.reason, diff)
			}
			if s.HasComponents() != (len(tc.want.Components) > 0) {
				t.Errorf("%s\nHasServices(): got %t", tc.reason, s.HasComponents())
			}
		})
	}
}

// TestStatusOfComponent shows what is read of the status of one component.
func TestStatusOfComponent(t *testing.T) {
	type read struct {
		Reports                     bool
		Namespace, Model, Component string
	}
	cases := map[string]struct {
		reason string
		// graph with the status, JSON.
		graph string
		want  read
	}{
		"None":      {reason: "A new graph has no status.", graph: `{}`},
		"Other":     {reason: "A service that was added is not in the status.", graph: `{"status":{"services":{"Other":{"servedModelName":"m"}}}}`},
		"Empty":     {reason: "A status may say nothing of the pods of a service.", graph: `{"status":{"services":{"Worker":{}}}}`, want: read{Reports: true}},
		"Service":   {reason: "A graph with services has their status.", graph: `{"status":{"services":{"Worker":{"runtimeNamespace":"n","servedModelName":"m","runtimeComponentName":"c"}}}}`, want: read{true, "n", "m", "c"}},
		"Component": {reason: "A graph with components has theirs.", graph: `{"status":{"components":{"Worker":{"runtimeNamespace":"n","servedModelName":"m","runtimeComponentName":"c"}}}}`, want: read{true, "n", "m", "c"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := observed.StatusOf(request(tc.graph, nil))
			got := read{s.Reports("Worker"), s.TextOf("Worker", "runtimeNamespace"), s.TextOf("Worker", "servedModelName"), s.TextOf("Worker", "runtimeComponentName")}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nStatusOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
