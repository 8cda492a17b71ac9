package sequences

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// An edit of a graph whose decode workers run on Grove.
type edit struct {
	name string

	// replicas, or image if it is none.
	replicas int64
	image    string
}

func scaling(replicas int64) edit {
	return edit{name: fmt.Sprintf("scale-%d", replicas), replicas: replicas}
}

func updating(tag string) edit {
	return edit{name: "image-" + tag, image: "registry.example.org/runtime:" + tag}
}

// histories of a graph before it is scaled in: all of up to three edits, without those that change nothing.
func histories() [][]edit {
	choices := []edit{scaling(6), scaling(2), updating("1.5.1"), updating("1.5.0")}
	all := [][]edit{nil}
	for from := all; len(from[0]) < 3; {
		var longer [][]edit
		for _, history := range from {
			for _, e := range choices {
				if !changesNothing(history, e) {
					longer = append(longer, append(slices.Clone(history), e))
				}
			}
		}
		all, from = append(all, longer...), longer
	}
	return all
}

// changesNothing reports whether an edit after others has no effect. The graph begins with 4 replicas and release 1.5.0.
func changesNothing(history []edit, e edit) bool {
	replicas, image := int64(4), "registry.example.org/runtime:1.5.0"
	for _, earlier := range history {
		if earlier.image != "" {
			image = earlier.image
		} else {
			replicas = earlier.replicas
		}
	}
	return e.image == image || e.image == "" && e.replicas == replicas
}

// TestScaleIns scales a component in after each history of edits, while Grove observes changes late, or while its operator is down: pods of
// an update are never scaled in, and without an update no scale-in waits for one.
func TestScaleIns(t *testing.T) {
	t.Parallel()
	binary := harness.New(t)
	all := histories()
	if testing.Short() {
		all = slices.DeleteFunc(all, func(history []edit) bool { return len(history) > 2 })
	}
	for _, history := range all {
		// Minutes between two edits, and whether the operator of Grove is down from the last edit of the history on, or from the first one.
		for _, gap := range []int{1, 3} {
			for _, way := range []string{"quick", "slow", "down", "down-early"} {
				// The longest histories only differ in what Grove has not observed of them.
				if way == "down" && len(history) == 0 || way == "down-early" && len(history) < 2 || len(history) > 2 && (gap > 1 || way == "quick") {
					continue
				}
				names := []string{way, fmt.Sprintf("gap-%d", gap)}
				for _, e := range history {
					names = append(names, e.name)
				}
				t.Run(strings.Join(names, " "), func(t *testing.T) { scaleInAfter(t, binary, history, gap, way) })
			}
		}
	}
}

// scaleInAfter a history scales a component in to one replica, and waits until it has one.
func scaleInAfter(t *testing.T, binary *harness.Binary, history []edit, gap int, way string) {
	t.Helper()
	const patience = 80
	c := harness.NewChain(t, binary, filepath.Join("fn-tests", "sequences", "testdata", "scaling", "decode.yaml"), onGrove)
	g := &grove{slow: way == "slow"}
	edits := append(slices.Clone(history), scaling(1))
	isUpdated := slices.ContainsFunc(edits, func(e edit) bool { return e.image != "" })
	for minute, next := 1, 0; ; minute++ {
		if next < len(edits) && minute == 2+next*gap {
			e := edits[next]
			if e.image != "" {
				setField(t, c.XR, e.image, "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")
			} else {
				setField(t, c.XR, e.replicas, "spec", "services", "Decode", "replicas")
			}
			next++
			g.down = way == "down" && next >= len(history) || way == "down-early"
		}
		if minute == 2+len(edits)*gap+3 {
			g.down = false
		}
		if out := c.Render(t); out.Err != nil {
			t.Fatal(out.Stderr)
		}
		if said := g.describe(t, c); !isUpdated && strings.Contains(said, "rolling update") {
			t.Fatalf("minute %d: want no wait for an update, because there is none, got %s", minute, said)
		}
		g.minute(t, c)
		if len(g.mistakes) > 0 {
			t.Fatalf("minute %d: want no scale-in of pods that an update replaces, got %v", minute, g.mistakes)
		}
		if next == len(edits) && !g.down && g.done(1) && numberIn(t, c.Objects["podcliqueset"]) == 1 {
			return
		}
		if minute == patience {
			t.Fatalf("want one replica after %d minutes, got %s", minute, g.describe(t, c))
		}
	}
}
