package foundation

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

const frontendService = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-frontend","namespace":"inference"},
	"spec":{"ports":[{"name":"http","port":8000,"protocol":"TCP","targetPort":"http"}],
	"selector":{"nvidia.com/dynamo-component":"Frontend","nvidia.com/dynamo-component-type":"frontend","nvidia.com/dynamo-namespace":"inference-llama"}}}`

func TestRunFunction(t *testing.T) {
	const spec = `{"services":{"Frontend":{"componentType":"frontend"}}}`
	plan := steptest.OnGrove(t, steptest.Components("etcd", "Frontend"))
	component := resource.MustStructJSON(frontendService)
	wanted := &fnv1.State{Resources: map[string]*fnv1.Resource{"service-frontend": {Resource: component}}}

	small := steptest.Request(spec, plan)
	others := steptest.Request(spec, plan)
	others.Desired = &fnv1.State{
		Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"mine":true}}`)},
		Resources: map[string]*fnv1.Resource{
			"bucket": {Resource: resource.MustStructJSON(`{"kind":"Bucket"}`), Ready: fnv1.Ready_READY_TRUE, ConnectionDetails: map[string][]byte{"k": []byte("v")}},
		},
	}
	withOthers, ok := proto.Clone(others.GetDesired()).(*fnv1.State)
	if !ok {
		t.Fatal("cannot clone")
	}
	withOthers.Resources["service-frontend"] = &fnv1.Resource{Resource: component}
	noPlan := steptest.Request(spec, plan)
	noPlan.Context = nil
	noPlan.Observed.Composite.Resource.Fields["status"] = resource.MustStructJSON(
		`{"status":{"conditions":[{"type":"Accepted","status":"True","reason":"Valid"}]}}`).GetFields()["status"]
	noPlanAnswer := steptest.Refused(noPlan, "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, "+
		"and the resources that step plan requires must be provided")
	noPlanAnswer.Conditions = []*fnv1.Condition{{
		Type: "Accepted", Status: fnv1.Status_STATUS_CONDITION_TRUE, Reason: "Valid", Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
	}}
	otherVersion := steptest.Request(spec, `{"version":1}`)
	withInput := steptest.Request(spec, plan)
	withInput.Input = resource.MustStructJSON(`{"kind":"Input"}`)
	unreadable := steptest.Request(spec, steptest.OnGrove(t, steptest.Components("etcd", "Frontend"), func(p *graphplan.Plan) { p.ComposedPVCs = []string{"cache"} }))
	unreadable.Observed.Resources = map[string]*fnv1.Resource{"pvc-cache": {Resource: resource.MustStructJSON(`{"spec":"none"}`)}}

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
	}{
		"Small": {
			reason: "A frontend has a Service.",
			req:    small,
			want:   steptest.Answer(small, wanted),
		},
		"OthersPassThrough": {
			reason: "What other steps desire passes through unchanged.",
			req:    others,
			want:   steptest.Answer(others, withOthers),
		},
		"NoPlan": {
			reason: "Without a plan nothing is composed, so nothing must be applied; the observed conditions are repeated.",
			req:    noPlan,
			want:   noPlanAnswer,
		},
		"PlanOfAnotherVersion": {
			reason: "A plan that might be misread is refused.",
			req:    otherVersion,
			want:   steptest.Refused(otherVersion, "cannot read version 1 of the plan, only version 2; install the same version of all function-dynamo packages"),
		},
		"InputGiven": {
			reason: "An input would be ignored silently.",
			req:    withInput,
			want:   steptest.Refused(withInput, "this step does not support input; remove the input from the Composition, and set policy in the input of step plan"),
		},
		"UnreadableClaim": {
			reason: "A claim that cannot be kept as it is must not be let go.",
			req:    unreadable,
			want: steptest.Refused(unreadable, "cannot compose the foundation: cannot keep claim cache: cannot read an object: "+
				"spec: Invalid value: must be an object, not a string"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDeterministic runs one request many times: the response must not depend on the order of maps.
func TestDeterministic(t *testing.T) {
	const spec = `{"labels":{"a":"b","c":"d"},"services":{"A":{"componentType":"worker","modelRef":{"name":"m"}},"B":{"componentType":"planner"},
		"C":{"componentType":"epp","eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}}},"D":{"componentType":"frontend","modelRef":{"name":"n"}}}}`
	var first []byte
	for range 50 {
		rsp := run(t, steptest.Request(spec, steptest.OnGrove(t, steptest.Components("kubernetes", "A", "B", "C", "D"), func(p *graphplan.Plan) {
			p.WaitForLeader, p.IngressDefaults.ClassName = true, "nginx"
		})))
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !bytes.Equal(first, got) {
			t.Fatal("RunFunction(...) again: another response")
		}
	}
}
