package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestDrainWarnings(t *testing.T) {
	// spec of a graph with a worker, in JSON.
	spec := func(pod, env string) string {
		return `{"env":[{"name":"DYN_WORKER_GRACEFUL_SHUTDOWN_TIMEOUT","value":"45"}],"components":[{"name":"Worker","type":"worker",
			"podTemplate":{"spec":{` + pod + `"containers":[{"name":"main","image":"r:1.5.0","command":["run"],"env":[` + env + `]}]}}}]}`
	}
	const (
		path    = "spec.components[Worker].podTemplate.spec.terminationGracePeriodSeconds: is "
		timeout = "DYN_WORKER_GRACEFUL_SHUTDOWN_TIMEOUT"
		total   = "DYN_WORKER_SHUTDOWN_TOTAL_TIMEOUT_SECS"
	)
	variable := func(name, value string) string { return `{"name":"` + name + `","value":"` + value + `"}` }
	warning := func(grace, variable, seconds string) []string {
		return []string{path + grace + ", after which the pods are killed, but variable " + variable + " lets container main serve requests in progress for " + seconds +
			" seconds; set terminationGracePeriodSeconds to more than " + seconds + ", or lower the variable"}
	}
	cases := map[string]struct {
		reason, spec string
		want         []string
	}{
		"Default":  {reason: "Pods have a minute by default.", spec: spec("", "")},
		"Equal":    {reason: "The pods have as long as the process takes.", spec: spec(`"terminationGracePeriodSeconds":45,`, "")},
		"OfGraph":  {reason: "A variable of the graph reaches all pods.", spec: spec(`"terminationGracePeriodSeconds":44,`, ""), want: warning("44", timeout, "45")},
		"OfWorker": {reason: "A variable of the worker replaces that of the graph.", spec: spec("", variable(timeout, "600")), want: warning("60", timeout, "600")},
		"Shorter":  {reason: "A variable of the worker may be shorter.", spec: spec(`"terminationGracePeriodSeconds":30,`, variable(timeout, "20"))},
		"Total":    {reason: "The total counts before the other variable.", spec: spec("", variable(timeout, "600")+","+variable(total, "90")), want: warning("60", total, "90")},
		"Blank":    {reason: "A variable without a value does not count.", spec: spec("", variable(total, " ")+","+variable(timeout, "61")), want: warning("60", timeout, "61")},
		"Unknown":  {reason: "A value that is not in the graph may be shorter.", spec: spec(`"terminationGracePeriodSeconds":30,`, `{"name":"`+timeout+`","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}`)},
		"NoNumber": {reason: "What is no number is not judged.", spec: spec(`"terminationGracePeriodSeconds":30,`, variable(timeout, "10m"))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec)))
			if diff := cmp.Diff(tc.want, DrainWarnings(f, &graphplan.Plan{}).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nDrainWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
