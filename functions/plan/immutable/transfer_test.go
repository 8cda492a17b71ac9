package immutable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
)

// TestTransferUnchanged shows that workers of two policies never run side by side.
func TestTransferUnchanged(t *testing.T) {
	with := plantest.Deployment("llama-worker", plantest.TransferPods())
	without := plantest.Deployment("llama-worker", corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}}}})
	changed := func(change func(*v1alpha1.KVTransferPolicy)) *v1alpha1.DynamoGraphDeployment {
		policy := plantest.TransferByTopology("rack")
		change(&policy)
		return plantest.Transferring(policy)
	}
	cases := map[string]struct {
		reason string
		live   any
		xr     *v1alpha1.DynamoGraphDeployment
		want   []string
	}{
		"Unchanged":    {reason: "A graph that did not change is fine.", live: with, xr: plantest.Transferring(plantest.TransferByTopology("rack"))},
		"Defaulted":    {reason: "The default enforcement may be written.", live: with, xr: changed(func(p *v1alpha1.KVTransferPolicy) { p.Enforcement = "required" })},
		"None":         {reason: "A graph without a policy is fine.", live: without, xr: plantest.Graph(plantest.Worker)},
		"Added":        {reason: "A policy cannot be added.", live: without, xr: plantest.Transferring(plantest.TransferByTopology("rack")), want: []string{"spec.experimental.kvTransferPolicy"}},
		"Removed":      {reason: "A policy cannot be removed.", live: with, xr: plantest.Graph(plantest.Worker), want: []string{"spec.experimental.kvTransferPolicy"}},
		"Domain":       {reason: "Its domain cannot change.", live: with, xr: plantest.Transferring(plantest.TransferByTopology("zone")), want: []string{"spec.experimental.kvTransferPolicy"}},
		"Source":       {reason: "Its label cannot change.", live: with, xr: plantest.Transferring(plantest.TransferByLabel("a")), want: []string{"spec.experimental.kvTransferPolicy"}},
		"Enforcement":  {reason: "Its enforcement cannot change.", live: with, xr: changed(func(p *v1alpha1.KVTransferPolicy) { p.Enforcement, p.PreferredWeight = "preferred", new(0.5) }), want: []string{"spec.experimental.kvTransferPolicy"}},
		"OtherService": {reason: "A frontend has no policy.", live: without, xr: plantest.Graph(plantest.Component("Worker", plantest.ComponentOf("frontend")), plantest.WithTransfer(plantest.TransferByTopology("rack")))},
	}
	words := &plantest.Words{}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(tc.xr, plantest.WithObserved("deployment-worker", tc.live)))
			if diff := cmp.Diff(tc.want, changedIn(words, name, f)); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	words.Golden(t, len(cases))
}
