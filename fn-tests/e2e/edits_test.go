package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// editedGraphs is the number of graphs that are edited at the same time, and editsPerGraph the number of edits of each.
	editedGraphs  = 10
	editsPerGraph = 20
	// editPause is the longest time between two edits of a graph.
	editPause = 4 * time.Second
	// editedComponent of each graph.
	editedComponent = "Decode"
	// editedReplicas is the maximum number of replicas of the component.
	editedReplicas = 3
)

// editsAreCarriedOut edits graphs at random times with Crossplane's default flags, while pods are created and deleted, and controllers
// write the status of objects that graphs depend on.
func (s *suite) editsAreCarriedOut(t *T) {
	s.operators.Work(true)
	defer s.operators.Work(false)
	graphs := s.runEdited(t)
	before := map[string]map[string]string{}
	for _, g := range graphs {
		before[g.GetName()] = uids(s.composed(t, controlplane.RefOf(g)))
	}

	opened, err := s.CircuitBreakersOpened(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	var writer, all sync.WaitGroup
	writer.Go(func() { s.writeStatus(ctx, apiKind{"scheduling.run.ai/v2", "Queue"}, apiKind{grove, "PodClique"}) })
	editors := make([]*editor, len(graphs))
	for i, g := range graphs {
		editors[i] = newEditor(s, g, uint64(i))
		all.Go(func() {
			if err := editors[i].work(); err != nil {
				t.Errorf("%s: %v", g.GetName(), err)
			}
		})
	}
	all.Wait()
	stop()
	writer.Wait()

	var took []time.Duration
	for _, e := range editors {
		took = append(took, e.took...)
		t.Logf("%s: slowest: %s, within %s", e.graph.GetName(), e.name, e.slowest.Round(100*time.Millisecond))
	}
	slices.Sort(took)
	if want := editedGraphs * editsPerGraph; len(took) != want {
		t.Fatalf("want %d edits carried out, got %d", want, len(took))
	}
	reopened, err := s.CircuitBreakersOpened(s.ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("circuit breakers opened %d times", reopened-opened)
	t.Logf("%d edits carried out: half within %s, 95 of 100 within %s, all within %s", len(took),
		took[len(took)/2].Round(100*time.Millisecond), took[len(took)*95/100].Round(100*time.Millisecond), took[len(took)-1].Round(100*time.Millisecond))
	for _, g := range graphs {
		s.eventually(t, g.GetName()+" is ready", s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True"))
		after := uids(s.composed(t, controlplane.RefOf(g)))
		for key, uid := range before[g.GetName()] {
			if after[key] != uid && !strings.Contains(key, "-decode-") {
				t.Errorf("%s: %s was lost or recreated", g.GetName(), key)
			}
		}
	}
	s.remove(t, graphs...)
}

// runEdited starts the graphs: one third on Deployments, one third on LeaderWorkerSets and one third on Grove.
func (s *suite) runEdited(t testing.TB) []*unstructured.Unstructured {
	t.Helper()
	graphs := make([]*unstructured.Unstructured, editedGraphs)
	for i := range graphs {
		of := "disagg-vllm"
		if i%3 == 1 {
			of = "sglang-multinode"
		}
		graphs[i] = example(t, of)
		graphs[i].SetName(fmt.Sprintf("edited-%d", i))
		if i%3 != 2 {
			onLeaderWorkerSets(graphs[i])
		}
		editOf(editReplicas, "", 1).change(graphs[i])
		s.apply(t, graphs[i])
	}
	for _, g := range graphs {
		s.eventually(t, g.GetName()+" is ready", s.is(controlplane.RefOf(g), "Synced", "True", "Ready", "True"))
	}
	return graphs
}

// An editor edits a graph repeatedly, whether or not its previous edits have taken effect. It only waits for edits of replicas: on Grove,
// scaling in waits for the end of a rolling update, and the editor would begin one after the other.
type editor struct {
	suite    *suite
	graph    *unstructured.Unstructured
	random   *rand.Rand
	replicas int64

	edits []appliedEdit
	// took is the time after which each edit took effect.
	took []time.Duration
	// slowest edit so far.
	slowest time.Duration
	name    string
}

type appliedEdit struct {
	edit

	at   time.Time
	done bool
}

// newEditor of a graph. Every run makes the same edits.
func newEditor(s *suite, g *unstructured.Unstructured, number uint64) *editor {
	const seed = 20260301
	return &editor{suite: s, graph: g, random: rand.New(rand.NewPCG(seed, number)), replicas: 1} //nolint:gosec // It is to be the same.
}

// work until all edits have taken effect.
func (e *editor) work() error {
	for next := time.Now(); len(e.took) < editsPerGraph; {
		waits := e.look()
		isDue := time.Now().After(next) && (len(e.edits) == 0 || e.edits[len(e.edits)-1].kind != editReplicas || e.edits[len(e.edits)-1].done)
		if len(e.edits) < editsPerGraph && isDue {
			if err := e.makeEdit(); err != nil {
				return err
			}
			next = time.Now().Add(time.Duration(e.random.Int64N(int64(editPause))))
		}
		select {
		case <-e.suite.ctx.Done():
			return fmt.Errorf("%d of %d edits have been made, and %d have taken effect: %w: %w",
				len(e.edits), editsPerGraph, len(e.took), context.Cause(e.suite.ctx), waits)
		case <-time.After(500 * time.Millisecond):
		}
	}
	return nil
}

// makeEdit edits the graph once.
func (e *editor) makeEdit() error {
	kind := e.random.IntN(kindsOfEdits)
	if kind == editReplicas {
		// Any number except the current one.
		e.replicas = 1 + (e.replicas+e.random.Int64N(editedReplicas-1))%editedReplicas
	}
	m := appliedEdit{edit: editOf(kind, fmt.Sprintf("edit-%d", len(e.edits)), e.replicas), at: time.Now()}
	m.change(e.graph)
	if _, err := e.suite.Client.Apply(e.suite.ctx, e.graph); err != nil {
		return fmt.Errorf("cannot apply edit %d: %w", len(e.edits), err)
	}
	e.edits = append(e.edits, m)
	return nil
}

// look which edits have taken effect: those that are visible in composed resources, and those that a later edit of the same kind has
// replaced. The error says what the first other one waits for.
func (e *editor) look() error {
	composed, err := e.suite.composedNow(controlplane.RefOf(e.graph))
	if err != nil {
		return err
	}
	overtaken := map[int]bool{}
	var waits error
	for i := range slices.Backward(e.edits) {
		m := &e.edits[i]
		if m.done {
			overtaken[m.kind] = true
			continue
		}
		if !overtaken[m.kind] {
			if err := m.carried(composed); err != nil {
				waits = fmt.Errorf("edit %d (%s): %w", i, m.name, err)
				continue
			}
			overtaken[m.kind] = true
		}
		m.done = true
		took := time.Since(m.at)
		e.took = append(e.took, took)
		if took > e.slowest {
			e.slowest, e.name = took, m.name
		}
	}
	return waits
}

// Kinds of edits of a component.
const (
	editImage = iota
	editAnnotation
	editRestart
	editReplicas
	kindsOfEdits
)

// An edit is a change of a graph by its user, and how it is visible in composed resources.
type edit struct {
	kind    int
	name    string
	change  func(g *unstructured.Unstructured)
	carried func(composed map[string]*unstructured.Unstructured) error
}

// editOf a kind: to something that is marked, or to some replicas.
func editOf(kind int, mark string, replicas int64) edit {
	inTemplates := func(text string) func(map[string]*unstructured.Unstructured) error {
		return func(composed map[string]*unstructured.Unstructured) error { return anyContains(composed, text) }
	}
	to := func(value any, path ...string) func(*unstructured.Unstructured) {
		return func(g *unstructured.Unstructured) { set(g.Object, value, append([]string{"spec"}, path...)...) }
	}
	switch kind {
	case editImage:
		tagged := "registry.example.org/runtime:" + mark
		return edit{kind, "image", to(tagged, "services", editedComponent, "extraPodSpec", "mainContainer", "image"), inTemplates(tagged)}
	case editAnnotation:
		return edit{kind, "annotation", to(mark, "services", editedComponent, "annotations", "example.org/edit"), inTemplates(mark)}
	case editRestart:
		id := "restart-" + mark
		return edit{kind, "restart", to(id, "restart", "id"), inTemplates(id)}
	default:
		return edit{
			kind, fmt.Sprintf("%d replicas", replicas), to(replicas, "services", editedComponent, "replicas"),
			func(composed map[string]*unstructured.Unstructured) error { return wantsReplicas(composed, replicas) },
		}
	}
}

// anyContains reports whether the objects that run components contain a text.
func anyContains(composed map[string]*unstructured.Unstructured, text string) error {
	for key, object := range composed {
		workload := key == "podcliqueset" || strings.HasPrefix(key, "deployment-") || strings.HasPrefix(key, "leaderworkerset-")
		if workload && contains(object, text) == nil {
			return nil
		}
	}
	return fmt.Errorf("nothing has %q", text)
}

// wantsReplicas checks the desired replicas of the edited component. On Grove, a helper scales the live component, and after that the number is
// in the PodCliqueSet.
func wantsReplicas(composed map[string]*unstructured.Unstructured, want int64) error {
	name := strings.ToLower(editedComponent)
	if deployment := composed["deployment-"+name]; deployment != nil {
		return numberIs(deployment, want, "spec", "replicas")
	}
	if helper := composed["replicas-"+name]; helper != nil {
		return numberIs(helper, want, "spec", "maxReplicas")
	}
	if set := composed["podcliqueset"]; set != nil {
		return groveWantsReplicas(set, name, want)
	}
	if sets := keysOf(composed, "leaderworkerset-"+name+"-"); int64(len(sets)) != want {
		return fmt.Errorf("want %d sets, got %v", want, sets)
	}
	return nil
}

// groveWantsReplicas checks the replicas of a clique of a PodCliqueSet, or of a scaling group.
func groveWantsReplicas(set *unstructured.Unstructured, name string, want int64) error {
	for list, path := range map[string][]string{"cliques": {"spec", "replicas"}, "podCliqueScalingGroups": {"replicas"}} {
		children, _, err := unstructured.NestedSlice(set.Object, "spec", "template", list)
		if err != nil {
			return err
		}
		for _, value := range children {
			if child, ok := value.(map[string]any); ok && child["name"] == name {
				return numberIs(&unstructured.Unstructured{Object: child}, want, path...)
			}
		}
	}
	return fmt.Errorf("there is no %s", name)
}

func numberIs(object *unstructured.Unstructured, want int64, path ...string) error {
	if got, _, err := unstructured.NestedInt64(object.Object, path...); err != nil || got != want {
		return fmt.Errorf("%s is %d, want %d (%w)", strings.Join(path, "."), got, want, err)
	}
	return nil
}

// writeStatus of all objects of some kinds every 200 ms until the context ends, as their controllers do during the allocation of pods.
func (s *suite) writeStatus(ctx context.Context, kinds ...apiKind) {
	for i := int64(0); ctx.Err() == nil; i++ {
		for _, kind := range kinds {
			objects, err := s.Client.List(ctx, kind.apiVersion, kind.kind, "", "")
			if err != nil {
				continue
			}
			for j := range objects {
				status := map[string]any{"allocated": map[string]any{"nvidia.com/gpu": strconv.FormatInt(i%64, 10)}}
				if kind.kind == "PodClique" {
					status = map[string]any{"scheduleGatedReplicas": i % 2}
				}
				// It may have been deleted.
				_ = s.Client.PatchStatus(ctx, controlplane.RefOf(&objects[j]), status)
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
}
