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
			if diff := cmp.Diff(tc.want, DrainWarnings(f, &graphplan.Plan{}, Of(f, &graphplan.Plan{})).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nDrainWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDrainAdds tries each grace period with each hook, timeout and program: the pods have to live as long as both take, one after the other.
func TestDrainAdds(t *testing.T) {
	type way struct {
		text    string
		seconds int64
	}
	const unknown = -1
	graces := []way{{"", 60}, {`"terminationGracePeriodSeconds":30,`, 30}, {`"terminationGracePeriodSeconds":35,`, 35}, {`"terminationGracePeriodSeconds":80,`, 80}}
	hooks := []way{
		{"", 0},
		{`,"lifecycle":{"preStop":{"sleep":{"seconds":20}}}`, 20},
		{`,"lifecycle":{"preStop":{"exec":{"command":["sleep","26"]}}}`, 26},
		{`,"lifecycle":{"preStop":{"exec":{"command":["/bin/sh","-c","sleep 50; curl localhost"]}}}`, 50},
		{`,"lifecycle":{"preStop":{"exec":{"command":["/bin/sh","-c","drain || sleep 50"]}}}`, 0},
		{`,"lifecycle":{"preStop":{"exec":{"command":["/bin/sh","-c","sleep 50 & drain"]}}}`, 0},
		{`,"lifecycle":{"preStop":{"exec":{"command":["/bin/sh","-c","sleep $SECONDS"]}}}`, 0},
		{`,"lifecycle":{"preStop":{"httpGet":{"path":"/","port":9090}}}`, 0},
	}
	timeouts := []way{
		{"", unknown},
		{`{"name":"DYN_WORKER_GRACEFUL_SHUTDOWN_TIMEOUT","value":"20"}`, 20},
		{`{"name":"DYN_WORKER_SHUTDOWN_TOTAL_TIMEOUT_SECS","value":"55"}`, 55},
	}
	programs := []struct{ component, command string }{
		{"worker", `"python3","-m","dynamo.vllm"`},
		{"worker", `"python3","-m","dynamo.sglang"`},
		{"worker", `"python3","-m","dynamo.trtllm"`},
		{"decode", `"python3","-m","dynamo.mocker"`},
		{"worker", `"run"`},
		{"frontend", `"python3","-m","dynamo.frontend"`},
		{"planner", `"python3","-m","dynamo.planner"`},
	}
	for _, program := range programs {
		ends := program.component == "worker" || program.component == "decode"
		for _, grace := range graces {
			for _, hook := range hooks {
				for _, timeout := range timeouts {
					spec := `{"components":[{"name":"C","type":"` + program.component + `","podTemplate":{"spec":{` + grace.text +
						`"containers":[{"name":"main","image":"r:1.6.0","command":[` + program.command + `],"env":[` + timeout.text + `]` + hook.text + `}]}}}]}`
					drain := timeout.seconds
					if drain == unknown {
						if drain = 0; ends && program.command != `"run"` {
							drain = 30
						}
					}
					f := plantest.Facts(t, plantest.Request(plantest.GraphOf(spec)))
					got := DrainWarnings(f, &graphplan.Plan{}, Of(f, &graphplan.Plan{}))
					if want := drain > 0 && hook.seconds+drain+5 > grace.seconds; want != (len(got) == 1) {
						t.Errorf("DrainWarnings of %s: %v, but a warning is wanted: %t", spec, got.Texts(f.Graph), want)
					}
				}
			}
		}
	}
}
