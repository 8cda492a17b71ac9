package scheduling_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/scheduling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestShares shows that shares of GPUs which the webhook of KAI refuses are refused, and that no other scheduler gives any.
func TestShares(t *testing.T) {
	const (
		at     = "spec.services[S].annotations"
		number = "must be a whole number above 0"
	)
	cases := map[string]struct {
		reason, annotations, resources string
		scheduler                      string
		live                           bool
		errors, warnings               []string
	}{
		"Fraction": {reason: "A fraction alone is right.", annotations: `"gpu-fraction":"0.5"`},
		"Memory":   {reason: "A part of the memory of several GPUs is right.", annotations: `"gpu-memory":"20000","gpu-fraction-num-devices":"2"`},
		"None":     {reason: "Whole GPUs need no annotation.", resources: `"gpu":"1"`},
		"Both": {
			reason: "A pod gets a fraction, or a part of the memory.", annotations: `"gpu-fraction":"0.5","gpu-memory":"20000"`,
			errors: []string{at + `[gpu-memory]: Invalid value: "20000": a pod gets a fraction of a GPU or a part of its memory, and ` + at + `[gpu-fraction] is set too; remove one of the two`},
		},
		"Whole": {
			reason: "A pod gets a share, or whole GPUs.", annotations: `"gpu-memory":"20000"`, resources: `"gpu":"1"`,
			errors: []string{at + `[gpu-memory]: Invalid value: "20000": a pod gets a share of a GPU or whole GPUs, and its containers have limits of nvidia.com/gpu; remove them, or the annotation`},
		},
		"One":      {reason: "A fraction is less than a GPU.", annotations: `"gpu-fraction":"1"`, errors: []string{at + `[gpu-fraction]: Invalid value: "1": must be a number between 0 and 1, such as 0.5`}},
		"Nothing":  {reason: "A fraction is more than nothing.", annotations: `"gpu-fraction":"0"`, errors: []string{at + `[gpu-fraction]: Invalid value: "0": must be a number between 0 and 1, such as 0.5`}},
		"Quantity": {reason: "Memory is a number of mebibytes.", annotations: `"gpu-memory":"20Gi"`, errors: []string{at + `[gpu-memory]: Invalid value: "20Gi": ` + number}},
		"Devices":  {reason: "The number of GPUs is a number.", annotations: `"gpu-fraction":"0.5","gpu-fraction-num-devices":"all"`, errors: []string{at + `[gpu-fraction-num-devices]: Invalid value: "all": ` + number}},
		"Alone": {
			reason: "A number of GPUs is no share.", annotations: `"gpu-fraction-num-devices":"all"`,
			errors: []string{at + `[gpu-fraction-num-devices]: Invalid value: "all": is the number of GPUs of which a pod gets a share, but there is no share; remove it, or set annotation gpu-fraction or gpu-memory instead of limits of nvidia.com/gpu`},
		},
		"Live": {
			reason: "Pods of a running graph may be older than the annotation.", annotations: `"gpu-fraction":"1"`, live: true,
			warnings: []string{at + `[gpu-fraction]: Invalid value: "1": must be a number between 0 and 1, such as 0.5`},
		},
		"OtherScheduler": {
			reason: "Only KAI gives shares.", annotations: `"gpu-fraction":"1"`, scheduler: "other",
			warnings: []string{at + `[gpu-fraction]: has no effect, because other schedules the pods, and only KAI gives them a share of a GPU; request whole GPUs instead, or set extraPodSpec.schedulerName to kai-scheduler`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := `{"services":{"S":{"componentType":"worker","annotations":{` + tc.annotations + `},"resources":{"limits":{` + tc.resources + `}},
				"extraPodSpec":{"schedulerName":"` + tc.scheduler + `","mainContainer":{"image":"i"}}}}}`
			var options []plantest.RequestOption
			if tc.live {
				options = append(options, plantest.WithObserved("podcliqueset", `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama"}}`))
			}
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(spec), options...))
			o := scheduling.Shares(f, &graphplan.Plan{Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{SchedulerName: graphplan.KAIScheduler}})
			if diff := cmp.Diff(tc.errors, o.Refused(subject.Mistake).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nerrors: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, o.Warnings.Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
