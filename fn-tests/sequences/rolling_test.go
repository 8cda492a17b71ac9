package sequences

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestRollingUpdates scales a component while Grove rolls its pods, minute by minute, until all is as the graph has it.
func TestRollingUpdates(t *testing.T) {
	t.Parallel()
	type change func(*testing.T, *harness.Chain, *grove)
	const patience = 40
	binary := harness.New(t)
	image := []string{"extraPodSpec", "mainContainer", "image"}
	edit := func(t *testing.T, c *harness.Chain, value any, path ...string) {
		t.Helper()
		setField(t, c.XR, value, append([]string{"spec", "services", "Decode"}, path...)...)
	}
	scaleIn := func(t *testing.T, c *harness.Chain, _ *grove) {
		t.Helper()
		edit(t, c, int64(1), "replicas")
	}
	roll := func(t *testing.T, c *harness.Chain, _ *grove) {
		t.Helper()
		edit(t, c, "registry.example.org/runtime:2", image...)
	}
	both := func(t *testing.T, c *harness.Chain, g *grove) {
		t.Helper()
		roll(t, c, g)
		scaleIn(t, c, g)
	}
	cases := map[string]struct {
		reason string
		// changes by the minute before which they are made.
		changes  map[int]change
		replicas int64
		// inSet is the number in the PodCliqueSet at the end, if it is another one.
		inSet int64
	}{
		"image-and-scale-in": {
			reason:   "A new image and fewer replicas in one edit roll first and scale in then.",
			changes:  map[int]change{4: both},
			replicas: 1,
		},
		"scale-in-while-rolling": {
			reason:   "A scale-in in the middle of a roll waits for its end.",
			changes:  map[int]change{4: roll, 5: scaleIn},
			replicas: 1,
		},
		"image-while-scaling-in": {
			reason: "A helper that has not acted yet is stopped when an update begins.",
			changes: map[int]change{4: func(t *testing.T, c *harness.Chain, g *grove) {
				t.Helper()
				scaleIn(t, c, g)
				c.Render(t)
				roll(t, c, g)
			}},
			replicas: 1,
		},
		"scale-out-while-rolling": {
			reason: "A scale-out need not wait.",
			changes: map[int]change{4: func(t *testing.T, c *harness.Chain, g *grove) {
				t.Helper()
				roll(t, c, g)
				edit(t, c, int64(6), "replicas")
			}},
			replicas: 6,
		},
		"wedged": {
			reason:   "An update that somebody has wedged by a scale-in of the PodClique is freed, and the service scaled in then.",
			changes:  map[int]change{4: roll, 6: func(_ *testing.T, _ *harness.Chain, g *grove) { g.scale(1) }, 8: scaleIn},
			replicas: 1,
		},
		"wedged-by-hand": {
			reason:   "A number that somebody has set by hand, and that has wedged an update, applies again after the update is freed.",
			changes:  map[int]change{4: roll, 6: func(_ *testing.T, _ *harness.Chain, g *grove) { g.scale(1) }},
			replicas: 1,
			inSet:    4,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := harness.NewChain(t, binary, filepath.Join("fn-tests", "sequences", "testdata", "scaling", "decode.yaml"), onGrove)
			g := &grove{}
			var record strings.Builder
			for minute := 1; ; minute++ {
				if change, ok := tc.changes[minute]; ok {
					change(t, c, g)
				}
				if out := c.Render(t); out.Err != nil {
					t.Fatal(out.Stderr)
				}
				g.minute(t, c)
				described := g.describe(t, c)
				fmt.Fprintf(&record, "%2d. %s\n", minute, described)
				_, helped := c.Objects["replicas-decode"]
				waits := helped || strings.Contains(described, "Decode: ")
				if minute > 8 && !waits && g.done(tc.replicas) && numberIn(t, c.Objects["podcliqueset"]) == cmp.Or(tc.inSet, tc.replicas) {
					break
				}
				if minute == patience {
					t.Errorf("%s It is not so after %d minutes.", tc.reason, minute)
					break
				}
			}
			harness.Golden(t, filepath.Join("testdata", "scaling", "rolling", name+".golden"), []byte(record.String()))
		})
	}
}

// describe in one line what there is, and what the graph waits for.
func (g *grove) describe(t *testing.T, c *harness.Chain) string {
	t.Helper()
	var line strings.Builder
	fmt.Fprintf(&line, "%d in the set, %d in the clique, %d pods, %d ready, %d updated",
		numberIn(t, c.Objects["podcliqueset"]), g.replicas, len(g.pods), g.count(pod.ready), g.count(g.isUpdated))
	if g.rolls {
		fmt.Fprintf(&line, ", rolling with %d done", len(g.completed))
	}
	if helper, ok := c.Objects["replicas-decode"]; ok {
		bound, _, _ := unstructured.NestedInt64(helper.Object, "spec", "maxReplicas")
		fmt.Fprintf(&line, ", helper to %d", bound)
	}
	conditions, _, _ := unstructured.NestedSlice(c.XR.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		message, _ := condition["message"].(string)
		_, message, _ = strings.Cut(message, ": "+c.XR.GetName()+": ")
		for part := range strings.SplitSeq(message, "; ") {
			if condition["type"] == "ServicesReady" && strings.HasPrefix(part, "Decode: ") && !strings.Contains(part, "(PodClique ") {
				line.WriteString("\n    " + part)
			}
		}
	}
	return line.String()
}
