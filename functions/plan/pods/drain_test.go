package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
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
	warning := func(grace, variable, seconds, least string) []string {
		return []string{path + grace + ", after which the pods are killed, but variable " + variable + " lets container main serve requests in progress for " + seconds +
			" seconds, and the process needs 5 more to end; set terminationGracePeriodSeconds to at least " + least + ", or lower the variable"}
	}
	cases := map[string]struct {
		reason, spec string
		want         []string
	}{
		"Default":  {reason: "Pods have a minute by default.", spec: spec("", "")},
		"Enough":   {reason: "The pods have as long as the process takes.", spec: spec(`"terminationGracePeriodSeconds":50,`, "")},
		"OfGraph":  {reason: "A variable of the graph reaches all pods, whose processes do not end at once.", spec: spec(`"terminationGracePeriodSeconds":49,`, ""), want: warning("49", timeout, "45", "50")},
		"OfWorker": {reason: "A variable of the worker replaces that of the graph.", spec: spec("", variable(timeout, "600")), want: warning("60", timeout, "600", "605")},
		"Shorter":  {reason: "A variable of the worker may be shorter.", spec: spec(`"terminationGracePeriodSeconds":30,`, variable(timeout, "20"))},
		"Total":    {reason: "The total counts before the other variable.", spec: spec("", variable(timeout, "600")+","+variable(total, "90")), want: warning("60", total, "90", "95")},
		"Blank":    {reason: "A variable without a value does not count.", spec: spec("", variable(total, " ")+","+variable(timeout, "61")), want: warning("60", timeout, "61", "66")},
		"Unknown":  {reason: "A value that is not in the graph may be shorter.", spec: spec(`"terminationGracePeriodSeconds":30,`, `{"name":"`+timeout+`","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}`)},
		"NoNumber": {reason: "What is no number is not judged.", spec: spec(`"terminationGracePeriodSeconds":30,`, variable(timeout, "10m"))},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec)))
			if diff := cmp.Diff(tc.want, DrainWarnings(f, Of(f, &graphplan.Plan{})).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nDrainWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
