package sequences

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Annotations that limit a rollout.
const (
	rolloutStrategy = "nvidia.com/deployment-strategy"
	maxUnavailable  = "nvidia.com/deployment-rolling-update-max-unavailable"
)

// rollouts records the pod templates of LeaderWorkerSets during a rollout.
type rollouts struct {
	// limit is the maximum number of replicas of a component that may be unavailable at the same time. It is 0 if the test makes more replicas fail.
	limit int
}

// compositions of the chain and of the fused function. Rollouts are the same in both.
func compositions() map[string]string {
	return map[string]string{"chain": harness.Composition, "fused": "compositions/dynamographdeployment-fused.yaml"}
}

// rolling is a world of LeaderWorkerSets with three replicas of decode and one of prefill, all of them ready.
func rolling(t *testing.T, binary *harness.Binary, composition string, annotations map[string]any) *world {
	t.Helper()
	w := newWorld(t, binary, onLWS, spec(true))
	w.Composition, w.rollouts = composition, &rollouts{limit: 1}
	w.set(w.XR, int64(3), "spec", "services", "decode", "replicas")
	if annotations != nil {
		w.set(w.XR, annotations, "spec", "services", "decode", "annotations")
	}
	w.reconcile("the graph is created")
	w.act(true)
	w.reconcile("all is ready")
	w.log.Reset()
	return w
}

// edit a field of component decode.
func (w *world) edit(value any, path ...string) {
	w.t.Helper()
	w.set(w.XR, value, append([]string{"spec", "services", "decode"}, path...)...)
	w.XR.SetGeneration(w.XR.GetGeneration() + 1)
}

func (w *world) image(tag string) {
	w.t.Helper()
	w.edit("registry.example.org/runtime:"+tag, "extraPodSpec", "mainContainer", "image")
}

func decode(i int) string { return fmt.Sprintf("leaderworkerset-decode-%d", i) }

// finish lets the sets that are being replaced become ready, until the rollout is complete.
func (w *world) finish() {
	w.t.Helper()
	for range 2 * len(w.Objects) {
		w.act(false)
		w.reconcile("pods are replaced")
		w.act(true)
		w.reconcile("all that was replaced is ready")
		if w.settled() {
			return
		}
	}
	w.t.Error("the rollout does not come to its end")
}

// settled is true if all sets have been replaced and the graph is ready.
func (w *world) settled() bool { return strings.Contains(w.state(), "all_resources_are_ready") }

// state is the condition of the components.
func (w *world) state() string {
	c := conditionOf(w.XR, "ServicesReady")
	message, _ := c["message"].(string)
	return strings.TrimSpace(fmt.Sprint(c["reason"]) + " " + message)
}

// describeRollouts returns the pod template of each set and what the conditions of the graph report.
func (w *world) describeRollouts(step string) {
	w.t.Helper()
	fmt.Fprintf(&w.log, "  %s\n", w.state())
	if restart, found, _ := unstructured.NestedMap(w.XR.Object, "status", "restart"); found {
		fmt.Fprintf(&w.log, "  restart: %v %v %v\n", restart["observedID"], restart["phase"], restart["inProgress"])
	}
	updated, _, _ := unstructured.NestedFieldNoCopy(w.XR.Object, "status", "services", "decode", "updatedReplicas")
	fmt.Fprintf(&w.log, "  decode: %v updated\n", updated)
	for _, key := range keys(w.Objects) {
		if strings.HasPrefix(key, "leaderworkerset-decode-") {
			fmt.Fprintf(&w.log, "  %s\n", w.describeSet(key))
		}
	}
	w.checkLimit(step)
}

func (w *world) describeSet(key string) string {
	set := w.Objects[key]
	containers, _, _ := unstructured.NestedSlice(set.Object, "spec", "leaderWorkerTemplate", "leaderTemplate", "spec", "containers")
	main, _ := containers[0].(map[string]any)
	image, _ := main["image"].(string)
	line := set.GetName() + ": image " + image[strings.LastIndex(image, ":")+1:]
	annotations, _, _ := unstructured.NestedStringMap(set.Object, "spec", "leaderWorkerTemplate", "workerTemplate", "metadata", "annotations")
	if id, ok := annotations[restartAt]; ok {
		line += ", restart " + id
	}
	if group, ok := w.Objects[strings.Replace(key, "leaderworkerset", "podgroup", 1)]; ok {
		gpus, _, _ := unstructured.NestedString(group.Object, "spec", "minResources", "nvidia.com/gpu")
		line += ", gang of " + gpus + " GPUs"
	}
	return line + ", " + w.condition(key)
}

// condition of a set: what becomes of its pods.
func (w *world) condition(key string) string {
	switch available := conditionOf(w.Objects[key], "Available"); {
	case available == nil:
		return "new"
	case w.seen[key] != w.Objects[key].GetGeneration():
		return "to be replaced"
	case available["status"] == "True":
		return "ready"
	default:
		return "not ready"
	}
}

// checkLimit checks that the number of replicas that are unavailable, or about to be, does not exceed the limit.
func (w *world) checkLimit(step string) {
	w.t.Helper()
	var down []string
	for _, key := range keys(w.Objects) {
		if strings.HasPrefix(key, "leaderworkerset-decode-") && w.condition(key) != "ready" && w.condition(key) != "new" {
			down = append(down, key)
		}
	}
	if limit := w.rollouts.limit; limit > 0 && len(down) > limit {
		w.t.Errorf("%s: want at most %d replicas unavailable, got %v", step, limit, down)
	}
}

