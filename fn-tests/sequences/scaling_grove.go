package sequences

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// startup is the number of minutes until a pod is ready.
const startup = 2

// grove simulates Grove and the controller of HorizontalPodAutoscalers each minute, for a graph with one single-node component. It replaces
// pods by the rules of Grove.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podclique/components/pod/rollingupdate.go
type grove struct {
	// replicas and generation of the PodClique, and the observed generations of the PodClique and of the PodCliqueSet.
	replicas, generation, observed, observedSet int64

	// bound is that of the helper one minute before. 0 if there was none.
	bound int64

	pods []pod
	// created is the number of pods created so far.
	created int

	// template that the pods should have.
	template string

	// rolls is true if an update is in progress, and rolled if there has been one.
	rolls, rolled bool
	// current is the pod that the update replaces, and completed are those that it has replaced.
	current   string
	completed []any

	// slow is true if Grove observes a change of the set only once all pods are ready, as it does where they wait for nodes, and down if its
	// operator does not run. Kubernetes scales meanwhile.
	slow, down bool

	// mistakes are minutes in which pods were scaled in that an update was replacing, or was about to replace.
	mistakes []string

	// status that was written last, and its age in minutes.
	status map[string]any
	quiet  int
}

// pod of the PodClique.
type pod struct {
	name, template string
	// age in minutes.
	age int
}

func (p pod) ready() bool { return p.age >= startup }

// minute simulates one minute.
func (g *grove) minute(t *testing.T, c *harness.Chain) {
	t.Helper()
	set, ok := c.Objects["podcliqueset"]
	if !ok {
		return
	}
	for i := range g.pods {
		g.pods[i].age++
	}
	template := cliqueTemplate(t, set)
	if before := g.replicas; g.down {
		g.help(c)
		g.judge(before, template)
		g.reportClique(c)
		return
	}
	switch {
	case g.generation == 0:
		g.template, g.replicas, g.generation = template, numberIn(t, set), 1
	case template != g.template:
		g.template, g.rolls, g.rolled, g.current, g.completed = template, true, true, "", nil
	}
	before, rolls := g.replicas, g.rolls
	g.help(c)
	if rolls {
		g.judge(before, "")
	}
	g.sync()
	if g.rolls {
		g.roll()
	}
	g.report(t, c, set)
}

// judge a scaling of pods that should have a template.
func (g *grove) judge(before int64, template string) {
	if g.replicas < before && template != g.template {
		g.mistakes = append(g.mistakes, fmt.Sprintf("scaled from %d to %d", before, g.replicas))
	}
}

// help scales to the number of the helper, one minute after it has changed.
func (g *grove) help(c *harness.Chain) {
	before := g.bound
	g.bound = 0
	if helper, ok := c.Objects["replicas-decode"]; ok {
		g.bound, _, _ = unstructured.NestedInt64(helper.Object, "spec", "maxReplicas")
	}
	if g.bound != 0 && g.bound == before {
		g.scale(g.bound)
	}
}

// scale the PodClique.
func (g *grove) scale(replicas int64) {
	if g.replicas != replicas {
		g.replicas = replicas
		g.generation++
	}
}

// sync the number of pods. Pods that are not ready are deleted first, then those of an older template, then the newest.
func (g *grove) sync() {
	for int64(len(g.pods)) < g.replicas {
		g.created++
		g.pods = append(g.pods, pod{name: fmt.Sprintf("decode-%d", g.created), template: g.template})
	}
	slices.SortStableFunc(g.pods, func(a, b pod) int { return cmp.Or(g.worth(b)-g.worth(a), b.age-a.age) })
	g.pods = g.pods[:g.replicas]
}

// worth of a pod. The pod with the lowest is deleted first.
func (g *grove) worth(p pod) int {
	switch {
	case !p.ready():
		return 0
	case p.template != g.template:
		return 1
	default:
		return 2
	}
}

// roll does the part of an update that one reconcile does.
func (g *grove) roll() {
	g.pods = slices.DeleteFunc(g.pods, func(p pod) bool { return p.template != g.template && !p.ready() })
	if g.current != "" && !g.currentIsDone() {
		return
	}
	old := slices.IndexFunc(g.pods, func(p pod) bool { return p.template != g.template })
	if old < 0 {
		g.rolls, g.current, g.completed = false, "", nil
		return
	}
	if g.current != "" {
		g.completed = append(g.completed, g.current)
	}
	g.current = g.pods[old].name
	g.pods = slices.Delete(g.pods, old, old+1)
}

