package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestStandbyWarnings shows when a user is told that the pods of a live graph have no second engine.
func TestStandbyWarnings(t *testing.T) {
	const (
		spec = `{"services":{"Worker":{"componentType":"worker","gpuMemoryService":{"enabled":true},"failover":{"enabled":true}}}}`
		one  = `[{"name":"main","image":"i"}]`
		two  = `[{"name":"engine-0","image":"i"},{"name":"engine-1","image":"i"}]`
		told = "spec.services[Worker].failover: has no effect on the running pods, each of which runs one engine, because they are from a version without failover, " +
			"and pods only change with their graph; set another spec.restart.id, which restarts them with two engines"
	)
	running := func(containers string) []plantest.RequestOption {
		return []plantest.RequestOption{plantest.WithObserved("deployment-worker",
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker"},"spec":{"template":{"spec":{"containers":`+containers+`}}}}`)}
	}
	revision := func(written, outdated string) string {
		return `{"services":{"Worker":{"revision":{"written":"` + written + `","outdated":` + outdated + `}}}}`
	}
	cases := map[string]struct {
		reason  string
		spec    string
		status  string
		options []plantest.RequestOption
		want    []string
	}{
		"New":      {reason: "A new graph gets both engines.", spec: spec, status: `{}`},
		"Runs":     {reason: "The pods have both engines.", spec: spec, status: revision("a", "false"), options: running(two)},
		"Outdated": {reason: "Other rules have changed since, but not this one.", spec: spec, status: revision("a", "true"), options: running(two)},
		"Pinned":   {reason: "The pods are from before there was a second engine, and stay until their user does something.", spec: spec, status: revision("a", "true"), options: running(one), want: []string{told}},
		"Changed":  {reason: "The user has just changed the service, so its pods are about to change.", spec: spec, status: revision("b", "true"), options: running(one)},
		"Rolling":  {reason: "Pods that are not outdated are those of a rollout.", spec: spec, status: revision("a", "false"), options: running(one)},
		"Off":      {reason: "Nobody asks for a second engine.", spec: `{"services":{"Worker":{"componentType":"worker"}}}`, status: revision("a", "true"), options: running(one)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.WithStatus(plantest.GraphOf(tc.spec), tc.status), tc.options...))
			got := StandbyWarnings(f, &graphplan.Plan{Services: map[string]graphplan.Service{"Worker": {Written: "a"}}})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nStandbyWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