func TestRolloutOfReplicas(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason      string
		annotations map[string]any
		limit       int
		olderLWS    bool
		do          func(w *world)
	}{
		"image": {
			reason: "The replicas of a service take a new image one after the other.",
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.reconcile("the controllers have not looked yet")
				w.finish()
			},
		},
		"image-lws-0.8": {
			reason: "The replicas take a new image one after the other also where no generation tells which template a status is of.", olderLWS: true,
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.reconcile("the controllers have not looked yet")
				w.finish()
			},
		},
		"two-at-a-time": {
			reason: "As many replicas roll at once as may be unavailable.", annotations: map[string]any{maxUnavailable: "67%"}, limit: 2,
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.finish()
			},
		},
		"recreate": {
			reason: "With Recreate all replicas roll at once.", annotations: map[string]any{rolloutStrategy: "Recreate", maxUnavailable: "1"}, limit: 3,
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.finish()
			},
		},
		"stuck": {
			reason: "A replica that does not come up stops the rollout, and putting the image back restarts this replica alone.",
			do: func(w *world) {
				w.image("broken")
				w.reconcile("a broken image is given")
				w.act(false)
				w.reconcile("the first replica does not come up")
				w.reconcile("it still does not come up")
				w.image("1")
				w.reconcile("the image is put back")
				w.finish()
			},
		},
		"rolled-back": {
			reason: "A rollback in the middle restarts the replicas that had the new image, and no others.",
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.act(true)
				w.reconcile("the first replica is ready")
				w.act(false)
				w.image("1")
				w.reconcile("the image is put back while the second is replaced")
				w.finish()
			},
		},
		"edited-again": {
			reason: "A second image goes first to the replica that is down with the one before.",
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.act(true)
				w.reconcile("the first replica is ready")
				w.act(false)
				w.image("3")
				w.reconcile("it is edited again while the second is replaced")
				w.finish()
			},
		},
		"restarted": {
			reason: "A replica that takes a new image while a restart is asked for takes the restart with it, so that it restarts once.",
			do: func(w *world) {
				w.image("2")
				w.ask(asked("one"))
				w.reconcile("the image is edited and a restart is asked for")
				w.finish()
			},
		},
		"restarted-midway": {
			reason: "A restart that is asked for during a rollout restarts again those that have the new image already, and no others.",
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.act(true)
				w.reconcile("the first replica is ready")
				w.ask(strategy("one", "Parallel"))
				w.reconcile("a restart is asked for")
				w.finish()
			},
		},
		"edited-while-restarting": {
			reason: "An image that is edited during a restart waits for the replica that restarts.",
			do: func(w *world) {
				w.ask(strategy("one", "Parallel"))
				w.reconcile("a restart is asked for")
				w.act(false)
				w.image("2")
				w.reconcile("the image is edited while the first replica restarts")
				w.finish()
			},
		},
		"scaled-out": {
			reason: "New replicas have the new image at once, and the others wait until these are up.", limit: 2,
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.edit(int64(4), "replicas")
				w.reconcile("a replica is added")
				w.finish()
			},
		},
		"scaled-in": {
			reason: "Replicas that go during a rollout are not waited for.",
			do: func(w *world) {
				w.image("2")
				w.reconcile("the image is edited")
				w.act(true)
				w.reconcile("the first replica is ready")
				w.edit(int64(1), "replicas")
				w.reconcile("two replicas are taken away, one of them about to be replaced")
				w.finish()
			},
		},
		"broken-before": {
			reason: "A replica that is down already is the first to roll, and the others wait for it.",
			do: func(w *world) {
				w.control(w.Objects[decode(2)], false)
				w.reconcile("the last replica breaks")
				w.image("2")
				w.reconcile("the image is edited")
				w.finish()
			},
		},
		"all-broken": {
			reason: "A service of which nothing runs rolls too, so that an edit can fix it.", limit: -1,
			do: func(w *world) {
				for i := range 3 {
					w.control(w.Objects[decode(i)], false)
				}
				w.reconcile("all replicas break")
				w.image("2")
				w.reconcile("the image is edited")
				w.actOn(true, decode(0))
				w.reconcile("the first replica is ready")
				w.actOn(true, decode(1))
				w.reconcile("the second replica is ready")
				w.actOn(true, decode(2))
				w.reconcile("the last replica is ready")
			},
		},
		"resources": {
			reason: "The gang of a replica asks for what its pods ask for, not for what they will.",
			do: func(w *world) {
				w.edit("4", "resources", "limits", "gpu")
				w.reconcile("the pods are given fewer GPUs")
				w.finish()
			},
		},
	}
	binary := harness.New(t)
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		tc := cases[name]
		for j, kind := range slices.Sorted(maps.Keys(compositions())) {
			// Both Compositions become the same objects, which other tests hold.
			if !harness.Sampled(i+j, len(compositions())) {
				continue
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				w := rolling(t, binary, compositions()[kind], tc.annotations)
				w.tellsGeneration = !tc.olderLWS
				w.act(true)
				if tc.limit != 0 {
					w.rollouts.limit = max(tc.limit, 0)
				}
				fmt.Fprintf(&w.log, "%s\n\n", tc.reason)
				tc.do(w)
				w.golden("rollout-" + name)
			})
		}
	}
}