// currentIsDone reports whether as many pods of the new template are ready as have been selected.
func (g *grove) currentIsDone() bool {
	fresh := 0
	for _, p := range g.pods {
		if p.name == g.current {
			return false
		}
		if p.template == g.template && p.ready() {
			fresh++
		}
	}
	return fresh > len(g.completed)
}

// report the state in the status of the set and of the PodClique.
func (g *grove) report(t *testing.T, c *harness.Chain, object *unstructured.Unstructured) {
	t.Helper()
	// As long as an update is in progress, the change does not count as observed.
	if !g.rolls {
		g.observed = g.generation
	}
	if !g.rolls && (!g.slow || g.count(pod.ready) == g.replicas) {
		g.observedSet = object.GetGeneration()
	}
	status := map[string]any{"currentGenerationHash": fmt.Sprintf("%x", sha256.Sum256([]byte(g.template))), "replicas": int64(1), "availableReplicas": int64(1)}
	if g.observedSet > 0 {
		status["observedGeneration"] = g.observedSet
	}
	object.Object["status"] = g.withProgress(nil, status)
	g.reportClique(c)
}

// reportClique reports the state in the status of the PodClique.
func (g *grove) reportClique(c *harness.Chain) {
	var pods map[string]any
	if g.current != "" {
		pods = map[string]any{"current": g.current, "completed": g.completed}
	}
	status := g.withProgress(pods, map[string]any{
		"observedGeneration": g.observed, "replicas": int64(len(g.pods)), "scheduledReplicas": int64(len(g.pods)),
		"readyReplicas": g.count(pod.ready), "updatedReplicas": g.count(g.isUpdated),
	})
	g.quiet++
	if !reflect.DeepEqual(status, g.status) {
		g.status, g.quiet = status, 0
	}
	written := time.Now().Add(-time.Duration(g.quiet) * time.Minute).UTC().Format(time.RFC3339)
	c.Cluster = slices.DeleteFunc(c.Cluster, func(object *unstructured.Unstructured) bool { return object.GetKind() == "PodClique" })
	c.Cluster = append(c.Cluster, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "grove.io/v1alpha1", "kind": "PodClique",
		"metadata": map[string]any{
			"name": "chat-0-decode", "namespace": "inference", "generation": g.generation,
			"managedFields": []any{map[string]any{"manager": "grove-operator", "operation": "Update", "subresource": "status", "time": written}},
		},
		"spec": map[string]any{"replicas": g.replicas}, "status": status,
	}})
}

// withProgress adds the progress of the last update to a status.
func (g *grove) withProgress(pods, status map[string]any) map[string]any {
	if !g.rolled {
		return status
	}
	progress := map[string]any{"updateStartedAt": "2026-01-01T00:00:00Z"}
	if !g.rolls {
		progress["updateEndedAt"] = "2026-01-01T00:01:00Z"
	}
	if pods != nil {
		progress["readyPodsSelectedToUpdate"] = pods
	}
	status["updateProgress"] = progress
	return status
}

func (g *grove) isUpdated(p pod) bool { return p.template == g.template }

func (g *grove) count(is func(pod) bool) int64 {
	var n int64
	for _, p := range g.pods {
		if is(p) {
			n++
		}
	}
	return n
}

// done is true if all pods have the new template and are ready, and there are as many as desired.
func (g *grove) done(replicas int64) bool {
	return !g.rolls && g.replicas == replicas &&
		g.count(func(p pod) bool { return p.ready() && g.isUpdated(p) }) == replicas && int64(len(g.pods)) == replicas
}

// cliqueTemplate the pods of a PodCliqueSet.
func cliqueTemplate(t *testing.T, set *unstructured.Unstructured) string {
	t.Helper()
	clique := cliqueOf(t, set)
	podSpec, _, _ := unstructured.NestedMap(clique, "spec", "podSpec")
	encoded, err := json.Marshal([]any{clique["labels"], clique["annotations"], podSpec})
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func numberIn(t *testing.T, set *unstructured.Unstructured) int64 {
	t.Helper()
	replicas, _, _ := unstructured.NestedInt64(cliqueOf(t, set), "spec", "replicas")
	return replicas
}

func cliqueOf(t *testing.T, set *unstructured.Unstructured) map[string]any {
	t.Helper()
	cliques, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	if err != nil || len(cliques) != 1 {
		t.Fatalf("want one clique, got %v, %v", cliques, err)
	}
	clique, _ := cliques[0].(map[string]any)
	return clique
}
