package engines

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const preferredDomain = "nvidia.com/topology-preferred-domain"

// constraint is what a graph asks for.
type constraint struct {
	// graph, frontend and worker are required domains.
	graph, frontend, worker string

	// preferredByGraph and preferredByWorker are preferred ones.
	preferredByGraph, preferredByWorker string

	// profile is true if the graph names the topology even where there is no domain.
	profile bool
}

func (c constraint) String() string {
	if c == (constraint{}) {
		return "nothing"
	}
	var parts []string
	for _, part := range []struct{ where, domain string }{
		{"graph", c.graph},
		{"Frontend", c.frontend},
		{"Worker", c.worker},
		{"graph prefers", c.preferredByGraph},
		{"Worker prefers", c.preferredByWorker},
	} {
		if part.domain != "" {
			parts = append(parts, part.where+" "+part.domain)
		}
	}
	if len(parts) == 0 {
		return "profile only"
	}
	return strings.Join(parts, ", ")
}

// matrix of constraints: each place, alone and together, at each kind of level.
func matrix() []constraint {
	all := []constraint{{}, {profile: true}}
	for _, level := range []string{"zone", "rack", "host"} {
		all = append(all,
			constraint{graph: level},
			constraint{frontend: level},
			constraint{worker: level},
			constraint{graph: "zone", worker: level},
			constraint{graph: level, worker: "rack"},
			constraint{preferredByGraph: level},
			constraint{preferredByWorker: level},
			constraint{graph: "zone", preferredByWorker: level},
			constraint{worker: "rack", preferredByWorker: level},
			constraint{preferredByGraph: "rack", preferredByWorker: level},
		)
	}
	return all
}

// constrained is the graph of the matrix with a constraint.
func constrained(t *testing.T, c constraint) *unstructured.Unstructured {
	t.Helper()
	xr := harness.Read(t, filepath.Join("fn-tests", "engines", "testdata", "topology", "graph.yaml"))[0]
	if c != (constraint{}) {
		set(t, xr, "my-cluster-topology", "spec", "topologyConstraint", "topologyProfile")
	}
	for _, place := range []struct {
		domain string
		path   []string
	}{
		{c.graph, []string{"spec", "topologyConstraint", "packDomain"}},
		{c.frontend, []string{"spec", "services", "Frontend", "topologyConstraint", "packDomain"}},
		{c.worker, []string{"spec", "services", "Worker", "topologyConstraint", "packDomain"}},
		{c.preferredByGraph, []string{"metadata", "annotations", preferredDomain}},
		{c.preferredByWorker, []string{"spec", "services", "Worker", "annotations", preferredDomain}},
	} {
		if place.domain != "" {
			set(t, xr, place.domain, place.path...)
		}
	}
	return xr
}

func set(t *testing.T, xr *unstructured.Unstructured, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(xr.Object, value, path...); err != nil {
		t.Fatal(err)
	}
}

// TestTopologyMatrix renders every constraint on every platform.
func TestTopologyMatrix(t *testing.T) {
	binary := harness.New(t)
	for name, p := range platforms() {
		t.Run(name, func(t *testing.T) {
			constraints := matrix()
			var record strings.Builder
			fmt.Fprintf(&record, "# %s\n", p.reason)
			for i, out := range p.render(t, binary, p.graphs(t, constraints)) {
				fmt.Fprintf(&record, "\n# %s\n%s", constraints[i], summary(t, out))
				checkCondition(t, constraints[i], out)
			}
			harness.Golden(t, filepath.Join("testdata", "topology", "matrix-on-"+name+".golden"), []byte(record.String()))
		})
	}
}

// graphs of constraints, as they can run on a platform.
func (p platform) graphs(t *testing.T, constraints []constraint) []*unstructured.Unstructured {
	t.Helper()
	var xrs []*unstructured.Unstructured
	for _, c := range constraints {
		xr := constrained(t, c)
		if p.oneNode {
			unstructured.RemoveNestedField(xr.Object, "spec", "services", "Worker", "multinode")
		}
		xrs = append(xrs, xr)
	}
	return xrs
}

// checkCondition fails unless the condition is there exactly where there is a constraint.
func checkCondition(t *testing.T, c constraint, out harness.Output) {
	t.Helper()
	if out.Err != nil {
		return
	}
	found := false
	for _, condition := range conditions(out.Composite) {
		found = found || condition["type"] == "TopologyLevelsAvailable"
	}
	if want := c != (constraint{}) && c != (constraint{profile: true}); found != want {
		t.Errorf("%s: want condition TopologyLevelsAvailable %t, got %t", c, want, found)
	}
}
