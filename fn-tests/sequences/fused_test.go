package sequences

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A change of a graph, or of its objects.
type graphChange struct {
	name string
	do   func(t *testing.T, c *harness.Chain)
}

// nothing changes except for the Composition.
func nothing(name string) graphChange { return graphChange{name, func(*testing.T, *harness.Chain) {}} }

func changeField(name string, value any, path ...string) graphChange {
	return graphChange{name, func(t *testing.T, c *harness.Chain) {
		t.Helper()
		if err := unstructured.SetNestedField(c.XR.Object, value, path...); err != nil {
			t.Fatal(err)
		}
	}}
}

func scaleComponent(component string, replicas int64) graphChange {
	return changeField("scale "+component, replicas, "spec", "services", component, "replicas")
}

func removeComponent(component string) graphChange {
	return graphChange{"remove " + component, func(_ *testing.T, c *harness.Chain) {
		unstructured.RemoveNestedField(c.XR.Object, "spec", "services", component)
	}}
}

// finishDeletion removes all objects that are being deleted.
func finishDeletion() graphChange {
	return graphChange{"what was deleted is gone", func(t *testing.T, c *harness.Chain) {
		t.Helper()
		for key := range c.Terminating {
			c.Gone(t, key)
		}
	}}
}

// loseReferences to objects, as a replace of the graph does. Without keys, all references are lost.
func loseReferences(keys ...string) graphChange {
	return graphChange{"lose references", func(t *testing.T, c *harness.Chain) {
		t.Helper()
		c.Lose(t, keys...)
	}}
}

// both changes at once.
func both(a, b graphChange) graphChange {
	return graphChange{a.name + ", " + b.name, func(t *testing.T, c *harness.Chain) {
		t.Helper()
		a.do(t, c)
		b.do(t, c)
	}}
}

// A comparedLife of a graph, with a Composition that may change at each render.
type comparedLife struct {
	*harness.Chain

	name      string
	now, next string
}

// compareLives after one more render of each.
func compareLives(t *testing.T, lives []*comparedLife, c graphChange) {
	t.Helper()
	var want string
	for i, l := range lives {
		c.do(t, l.Chain)
		l.Composition = l.now
		l.now, l.next = l.next, l.now
		got := printed(t, l.Render(t))
		if i == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: -%s, +%s:\n%s", c.name, lives[0].name, l.name, diff)
		}
	}
}

// TestFusedSequences runs the lives of graphs several times: with the chain, with the fused function, and with a Composition that changes from
// one to the other at every render. All must be the same after each render, so switching the Composition changes nothing.
func TestFusedSequences(t *testing.T) {
	t.Parallel()
	const nvlinked = "fn-tests/sequences/testdata/nvlink.yaml"
	refused := changeField("what is refused", "both", "metadata", "annotations", "grove.io/auto-mnnvl")
	cases := map[string]struct {
		reason      string
		xr, cluster string
		input       map[string]any
		changes     []graphChange
	}{
		"GroveScales": {
			reason: "A temporary autoscaler scales a service on Grove, and is deleted afterwards.",
			xr:     "examples/v1alpha1/sglang-multinode.yaml", cluster: harness.GroveKAI,
			changes: []graphChange{scaleComponent("Decode", 3), loseReferences(), scaleComponent("Decode", 1), both(loseReferences(), scaleComponent("Decode", 4)), refused},
		},
		"GroveDomain": {
			reason: "A graph on Grove has one domain for all its services.",
			xr:     nvlinked, cluster: harness.GroveKAI, input: nvlinkInput(),
			changes: []graphChange{scaleComponent("Worker", 3), loseReferences("usage-computedomain-0", "podcliqueset"), scaleComponent("Worker", 1), finishDeletion(), both(loseReferences(), removeComponent("Encoder"))},
		},
		"ReplicaDomains": {
			reason: "Each replica has a domain, which stays for as long as its pods: the steps after step plan look these up.",
			xr:     nvlinked, cluster: harness.LWSVolcano, input: nvlinkInput(),
			changes: []graphChange{
				scaleComponent("Worker", 4), scaleComponent("Worker", 1), loseReferences(), finishDeletion(), finishDeletion(), finishDeletion(), scaleComponent("Worker", 2), both(loseReferences(), scaleComponent("Worker", 1)), finishDeletion(), refused,
			},
		},
		"SSHSecret": {
			reason: "A key pair is only created once.",
			xr:     "examples/v1alpha1/trtllm-multinode.yaml", cluster: harness.LWSVolcano,
			changes: []graphChange{changeField("an annotation", "of ours", "metadata", "annotations", "example.org/note"), loseReferences()},
		},
		"Deployments": {
			reason: "Services are added and removed.",
			xr:     "examples/v1alpha1/disagg-vllm.yaml", cluster: "examples/cluster/none.yaml",
			changes: []graphChange{loseReferences(), removeComponent("Prefill"), finishDeletion()},
		},
	}
	binary := harness.New(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			chain, fused := harness.WithInput(t, harness.Composition, tc.input), asPackaged(t, harness.Composition, tc.input)
			lives := []*comparedLife{{nil, "chain", chain, chain}, {nil, "fused", fused, fused}, {nil, "fused first", fused, chain}, {nil, "chain first", chain, fused}}
			if testing.Short() {
				// Of the fused function and the change from it to the chain, every other render is the same.
				lives = []*comparedLife{lives[0], lives[2]}
			}
			for _, l := range lives {
				l.Chain = harness.NewChain(t, binary, tc.xr, tc.cluster)
				l.Cluster = append(l.Cluster, harness.Driver(t)...)
			}
			compareLives(t, lives, nothing("create"))
			if len(lives[0].Objects) == 0 {
				t.Fatal("nothing was composed, so nothing is compared")
			}
			for _, change := range tc.changes {
				compareLives(t, lives, change)
				compareLives(t, lives, nothing("after "+change.name))
			}
		})
	}
}

// unnamed is a message without the name of its step, which comes from the Composition and not from functions.
func unnamed(message string) string {
	return regexp.MustCompile(`([Pp]ipeline step )"[a-z]+"`).ReplaceAllString(message, "${1}(step)")
}

// asPackaged is a copy of the fused Composition of a flavour, with its name in the Configuration, which is that of the chain.
func asPackaged(t *testing.T, composition string, input map[string]any) string {
	t.Helper()
	path := harness.WithInput(t, fusedOf(composition), input)
	object := harness.Read(t, path)[0]
	object.SetName(strings.TrimSuffix(object.GetName(), "-fused"))
	return harness.Write(t, object)
}

// printed is the whole output of a render in its order, without the names of steps.
func printed(t *testing.T, out harness.Output) string {
	t.Helper()
	var all bytes.Buffer
	if out.Err == nil {
		for _, object := range out.Composed {
			if message, ok := object.Object["message"].(string); ok && object.GetKind() == "Result" {
				object.Object["message"] = unnamed(message)
			}
		}
		all.Write(harness.Format(t, out.Composite))
		all.Write(harness.Format(t, out.Composed...))
	} else {
		all.WriteString(out.Err.Error() + "\n")
	}
	all.WriteString(unnamed(out.Stderr))
	return all.String()
}
