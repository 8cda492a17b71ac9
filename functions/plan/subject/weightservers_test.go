package subject_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
)

// TestRunWeightServers shows which components have weights in pods of their own, and that this never changes.
func TestRunWeightServers(t *testing.T) {
	between := func(s *v1alpha1.Service) {
		s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true, Mode: v1alpha1.ShareInterPod}
	}
	within := func(s *v1alpha1.Service) { s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true} }
	set := func(cliques ...string) plantest.RequestOption {
		live := plantest.PodCliqueSet()
		for _, name := range cliques {
			live.Spec.Template.Cliques = append(live.Spec.Template.Cliques, plantest.Clique(name))
		}
		return plantest.WithObserved("podcliqueset", live)
	}
	served := map[string]bool{"Worker": true}
	cases := map[string]struct {
		reason  string
		change  plantest.ComponentChange
		options []plantest.RequestOption
		want    map[string]bool
	}{
		"New":        {reason: "A new graph has what its user asks for.", change: between, want: served},
		"WithinPods": {reason: "Weights within pods need no other pods.", change: within},
		"Off":        {reason: "Most services have no GPU memory service.", change: func(*v1alpha1.Service) {}},
		"Live":       {reason: "A live service keeps its weight server.", change: between, options: []plantest.RequestOption{set("frontend", "worker-gms-0", "worker")}, want: served},
		"Before": {
			reason: "A live service that was created without weight servers gets none, because Grove cannot add its clique.",
			change: between, options: []plantest.RequestOption{set("frontend", "worker")},
		},
		"OfAnother":  {reason: "A weight server is that of its own service.", change: between, options: []plantest.RequestOption{set("frontend", "other-gms-0", "worker-gms-x")}},
		"NotYetSeen": {reason: "A set that was just created may not be observed yet.", change: between, options: []plantest.RequestOption{plantest.WithReferences(plantest.ReferenceTo("grove.io/v1alpha1", "PodCliqueSet", "llama"))}, want: served},
		"Elsewhere":  {reason: "A graph on Deployments stays as it is.", change: between, options: []plantest.RequestOption{plantest.WithObserved("deployment-frontend", plantest.FrontendDeployment())}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker, plantest.Changed("Worker", tc.change)), tc.options...)
			if diff := cmp.Diff(tc.want, plantest.Facts(t, req).Graph.WeightServers); diff != "" {
				t.Errorf("%s\nRunWeightServers(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
