package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	chaosNamespace = "chaos"
	// chaosComponent of each graph is scaled and gets new images.
	chaosComponent = "Decode"

	// restartAt is the annotation of pods with the restart that they come from.
	restartAt = "nvidia.com/restartAt"
)

// A subject is a graph that is edited, with the state of its workloads when the graph was last at rest.
type subject struct {
	*suite

	graph *unstructured.Unstructured
	// component that is scaled and gets new images.
	component string
	// edits so far.
	edits int
	rest  state
}

// newSubject is one of many graphs: most run on Deployments or LeaderWorkerSets.
func (s *suite) newSubject(t testing.TB, i int) *subject {
	t.Helper()
	of := "disagg-vllm"
	if i%3 == 1 {
		of = "sglang-multinode"
	}
	g := example(t, of)
	g.SetNamespace(chaosNamespace)
	g.SetName(fmt.Sprintf("chaos-%d", i))
	if i%5 != 4 {
		onLeaderWorkerSets(g)
	}
	setReplicas(g, chaosComponent, 1)
	return &subject{suite: s, graph: g, component: chaosComponent}
}

func (g *subject) ref() controlplane.Ref { return controlplane.RefOf(g.graph) }

// create the graph, and wait until it is ready.
func (g *subject) create() error {
	if err := g.apply(); err != nil {
		return err
	}
	var err error
	g.rest, err = g.atRest()
	return err
}

func (g *subject) apply() error {
	return g.retry("the graph is applied", func() error {
		_, err := g.Client.Apply(g.ctx, g.graph)
		return err
	})
}

// edit the graph at random, and wait until the edit has taken effect. Nothing else may have changed.
func (g *subject) edit(random *rand.Rand) (name string, err error) {
	g.edits++
	if random.IntN(8) == 0 {
		// The pods of a new graph have not been restarted.
		unstructured.RemoveNestedField(g.graph.Object, "spec", "restart")
		return "deletion", errors.Join(g.remove(), g.create())
	}
	c := g.randomChange(random)
	return c.name, g.make(c)
}

// make a change, and wait until it has taken effect. Nothing else may have changed.
func (g *subject) make(c change) error {
	c.apply(g.graph)
	if err := g.apply(); err != nil {
		return err
	}
	after, err := g.atRest()
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	before := g.rest
	g.rest = after
	if err := c.check(before, after); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

func (g *subject) randomChange(random *rand.Rand) change {
	mark := fmt.Sprintf("edit-%d", g.edits)
	switch random.IntN(4) {
	case 0:
		return g.imageChange("registry.example.org/runtime:" + mark)
	case 1:
		return restartChange(map[string]any{"id": mark, "strategy": map[string]any{"type": "Parallel"}})
	case 2:
		return change{name: "annotation", apply: func(o *unstructured.Unstructured) {
			set(o.Object, mark, "metadata", "annotations", "example.org/edit")
		}}
	default:
		return g.scaling(3 - replicasOf(g.graph, g.component))
	}
}

// imageChange gives a component another image.
func (g *subject) imageChange(image string) change {
	return change{name: "image", renews: sets.New(g.component), apply: func(o *unstructured.Unstructured) { setImage(o, g.component, image) }}
}

// restartChange restarts all components.
func restartChange(restart map[string]any) change {
	return change{name: "restart", renewsAll: true, apply: func(o *unstructured.Unstructured) { set(o.Object, restart, "spec", "restart") }}
}

// scaling of a component.
func (g *subject) scaling(replicas int64) change {
	return change{
		name: fmt.Sprintf("scaling to %d", replicas), scales: g.component,
		apply: func(o *unstructured.Unstructured) { setReplicas(o, g.component, replicas) },
	}
}

// isUnchanged since the graph was last at rest.
func (g *subject) isUnchanged() error {
	after, err := g.atRest()
	if err != nil {
		return err
	}
	return change{name: "nothing"}.check(g.rest, after)
}

// remove the graph. None of its objects may remain.
func (g *subject) remove() error {
	err := g.retry("the graph is deleted", func() error {
		err := g.Client.Delete(g.ctx, g.ref())
		if isNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it is there"))
	})
	if err != nil {
		return err
	}
	return g.retry("nothing is left", func() error {
		for kind, apiVersion := range map[string]string{
			"Deployment": "apps/v1", "LeaderWorkerSet": leaderWorkerSets, "PodCliqueSet": grove, "Service": "v1", "ServiceAccount": "v1", "Pod": "v1",
		} {
			objects, err := g.listed(apiVersion, kind, g.ref())
			if err != nil || len(objects) > 0 {
				return errors.Join(err, fmt.Errorf("%d of kind %s are", len(objects), kind))
			}
		}
		return nil
	})
}

// atRest waits until the graph is ready and matches its spec, and returns the state of its workloads.
func (g *subject) atRest() (state, error) {
	var now state
	err := g.retry("the graph is as it is to be", func() error {
		if err := g.isSettled(); err != nil {
			return err
		}
		var err error
		if now, err = g.state(); err != nil {
			return err
		}
		return g.podsHaveSpec(now)
	})
	return now, err
}

// isSettled reports whether the status of the graph shows that it matches its spec.
func (g *subject) isSettled() error {
	if err := g.isSeen(g.ref()); err != nil {
		return err
	}
	live, err := g.composite(g.ref())
	if err != nil {
		return err
	}
	if seen, _, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration"); seen < live.GetGeneration() {
		return fmt.Errorf("generation %d is observed, not %d", seen, live.GetGeneration())
	}
	id, restarted, _ := unstructured.NestedString(g.graph.Object, "spec", "restart", "id")
	status, _, _ := unstructured.NestedMap(live.Object, "status", "restart")
	if restarted && (status["observedID"] != id || status["phase"] != "Completed") {
		return fmt.Errorf("restart %s: %v", id, status)
	}
	return g.is(g.ref(), "Synced", "True", "Ready", "True", "ServicesReady", "True")()
}

