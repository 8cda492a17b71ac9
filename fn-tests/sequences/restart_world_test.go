package sequences

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Annotations that restarts set.
const (
	restartAt      = "nvidia.com/restartAt"
	availableSince = "dynamo.nvidia.com/available-since-before-restart"
)

// world is a cluster with one graph, whose controllers carry out what is composed when a test lets them.
type world struct {
	*harness.Chain

	t *testing.T
	// tellsGeneration is true if LWS writes status.observedGeneration, as it does since v0.9.
	tellsGeneration bool
	// rollouts records pod templates. If it is not set, only the annotations of restarts are recorded.
	rollouts *rollouts

	// others are the objects of the cluster that have nothing to do with the graph, and children those that Grove has created for it.
	others   []*unstructured.Unstructured
	children map[string]*unstructured.Unstructured
	// seen is the generation that the controller of each object has processed, by key.
	seen map[string]int64
	// clock of the controllers.
	clock int
	// first are the objects of the first render, without the annotations of restarts.
	first map[string]any

	log strings.Builder
}

func newWorld(t *testing.T, binary *harness.Binary, cluster string, spec map[string]any) *world {
	t.Helper()
	graph := harness.Write(t, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
		"metadata": map[string]any{"name": "llama", "namespace": "inference", "uid": "u", "generation": int64(1)},
		"spec":     spec,
	}})
	chain := harness.NewChain(t, binary, graph, cluster)
	return &world{
		Chain: chain, t: t, tellsGeneration: true, others: chain.Cluster, children: map[string]*unstructured.Unstructured{}, seen: map[string]int64{},
	}
}

// ask changes spec.restart; nil removes it.
func (w *world) ask(restart map[string]any) {
	if restart == nil {
		unstructured.RemoveNestedField(w.XR.Object, "spec", "restart")
	} else {
		w.set(w.XR, restart, "spec", "restart")
	}
	w.XR.SetGeneration(w.XR.GetGeneration() + 1)
}

// reconcile as Crossplane does, and record the progress of the restart.
func (w *world) reconcile(step string) {
	w.t.Helper()
	fmt.Fprintf(&w.log, "%s\n", step)
	w.Cluster = slices.Concat(w.others, slices.Collect(maps.Values(w.children)))
	if out := w.Render(w.t); out.Err != nil {
		_, message, _ := strings.Cut(out.Stderr, "returned a fatal result: ")
		fmt.Fprintf(&w.log, "  refused: %s\n", strings.TrimSpace(message))
		return
	}
	w.Gone(w.t, keys(w.Terminating)...)
	if w.rollouts != nil {
		w.describeRollouts(step)
		return
	}
	w.compareWithFirst(step)
	w.describe()
}

// act lets the controllers process all changes, and complete them if ready is true.
func (w *world) act(ready bool) { w.actOn(ready, keys(w.Objects)...) }

// actOn lets the controllers of some objects act.
func (w *world) actOn(ready bool, keys ...string) {
	w.clock++
	for _, key := range keys {
		object := w.Objects[key]
		if ready || w.seen[key] != object.GetGeneration() {
			w.control(object, ready)
		}
		w.seen[key] = object.GetGeneration()
	}
}

// compareWithFirst checks that only the annotations of restarts change.
func (w *world) compareWithFirst(step string) {
	bare := map[string]any{}
	for key, object := range w.Objects {
		if object.GetKind() == "ControllerRevision" {
			// A restart is a state of the graph.
			continue
		}
		bare[key] = withoutMarks(object.DeepCopy().Object["spec"])
	}
	if w.first == nil {
		w.first = bare
	}
	if diff := cmp.Diff(w.first, bare); diff != "" {
		w.t.Errorf("%s: more than the annotation of restarts changed: -first, +now:\n%s", step, diff)
	}
}

// withoutMarks removes the annotations of restarts anywhere in a tree.
func withoutMarks(tree any) any {
	switch node := tree.(type) {
	case map[string]any:
		for key, value := range node {
			withoutMarks(value)
			if annotations, ok := value.(map[string]any); ok && key == "annotations" && len(annotations) == 0 {
				delete(node, key)
			}
		}
		delete(node, restartAt)
	case []any:
		for _, value := range node {
			withoutMarks(value)
		}
	}
	return tree
}

// describe the progress of the restart and the annotations of the pod templates.
func (w *world) describe() {
	restart, found, _ := unstructured.NestedMap(w.XR.Object, "status", "restart")
	if found {
		fmt.Fprintf(&w.log, "  status: %v %v", restart["observedID"], restart["phase"])
		if components, ok := restart["inProgress"].([]any); ok {
			fmt.Fprintf(&w.log, " %v", components)
		}
		fmt.Fprintln(&w.log)
	}
	var lines []string
	for _, key := range keys(w.Objects) {
		lines = append(lines, w.templates(w.Objects[key])...)
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintf(&w.log, "  %s\n", line)
	}
}

// templates of an object, each with its restart annotation.
func (w *world) templates(object *unstructured.Unstructured) []string {
	mark := func(annotations map[string]string) string {
		if id, ok := annotations[restartAt]; ok {
			return id
		}
		return "-"
	}
	at := func(path ...string) map[string]string {
		annotations, _, _ := unstructured.NestedStringMap(object.Object, append(path, "metadata", "annotations")...)
		return annotations
	}
	switch object.GetKind() {
	case "Deployment":
		return []string{object.GetName() + ": " + mark(at("spec", "template"))}
	case "LeaderWorkerSet":
		line := object.GetName() + ": " + mark(at("spec", "leaderWorkerTemplate", "leaderTemplate")) + " " + mark(at("spec", "leaderWorkerTemplate", "workerTemplate"))
		if since, ok := object.GetAnnotations()[availableSince]; ok {
			line += " (available since " + since + ")"
		}
		return []string{line}
	case "PodCliqueSet":
		var lines []string
		for _, clique := range w.cliques(object) {
			annotations, _, _ := unstructured.NestedStringMap(clique, "annotations")
			lines = append(lines, fmt.Sprintf("%s-0-%v: %s", object.GetName(), clique["name"], mark(annotations)))
		}
		return lines
	default:
		return nil
	}
}

// golden compares the recorded steps with a file.
func (w *world) golden(name string) {
	w.t.Helper()
	harness.Golden(w.t, filepath.Join("testdata", "restart", name+".golden"), []byte(w.log.String()))
}

func (w *world) set(object *unstructured.Unstructured, value any, path ...string) {
	w.t.Helper()
	if err := unstructured.SetNestedField(object.Object, value, path...); err != nil {
		w.t.Fatal(err)
	}
}

func keys(objects map[string]*unstructured.Unstructured) []string {
	return slices.Sorted(maps.Keys(objects))
}
