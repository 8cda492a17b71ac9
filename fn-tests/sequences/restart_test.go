package sequences

import (
	"maps"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Clusters, one for each orchestrator.
const (
	onGrove       = "examples/cluster/grove.yaml"
	onLWS         = harness.LWSVolcano
	onDeployments = "examples/cluster/none.yaml"
)

// spec of three components. Two of them span nodes, unless the test asks for single-node components only.
func spec(multinode bool) map[string]any {
	component := func(componentType string, replicas int64, more map[string]any) map[string]any {
		all := map[string]any{
			"componentType": componentType, "replicas": replicas,
			"extraPodSpec": map[string]any{"mainContainer": map[string]any{"image": "registry.example.org/runtime:1"}},
		}
		maps.Copy(all, more)
		return all
	}
	worker := map[string]any{"resources": map[string]any{"limits": map[string]any{"gpu": "8"}}}
	if multinode {
		worker["multinode"] = map[string]any{"nodeCount": int64(2)}
	}
	return map[string]any{"backendFramework": "sglang", "services": map[string]any{
		"Frontend": component("frontend", 2, nil),
		"decode":   component("decode", 2, worker),
		"prefill":  component("prefill", 1, worker),
	}}
}

func asked(id string) map[string]any { return map[string]any{"id": id} }

func strategy(id, kind string, order ...any) map[string]any {
	s := map[string]any{"type": kind}
	if len(order) > 0 {
		s["order"] = order
	}
	return map[string]any{"id": id, "strategy": s}
}

// running is a world in which the graph is ready.
func running(t *testing.T, binary *harness.Binary, cluster string) *world {
	t.Helper()
	w := newWorld(t, binary, cluster, spec(cluster != onDeployments))
	w.reconcile("the graph is created")
	w.act(true)
	w.reconcile("all is ready")
	return w
}

// roll lets the controllers carry out one step of a restart. Crossplane reconciles after each of their changes.
func (w *world) roll() {
	w.t.Helper()
	w.reconcile("the controllers have not looked yet")
	w.act(false)
	w.reconcile("pods are replaced")
	w.act(true)
	w.reconcile("all is ready")
}

func TestRestartSequential(t *testing.T) {
	binary := harness.New(t)
	cases := map[string]struct {
		reason   string
		cluster  string
		olderLWS bool
		steps    int
	}{
		"grove":       {reason: "On Grove one service restarts after the other.", cluster: onGrove, steps: 3},
		"lws":         {reason: "On LeaderWorkerSets one service restarts after the other, and one replica of a multinode service after the other.", cluster: onLWS, steps: 4},
		"lws-0.8":     {reason: "Replicas restart one after the other also where no generation tells which template a status is of.", cluster: onLWS, olderLWS: true, steps: 4},
		"deployments": {reason: "On Deployments one service restarts after the other.", cluster: onDeployments, steps: 3},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, binary, tc.cluster, spec(tc.cluster != onDeployments))
			w.tellsGeneration = !tc.olderLWS
			w.reconcile("the graph is created")
			w.act(true)
			w.reconcile("all is ready")
			w.ask(asked("one"))
			w.reconcile("restart one is asked for")
			for range tc.steps {
				w.roll()
			}
			w.reconcile("nothing happens")
			w.golden("sequential-" + name)
		})
	}
}

func TestRestartParallel(t *testing.T) {
	binary := harness.New(t)
	for name, cluster := range map[string]string{"grove": onGrove, "lws": onLWS, "deployments": onDeployments} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := running(t, binary, cluster)
			w.ask(strategy("one", "Parallel"))
			w.reconcile("restart one is asked for")
			w.roll()
			if cluster == onLWS {
				w.roll()
			}
			w.golden("parallel-" + name)
		})
	}
}