// state of the graph's workloads.
func (g *subject) state() (state, error) {
	now := state{pods: map[string]sets.Set[string]{}, workloads: map[string]runningWorkload{}}
	for kind, apiVersion := range map[string]string{"Deployment": "apps/v1", "LeaderWorkerSet": leaderWorkerSets, "PodCliqueSet": grove} {
		objects, err := g.listed(apiVersion, kind, g.ref())
		if err != nil {
			return now, err
		}
		for i := range objects {
			now.workloads[kind+" "+objects[i].GetName()] = runningWorkload{
				uid: string(objects[i].GetUID()), component: objects[i].GetLabels()[componentLabel], generation: objects[i].GetGeneration(),
			}
		}
	}
	pods, err := g.listed("v1", "Pod", g.ref())
	for i := range pods {
		component := pods[i].GetLabels()[componentLabel]
		if pods[i].GetDeletionTimestamp() != nil {
			return now, fmt.Errorf("pod %s is being deleted", pods[i].GetName())
		}
		if now.pods[component] == nil {
			now.pods[component] = sets.New[string]()
		}
		now.pods[component].Insert(string(pods[i].GetUID()))
	}
	return now, err
}

// podsHaveSpec of the graph: each component has the right number of pods, those of the edited component run the image, and all have the
// restart.
func (g *subject) podsHaveSpec(now state) error {
	for name, want := range podsWanted(g.graph) {
		if got := int64(now.pods[name].Len()); got != want {
			return fmt.Errorf("%s has %d pods, want %d", name, got, want)
		}
	}
	pods, err := g.listed("v1", "Pod", g.ref())
	if err != nil {
		return err
	}
	image := imageOf(g.graph, g.component)
	id, restarted, _ := unstructured.NestedString(g.graph.Object, "spec", "restart", "id")
	for i := range pods {
		if got := pods[i].GetAnnotations()[restartAt]; restarted && got != id {
			return fmt.Errorf("pod %s has restart %q, want %q", pods[i].GetName(), got, id)
		}
		if pods[i].GetLabels()[componentLabel] == g.component {
			if err := contains(&pods[i], image); err != nil {
				return err
			}
		}
	}
	return nil
}
