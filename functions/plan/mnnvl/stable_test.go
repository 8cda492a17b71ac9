package mnnvl_test

import (
	"cmp"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestMNNVLIsStable creates every kind of graph and runs it again under every mode and scope, with and without the status
// that the first run left: what was decided stays, and nothing that the first run took is refused.
func TestMNNVLIsStable(t *testing.T) {
	disabled := inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLDisabled}
	modes := []inputv1alpha1.MNNVL{disabled, autoMode(), byReplica(), groveMode(), byClique()}
	accepted, on := 0, 0
	share := 1
	if testing.Short() {
		share = 5
	}
	for i, first := range newGraphs(modes) {
		if i%share != 0 {
			continue
		}
		name := describe(t, &first)
		created := whole.Run(t, first.request())
		if created.Plan == nil {
			continue
		}
		decided := outcomeOf(created)
		accepted++
		if decided.MNNVL.Mode != "" {
			on++
		}
		again := first
		again.observed = workloadsOf(&first, decided)
		for _, mode := range []inputv1alpha1.MNNVL{disabled, byReplica(), groveMode(), byClique()} {
			for _, status := range []*v1alpha1.DynamoGraphDeploymentStatus{nil, statusAfter(&first, decided)} {
				again.input, again.status = mode, status
				then := whole.Run(t, again.request())
				if then.Plan == nil {
					t.Fatalf("%s\nthen %v %v: %s", name, mode, status, then.Texts)
				}
				got := outcomeOf(then)
				got.Said = decided.Said
				if diff := gocmp.Diff(decided, got); diff != "" {
					t.Fatalf("%s\nthen %v %v: -first, +then:\n%s", name, mode, status, diff)
				}
			}
		}
	}
	if accepted < 300/share || on < 100/share {
		t.Errorf("only %d graphs were accepted, %d with a domain", accepted, on)
	}
}

// newGraphs are all combinations of what a user can write and a platform can set.
func newGraphs(modes []inputv1alpha1.MNNVL) []mnnvlCase {
	workers := []*v1alpha1.Service{
		gpuWorker(), noGPUWorker(), singleWorker(), gpuWorker(requestingOther), gpuWorker(claiming("nic", "nics")),
	}
	all := []mnnvlCase{{}}
	all = combine(all, modes, func(c *mnnvlCase, v inputv1alpha1.MNNVL) { c.input = v })
	all = combine(all, []graphplan.Orchestrator{graphplan.Grove, graphplan.LeaderWorkerSet, graphplan.Deployment}, func(c *mnnvlCase, v graphplan.Orchestrator) { c.on = v })
	all = combine(all, []inputv1alpha1.TopologyDialect{inputv1alpha1.DialectPack, inputv1alpha1.DialectPackDomain}, func(c *mnnvlCase, v inputv1alpha1.TopologyDialect) { c.dialect = v })
	all = combine(all, []string{"", "enabled", "disabled"}, func(c *mnnvlCase, v string) { c.graph = v })
	all = combine(all, []string{"", "enabled", "disabled"}, func(c *mnnvlCase, v string) { c.component = v })
	all = combine(all, []string{"", "mine", "none"}, func(c *mnnvlCase, v string) { c.componentGroup = v })
	all = combine(all, workers, func(c *mnnvlCase, v *v1alpha1.Service) { c.worker = v })
	var possible []mnnvlCase
	for _, c := range all {
		multinode := c.worker.Multinode != nil
		switch {
		case c.on == graphplan.Deployment && multinode, c.on == graphplan.LeaderWorkerSet && !multinode:
			continue
		case c.dialect != inputv1alpha1.DialectPack && c.input.Mode != inputv1alpha1.MNNVLGrove:
			continue
		case c.on != graphplan.Grove && (c.dialect != inputv1alpha1.DialectPack || c.componentGroup != ""):
			continue
		}
		possible = append(possible, c)
	}
	return possible
}

func combine[V any](cases []mnnvlCase, values []V, set func(*mnnvlCase, V)) []mnnvlCase {
	var all []mnnvlCase
	for _, c := range cases {
		for _, value := range values {
			set(&c, value)
			all = append(all, c)
		}
	}
	return all
}

func describe(t *testing.T, c *mnnvlCase) string {
	t.Helper()
	return fmt.Sprintf("on %s, dialect %s, %v, graph %q, service %q, group %q, worker %s", c.on, c.dialect, c.input, c.graph, c.component, c.componentGroup, plantest.Struct(c.worker))
}

// workloadsOf are the workloads of a graph as they are after a first run that decided so.
func workloadsOf(c *mnnvlCase, decided outcome) map[string]any {
	var pods []podChange
	if c.worker.Resources != nil {
		pods = append(pods, withGPUsOf(corev1.ResourceName(cmp.Or(c.worker.Resources.Limits.GPUType, "nvidia.com/gpu"))))
	}
	member, claims := decided.MNNVL.Members["Worker"]
	switch {
	case claims && decided.MNNVL.Scope == graphplan.ScopeReplica:
		pods = append(pods, claimOf("llama-worker-0"))
	case claims:
		pods = append(pods, claimOf("llama-0"))
	case c.worker.ExtraPodSpec.ResourceClaims != nil:
		pods = append(pods, otherClaim)
	}
	if member.RequireClique {
		pods = append(pods, onClique)
	}
	switch {
	case c.on == graphplan.LeaderWorkerSet:
		return leaderWorkerSetsOf(pods...)
	case c.on == graphplan.Deployment:
		return deploymentsOf(pods...)
	case c.worker.Multinode != nil:
		return setOfCliques(annotationsOf(decided.AutoMNNVL, decided.Group), annotationsOf("", c.componentGroup), annotationsOf("", decided.Groups["Worker"]), pods...)
	default:
		group := c.componentGroup
		if decidedGroup, ok := decided.Groups["Worker"]; ok {
			group = decidedGroup
		}
		return singleSetOf(annotationsOf(decided.AutoMNNVL, decided.Group), annotationsOf("", group), pods...)
	}
}

// statusAfter is the status that step status leaves.
func statusAfter(c *mnnvlCase, decided outcome) *v1alpha1.DynamoGraphDeploymentStatus {
	return statusOf(c.on, cmp.Or(string(decided.MNNVL.Mode), "Disabled"), string(decided.MNNVL.Scope))
}
