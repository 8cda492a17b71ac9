package why

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestQuotaOfKueue shows why Kueue holds pods, in its own words.
func TestQuotaOfKueue(t *testing.T) {
	const gated = `{apiVersion: v1, kind: Pod, metadata: {name: a, uid: pod, labels: {kueue.x-k8s.io/queue-name: team}}, spec: {schedulingGates: [{name: kueue.x-k8s.io/admission}]}, status: {phase: Pending}}`
	const member = `{apiVersion: v1, kind: Pod, metadata: {name: a, uid: pod, annotations: {kueue.x-k8s.io/pod-group-name: w}}, spec: {schedulingGates: [{name: kueue.x-k8s.io/admission}]}, status: {phase: Pending}}`
	workload := func(owner, conditions string) string {
		return `{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: w, ownerReferences: [{kind: Pod, name: a, uid: ` + owner + `}]}, spec: {queueName: team}, status: {conditions: [` + conditions + `]}}`
	}
	const lacks = `{type: QuotaReserved, status: "False", reason: WaitingForQuota, message: "insufficient unused quota for nvidia.com/gpu in flavor default, 8 more needed"}`
	const checks = `{type: QuotaReserved, status: "True"}, {type: Admitted, status: "False", reason: UnsatisfiedAdmissionChecks, message: "the check is pending"}`
	const finished = `{type: QuotaReserved, status: "True"}, {type: Finished, status: "True", reason: OutOfSync, message: "The prebuilt workload is out of sync with its user job"}`
	const next = "kubectl describe workloads.kueue.x-k8s.io w --namespace=inference"
	cases := map[string]struct {
		reason  string
		objects []string
		message string
		next    string
	}{
		"Single": {
			reason: "A pod alone owns its Workload.", objects: []string{gated, workload("pod", lacks)}, next: next,
			message: "Kueue holds it in LocalQueue team until there is quota (WaitingForQuota): insufficient unused quota for nvidia.com/gpu in flavor default, 8 more needed",
		},
		"Group": {
			reason: "Pods of a gang name it.", objects: []string{member, workload("set", lacks)}, next: next,
			message: "Kueue holds it in LocalQueue team until there is quota (WaitingForQuota): insufficient unused quota for nvidia.com/gpu in flavor default, 8 more needed",
		},
		"Checks": {
			reason: "Quota is not all.", objects: []string{gated, workload("pod", checks)}, next: next,
			message: "Kueue holds it in LocalQueue team until there is quota (UnsatisfiedAdmissionChecks): the check is pending",
		},
		"Finished": {
			reason: "A Workload that is finished admits no pods.", objects: []string{member, workload("set", finished)}, next: next,
			message: "Kueue holds it for ever, because its Workload w is finished (OutOfSync): The prebuilt workload is out of sync with its user job",
		},
		"None": {reason: "Kueue may not have looked at the pod.", objects: []string{gated, workload("other", lacks)}, message: "Kueue holds it in LocalQueue team until there is quota, and has no Workload for it yet", next: "kubectl describe pod a --namespace=inference"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &Facts{Graph: waiting(t)}
			for _, o := range tc.objects {
				f.Objects = append(f.Objects, object(t, o))
			}
			causes := Diagnose(f, "kubectl").Causes
			if len(causes) == 0 || causes[0].Code != OverQuota {
				t.Fatalf("%s\ncauses: %+v", tc.reason, causes)
			}
			if diff := cmp.Diff([]string{"Pod a is not ready: " + tc.message + ".", tc.next}, []string{causes[0].Message, causes[0].Next}); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWorkloadsOfKueue shows which Workloads are read.
func TestWorkloadsOfKueue(t *testing.T) {
	r := clusterIn(t, "room-sets.yaml")
	for i := range r.Objects {
		if o := &r.Objects[i]; o.GetKind() == kindPod {
			if err := unstructured.SetNestedSlice(o.Object, []any{map[string]any{"name": gateKueue}}, "spec", "schedulingGates"); err != nil {
				t.Fatal(err)
			}
		}
	}
	graph := graphIn(t, r.Objects)
	if _, err := Collect(r, graph.GetNamespace(), graph.GetName()); err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, one := range r.Asked {
		if one == "list Workload" || one == "get Workload" {
			asked = append(asked, one)
		}
	}
	if diff := cmp.Diff([]string{"list Workload"}, asked); diff != "" {
		t.Errorf("asked: -want, +got:\n%s", diff)
	}
}