// TestRestartOrder also shows that a second restart can follow the first one.
func TestRestartOrder(t *testing.T) {
	t.Parallel()
	w := running(t, harness.New(t), onGrove)
	for _, id := range []string{"one", "two"} {
		w.ask(strategy(id, "Sequential", "prefill", "Frontend", "decode"))
		w.reconcile("restart " + id + " is asked for")
		for range 3 {
			w.act(true)
			w.reconcile("all is ready")
		}
	}
	w.golden("order")
}

// midway is a graph in the middle of restart "one": its first service is ready again.
func midway(t *testing.T, cluster string) *world {
	t.Helper()
	w := running(t, harness.New(t), cluster)
	w.ask(asked("one"))
	w.reconcile("restart one is asked for")
	w.act(true)
	w.reconcile("all is ready")
	return w
}

func TestRestartNewIDMidway(t *testing.T) {
	t.Parallel()
	w := midway(t, onGrove)
	w.ask(asked("two"))
	w.reconcile("restart two is asked for")
	w.roll()
	w.golden("new-id")
}

// TestRestartRefusedMidway shows that a restart continues after a reconcile that fails.
func TestRestartRefusedMidway(t *testing.T) {
	t.Parallel()
	w := midway(t, onLWS)
	w.ask(strategy("one", "Sequential", "Frontend", "decode", "nobody"))
	w.reconcile("the order is wrong")
	w.act(true)
	w.reconcile("the order is still wrong")
	w.ask(asked("one"))
	w.reconcile("the order is right again")
	w.roll()
	w.golden("refused")
}

// TestRestartStatusNotWritten shows that a restart continues if Crossplane could not update the status.
func TestRestartStatusNotWritten(t *testing.T) {
	t.Parallel()
	w := running(t, harness.New(t), onGrove)
	before := w.XR.Object["status"]
	w.ask(asked("one"))
	w.reconcile("restart one is asked for")
	w.XR.Object["status"] = before
	w.act(true)
	w.reconcile("the status was lost, and all is ready")
	w.golden("status-not-written")
}

// TestRestartRemoved shows that removing the request for a completed restart changes no pods.
func TestRestartRemoved(t *testing.T) {
	binary := harness.New(t)
	for name, cluster := range map[string]string{"grove": onGrove, "lws": onLWS, "deployments": onDeployments} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := running(t, binary, cluster)
			w.ask(strategy("one", "Parallel"))
			w.reconcile("restart one is asked for")
			for range 2 {
				w.act(true)
				w.reconcile("all is ready")
			}
			w.ask(nil)
			w.reconcile("nothing is asked for any more")
			w.act(true)
			w.reconcile("all is ready")
			w.golden("removed-" + name)
		})
	}
}

// TestNothingToRestart shows that an id that does not request a restart does not restart any pods.
func TestNothingToRestart(t *testing.T) {
	binary := harness.New(t)
	for name, cluster := range map[string]string{"grove": onGrove, "lws": onLWS, "deployments": onDeployments} {
		t.Run("created-"+name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, binary, cluster, spec(cluster != onDeployments))
			w.ask(asked("one"))
			w.reconcile("the graph is created with restart one")
			delete(w.XR.Object, "status")
			w.reconcile("its status could not be written")
			w.act(true)
			w.reconcile("all is ready")
			w.golden("created-" + name)
		})
	}
}

// TestRestartTakenBack shows that a restart stops when its request is removed, and that pods that were already restarted stay as they are. When
// the same request is added again, those pods are not restarted a second time.
func TestRestartTakenBack(t *testing.T) {
	t.Parallel()
	w := running(t, harness.New(t), onLWS)
	w.ask(asked("one"))
	w.reconcile("restart one is asked for")
	w.act(true)
	w.reconcile("all is ready")
	w.ask(nil)
	w.reconcile("nothing is asked for any more")
	w.act(true)
	w.reconcile("all is ready")
	w.ask(asked("one"))
	w.reconcile("restart one is asked for again")
	w.golden("taken-back")
}
