package plan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
)

// TestMNNVLIsStable creates every kind of graph and runs it again under every mode and scope, with and without the status
// that the first run left: what was decided stays, and nothing that the first run took is refused.
func TestMNNVLIsStable(t *testing.T) {
	modes := []string{`"mode":"Disabled"`, autoMode, byReplica, groveMode, autoMode + `,"requireClique":true`}
	accepted, on := 0, 0
	for _, first := range newGraphs(modes) {
		name := describe(&first)
		decided := outcomeOf(t, first.request(t))
		if !strings.HasPrefix(decided.Reason, "Valid") {
			continue
		}
		accepted++
		if decided.MNNVL.Mode != "" {
			on++
		}
		again := first
		again.observed = created(&first, decided)
		for _, mode := range []string{`"mode":"Disabled"`, byReplica, groveMode, autoMode + `,"requireClique":true`} {
			for _, status := range []string{"", statusAfter(t, &first, decided)} {
				again.input, again.status = mode, status
				got := outcomeOf(t, again.request(t))
				if !strings.HasPrefix(got.Reason, "Valid") {
					t.Fatalf("%s\nthen %s %s: %s", name, mode, status, got.Message)
				}
				got.Reason, got.Message = decided.Reason, decided.Message
				if diff := cmp.Diff(decided, got); diff != "" {
					t.Fatalf("%s\nthen %s %s: -first, +then:\n%s", name, mode, status, diff)
				}
			}
		}
	}
	if accepted < 300 || on < 100 {
		t.Errorf("only %d graphs were accepted, %d with a domain", accepted, on)
	}
}

// newGraphs are all combinations of what a user can write and a platform can set.
func newGraphs(modes []string) []mnnvlCase {
	workers := []string{
		gpuWorker, noGPUWorker, singleWorker,
		replace(gpuWorker, `"gpu":"4"`, `"gpu":"4","gpuType":"example.com/gpu"`),
		replace(gpuWorker, `"extraPodSpec":{`, `"extraPodSpec":{"resourceClaims":[{"name":"nic","resourceClaimTemplateName":"nics"}],`),
	}
	all := []mnnvlCase{{}}
	all = combine(all, modes, func(c *mnnvlCase, v string) { c.input = v })
	all = combine(all, []string{"Grove", "LeaderWorkerSet", "Deployment"}, func(c *mnnvlCase, v string) { c.on = graphplan.Orchestrator(v) })
	all = combine(all, []string{"Pack", "PackDomain"}, func(c *mnnvlCase, v string) { c.dialect = v })
	all = combine(all, []string{"", "enabled", "disabled"}, func(c *mnnvlCase, v string) { c.graph = v })
	all = combine(all, []string{"", "enabled", "disabled"}, func(c *mnnvlCase, v string) { c.service = v })
	all = combine(all, []string{"", "mine", "none"}, func(c *mnnvlCase, v string) { c.serviceGroup = v })
	all = combine(all, workers, func(c *mnnvlCase, v string) { c.worker = v })
	var possible []mnnvlCase
	for _, c := range all {
		multinode := strings.Contains(c.worker, "multinode")
		switch {
		case c.on == graphplan.Deployment && multinode, c.on == graphplan.LeaderWorkerSet && !multinode:
			continue
		case c.dialect != "Pack" && c.input != groveMode:
			continue
		case c.on != graphplan.Grove && (c.dialect != "Pack" || c.serviceGroup != ""):
			continue
		}
		possible = append(possible, c)
	}
	return possible
}

func combine(cases []mnnvlCase, values []string, set func(*mnnvlCase, string)) []mnnvlCase {
	var all []mnnvlCase
	for _, c := range cases {
		for _, value := range values {
			set(&c, value)
			all = append(all, c)
		}
	}
	return all
}

func describe(c *mnnvlCase) string {
	return fmt.Sprintf("on %s, dialect %s, %s, graph %q, service %q, group %q, worker %s", c.on, c.dialect, c.input, c.graph, c.service, c.serviceGroup, c.worker)
}

// created are the workloads of a graph as they are after a first run that decided so.
func created(c *mnnvlCase, decided mnnvlOutcome) map[string]string {
	parts := []string{noGPUs}
	switch {
	case strings.Contains(c.worker, "example.com/gpu"):
		parts = []string{strings.Replace(withGPUs, "nvidia.com/gpu", "example.com/gpu", 1)}
	case c.worker != noGPUWorker:
		parts = []string{withGPUs}
	}
	member, claims := decided.MNNVL.Members["Worker"]
	switch {
	case claims && decided.MNNVL.Scope == graphplan.ScopeReplica:
		parts = append(parts, claimOf("llama-worker-0"))
	case claims:
		parts = append(parts, claimOf("llama-0"))
	case strings.Contains(c.worker, "resourceClaims"):
		parts = append(parts, otherClaim)
	}
	if member.RequireClique {
		parts = append(parts, onClique)
	}
	switch {
	case c.on == graphplan.LeaderWorkerSet:
		return leaderWorkerSetsOf(parts...)
	case c.on == graphplan.Deployment:
		return deploymentsOf(parts...)
	case strings.Contains(c.worker, "multinode"):
		return ofCliques(setOf(annotationsOf(decided.AutoMNNVL, decided.Group), annotationsOf("", decided.Groups["Worker"]), parts...), annotationsOf("", c.serviceGroup))
	default:
		clique := annotationsOf("", c.serviceGroup)
		if group, ok := decided.Groups["Worker"]; ok {
			clique = annotationsOf("", group)
		}
		return map[string]string{"podcliqueset": `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","annotations":` +
			annotationsOf(decided.AutoMNNVL, decided.Group) + `},"spec":{"replicas":1,"template":{"cliques":[
			{"name":"frontend","spec":{"replicas":1,"minAvailable":1,"podSpec":{` + noGPUs + `}}},
			{"name":"worker","annotations":` + clique + `,"spec":{"replicas":1,"minAvailable":1,"podSpec":{` + strings.Join(parts, ",") + `}}}]}}}`}
	}
}

// statusAfter is the status that step status leaves.
func statusAfter(t *testing.T, c *mnnvlCase, decided mnnvlOutcome) string {
	t.Helper()
	mnnvl := map[string]string{"mode": "Disabled"}
	if decided.MNNVL.Mode != "" {
		mnnvl["mode"] = string(decided.MNNVL.Mode)
	}
	if decided.MNNVL.Scope != "" {
		mnnvl["scope"] = string(decided.MNNVL.Scope)
	}
	status, err := json.Marshal(map[string]any{"orchestrator": c.on, "mnnvl": mnnvl})
	if err != nil {
		t.Fatal(err)
	}
	return string(status)
}
