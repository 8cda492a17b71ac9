package e2e

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/playground"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// gateChanges by others are put back in each graph, after the few that show that it is at rest.
const gateChanges = 2

// TestGate shows that what people begin with works: the playground, the tutorial in it, and the installation. In each flavour, a graph on each
// orchestrator is created, edited, refused, restarted, upgraded and deleted right, and comes back when its pods or objects are deleted. It is what
// every change has to pass; the other tests of this package go into the details.
func TestGate(tt *testing.T) {
	t := repeating(tt)
	next := sync.OnceValues(builder(t.Context(), t.TempDir()))
	t.Run("Playground", func(t *T) {
		t.Parallel()
		inPlayground(t, func(s *suite, p *playground.Playground) {
			s.nextRelease = next
			t.Run("Doors", func(t *T) { s.keepsOthersOut(t) })
			t.Run("Tutorial", func(t *T) { s.reads(t, page.Tutorial, p.Entrance, 20) })
			p.Grove.Work(false)
			t.Run("Counts", func(t *T) { s.counts(t) })
			p.Grove.Work(true)
			t.Run("Lives", func(t *T) { s.gate(t, namespacedConfiguration) })
		})
	})
	// One after the other, these take as long.
	t.Run("Packages", func(t *T) {
		t.Parallel()
		t.Run("Claims", func(t *T) {
			s := with(t, claimsConfiguration, newGrove, controlplane.Options{
				CRDs: definitions.Platform(newGrove), CrossplaneFlags: crossplane.Flags(),
			})
			s.fixtures(t)
			s.nextRelease = next
			s.startWorkloads(t, gpusPerNode)
			s.operators.useNodes()
			s.operators.Work(true)
			s.gate(t, claimsConfiguration)
		})
		t.Run("Installed", func(t *T) { documented(t, page.Namespaced) })
	})
}

// A gated graph goes through a life as its users and the platform lead it.
type gated struct {
	*subject

	reason string
	// kinds of what runs the graph.
	kinds []string
	// helper is the key of the autoscaler that scales a component of a live graph, on Grove alone.
	helper string
	// lost is what was last deleted of the objects that run the graph.
	lost map[string]*unstructured.Unstructured
}

// gatedGraphs are examples as users have them. The cluster has Grove and LWS, so those that are not to run on Grove say so.
func (s *suite) gatedGraphs(t testing.TB) map[string]*gated {
	t.Helper()
	graphs := map[string]*gated{
		"Grove": {
			reason:  "A graph runs on Grove if the cluster has it.",
			subject: &subject{graph: exampleOfComponents(t, "disagg-vllm"), component: "Decode"},
			kinds:   []string{"PodCliqueSet"}, helper: "replicas-decode",
		},
		"LeaderWorkerSets": {
			reason:  "Without Grove, a component that spans nodes runs on a LeaderWorkerSet with a PodGroup of Volcano for each replica.",
			subject: &subject{graph: exampleOfComponents(t, "sglang-multinode"), component: "Decode"},
			kinds:   []string{"Deployment", "LeaderWorkerSet", "PodGroup"},
		},
		"Deployments": {
			reason:  "Without Grove, a component on single nodes runs on a Deployment. The graph has services, as in v1alpha1.",
			subject: &subject{graph: example(t, "agg-vllm"), component: "Worker"},
			kinds:   []string{"Deployment"},
		},
	}
	for name, g := range graphs {
		g.suite = s
		if name != "Grove" {
			onLeaderWorkerSets(g.graph)
		}
	}
	return graphs
}

func graphsOfGate(graphs map[string]*gated) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, g := range graphs {
		all = append(all, g.graph)
	}
	return all
}

// gate leads graphs through their lives, one step after the other, so that what happens to the cluster in a step happens to all of them.
func (s *suite) gate(t *T, configuration string) {
	graphs := s.gatedGraphs(t)
	all := graphsOfGate(graphs)
	before := s.inventory(t)
	record := s.record(t, graph("").Namespace, apiKind{"v1", "Pod"}, apiKind{nvidia, dgd}, apiKind{"autoscaling/v2", hpa})

	s.step(t, "Created", graphs, func(g *gated) error { return g.isCreated(record) })
	var building sync.WaitGroup
	building.Go(func() { _, _ = s.nextRelease() })
	t.Cleanup(building.Wait)
	s.podsLost(t, graphs, record)
	s.step(t, "Refused", graphs, (*gated).isRefused)
	s.step(t, "Corrected", graphs, func(g *gated) error { return g.make(g.imageChange(gatedImage)) })
	s.step(t, "ObjectsDeleted", graphs, (*gated).isComposedAgain)
	s.workloadsDeleted(t, graphs, record)
	s.step(t, "ScaledOut", graphs, func(g *gated) error { return g.scaled(record, replicasOf(g.graph, g.component)+1) })
	s.step(t, "ScaledIn", graphs, func(g *gated) error { return g.scaled(record, 1) })
	t.Run("AtRest", func(t *T) { s.staysAtRest(t, gateChanges, all...) })
	building.Wait()
	s.upgraded(t, configuration, graphs)
	s.step(t, "Restarted", graphs, func(g *gated) error { return g.make(restartChange(map[string]any{"id": "1"})) })
	s.step(t, "Deleted", graphs, func(g *gated) error { return g.remove() })
	t.Run("NothingLeft", func(t *T) {
		s.eventually(t, "nothing is left in the namespace", func() error {
			if diff := cmp.Diff(before, s.inventory(t)); diff != "" {
				return fmt.Errorf("-before, +after:\n%s", diff)
			}
			return nil
		})
		if s.ofClaims {
			s.eventually(t, "no composite resource is left", func() error { return s.none(nvidia, compositeKind) })
		}
	})
}

// step of all graphs at the same time. If it fails, all that follows would fail as well.
func (s *suite) step(t *T, name string, graphs map[string]*gated, do func(*gated) error) {
	t.Helper()
	passed := t.Run(name, func(t *T) {
		var all sync.WaitGroup
		for name, g := range graphs {
			all.Go(func() {
				begin := time.Now()
				if err := do(g); err != nil {
					t.Errorf("%s: %s\n%v", name, g.reason, err)
					return
				}
				t.Logf("%s: %s", name, time.Since(begin).Round(100*time.Millisecond))
			})
		}
		all.Wait()
	})
	if !passed {
		t.FailNow()
	}
}

// isCreated creates the graph. It may be Ready only when all its pods are, and runs on what it is to run on.
func (g *gated) isCreated(record *record) error {
	if err := g.create(); err != nil {
		return err
	}
	composed, err := g.objects()
	if err != nil {
		return err
	}
	kinds := sets.New[string]()
	for _, object := range composed {
		kinds.Insert(object.GetKind())
	}
	got := sets.List(kinds.Intersection(sets.New("Deployment", "LeaderWorkerSet", "PodCliqueSet", "PodGroup")))
	if diff := cmp.Diff(g.kinds, got); diff != "" {
		return fmt.Errorf("what runs the graph: -want, +got:\n%s", diff)
	}
	return g.wasReadyWithAllPods(record, 0)
}

// wasReadyWithAllPods checks what is recorded after a write: whenever the graph became Ready, all its pods were.
func (g *gated) wasReadyWithAllPods(record *record, after int64) error {
	want := 0
	for _, pods := range podsWanted(g.graph) {
		want += int(pods)
	}
	// A Ready that Crossplane takes back right after is no claim, so the one that counts may be yet to come.
	var claims []int
	err := g.retry("everything is recorded, and the graph stays Ready", func() error {
		if err := record.holds(g.suite, g.graph.GetNamespace(), apiKind{"v1", "Pod"}, apiKind{nvidia, dgd}); err != nil {
			return err
		}
		if claims = record.claimsOf(g.graph.GetName(), after); len(claims) == 0 {
			return fmt.Errorf("the graph has not become Ready: %s", record.conditions("Ready", "ServicesReady"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if slices.Min(claims) < want {
		return fmt.Errorf("want the graph to become Ready with %d pods, got %v: %s", want, claims, record.conditions("Ready", "ServicesReady"))
	}
	return nil
}

// podsLost takes a pod of a component away from each graph, for which there is no place on any node until the graphs have missed it.
func (s *suite) podsLost(t *T, graphs map[string]*gated, record *record) {
	// Grove is not done with a new graph when all pods are ready: it then ends an update, during which no graph is ready.
	s.versionsAtRest(t, graphsOfGate(graphs)...)
	s.cordon(t, true)
	s.step(t, "PodLost", graphs, (*gated).losesPod)
	after := record.last()
	s.cordon(t, false)
	s.step(t, "PodBack", graphs, func(g *gated) error {
		now, err := g.atRest()
		if err != nil {
			return err
		}
		before := g.rest
		g.rest = now
		// Whether the others of the component are replaced as well depends on what runs them.
		if err := (change{name: "loss of a pod"}).check(before.without(g.component), now.without(g.component)); err != nil {
			return err
		}
		return g.wasReadyWithAllPods(record, after)
	})
}

// losesPod of its component, and is no longer ready.
func (g *gated) losesPod() error {
	pods, err := g.listed("v1", "Pod", g.ref())
	if err != nil {
		return err
	}
	pods = podsOfComponent(pods, g.component)
	if len(pods) == 0 {
		return fmt.Errorf("%s has no pods", g.component)
	}
	if err := g.Client.Delete(g.ctx, controlplane.RefOf(&pods[0])); err != nil {
		return err
	}
	// Grove counts a pod that is being deleted as ready.
	err = g.retry("the pod is gone", func() error {
		live, err := g.Client.Get(g.ctx, controlplane.RefOf(&pods[0]))
		if isNotFound(err) || err == nil && live.GetUID() != pods[0].GetUID() {
			return nil
		}
		return errors.Join(err, errors.New("it is there"))
	})
	if err != nil {
		return err
	}
	return g.retry("the graph misses the pod", g.componentsWaitFor(g.ref(), g.component+": "))
}

// objects that are composed for the graph. Crossplane also has references to those that it is about to create, and that it has just deleted.
func (g *gated) objects() (map[string]*unstructured.Unstructured, error) {
	var all map[string]*unstructured.Unstructured
	err := g.retry("all that the graph refers to is there", func() error {
		var err error
		all, err = g.composedNow(g.ref())
		return err
	})
	return all, err
}

// gatedImage is a new image for the component.
const gatedImage = "registry.example.org/runtime:gate"

// isRefused edits the graph so that it is refused, for a reason that only the functions know. Nothing of the edit may be carried out, not even
// what would be valid.
func (g *gated) isRefused() error {
	composed, err := g.objects()
	if err != nil {
		return err
	}
	edited := g.graph.DeepCopy()
	setImage(edited, g.component, gatedImage)
	changeComponent(edited, g.component, func(component map[string]any) {
		exceed := func(fields map[string]any) {
			set(fields, "2Gi", "resources", "requests", "memory")
			set(fields, "1Gi", "resources", "limits", "memory")
		}
		if edited.GetAPIVersion() == nvidia {
			exceed(component)
			return
		}
		changeContainer(component, exceed)
	})
	if _, err := g.Client.Apply(g.ctx, edited); err != nil {
		return err
	}
	err = g.retry("the edit is refused", func() error {
		return errors.Join(g.says(g.ref(), "Accepted", "False", "resources.requests")(),
			g.isAfterEdit(g.ref(), "Synced", "False", "Accepted", "False", "Ready", "True", "ServicesReady", "True")())
	})
	if err != nil {
		return err
	}
	if err := g.reconciledAgain(6); err != nil {
		return err
	}
	after, err := g.objects()
	if err != nil {
		return err
	}
	if diff := cmp.Diff(generations(composed), generations(after)); diff != "" {
		return fmt.Errorf("want nothing changed: generations: -before, +after:\n%s", diff)
	}
	now, err := g.state()
	if err != nil {
		return err
	}
	return change{name: "refused edit"}.check(g.rest, now)
}

// runsPods reports whether a composed object runs pods.
func runsPods(object *unstructured.Unstructured) bool {
	return slices.Contains([]string{"Deployment", "LeaderWorkerSet", "PodCliqueSet"}, object.GetKind())
}

// isComposedAgain deletes all that is composed for the graph but for what runs pods, which must not notice.
func (g *gated) isComposedAgain() error {
	deleted, err := g.objects()
	if err != nil {
		return err
	}
	maps.DeleteFunc(deleted, func(_ string, object *unstructured.Unstructured) bool { return runsPods(object) })
	if err := g.replaces(deleted); err != nil {
		return err
	}
	return g.isUnchanged()
}

// workloadsDeleted deletes what runs a component of each graph. There is no place on any node for the pods of what is composed again until the
// graphs have missed them.
func (s *suite) workloadsDeleted(t *T, graphs map[string]*gated, record *record) {
	s.cordon(t, true)
	s.step(t, "WorkloadDeleted", graphs, (*gated).losesWorkload)
	after := record.last()
	s.cordon(t, false)
	s.step(t, "WorkloadBack", graphs, func(g *gated) error {
		var err error
		before := g.rest
		if g.rest, err = g.atRest(); err != nil {
			return err
		}
		// On Grove, one object runs all components.
		if before = before.without(g.component); g.helper != "" {
			before.pods = nil
		}
		for key := range g.lost {
			delete(before.workloads, g.lost[key].GetKind()+" "+g.lost[key].GetName())
		}
		if err := (change{name: "deletion"}).check(before, g.rest); err != nil {
			return err
		}
		return g.wasReadyWithAllPods(record, after)
	})
}

// losesWorkload deletes what runs the component. The same is composed again, and the graph is no longer ready.
func (g *gated) losesWorkload() error {
	composed, err := g.objects()
	if err != nil {
		return err
	}
	g.lost = maps.Clone(composed)
	maps.DeleteFunc(g.lost, func(_ string, object *unstructured.Unstructured) bool {
		component := object.GetLabels()[componentLabel]
		return !runsPods(object) || component != "" && component != g.component
	})
	if err := g.replaces(g.lost); err != nil {
		return err
	}
	again, err := g.objects()
	if err != nil {
		return err
	}
	for key, object := range g.lost {
		if diff := cmp.Diff(object.Object["spec"], again[key].Object["spec"]); diff != "" {
			return fmt.Errorf("want the same %s: spec: -before, +after:\n%s", key, diff)
		}
	}
	err = g.retry("the pods of "+g.component+" are gone", func() error {
		pods, err := g.listed("v1", "Pod", g.ref())
		if left := uidsOf(pods, g.component).Intersection(g.rest.pods[g.component]); err == nil && left.Len() > 0 {
			err = fmt.Errorf("%d are there", left.Len())
		}
		return err
	})
	if err != nil {
		return err
	}
	return g.retry("the graph misses the pods", g.componentsWaitFor(g.ref(), g.component+": "))
}

// replaces objects that somebody deletes.
func (g *gated) replaces(deleted map[string]*unstructured.Unstructured) error {
	for key, object := range deleted {
		if err := g.Client.Delete(g.ctx, controlplane.RefOf(object)); err != nil {
			return fmt.Errorf("cannot delete %s: %w", key, err)
		}
	}
	return g.retry("what was deleted is composed again", func() error {
		composed, err := g.composedNow(g.ref())
		if err != nil {
			return err
		}
		var missing []string
		for _, key := range slices.Sorted(maps.Keys(deleted)) {
			if again := composed[key]; again == nil || again.GetUID() == deleted[key].GetUID() {
				missing = append(missing, key)
			}
		}
		if len(missing) > 0 {
			return fmt.Errorf("not composed again: %v", missing)
		}
		return nil
	})
}

// reconciledAgain waits until Crossplane has reconciled graphs so often, as it does by itself while they are refused.
func (g *gated) reconciledAgain(times int) error {
	before, err := g.Reconciles(g.ctx)
	if err != nil {
		return err
	}
	return g.retry("Crossplane reconciles the graph again", func() error {
		now, err := g.Reconciles(g.ctx)
		if err == nil && now < before+times {
			err = fmt.Errorf("it has reconciled %d times, want %d", now-before, times)
		}
		return err
	})
}

// scaled gives a component other replicas. On Grove a helper scales the live component, and goes when it has.
func (g *gated) scaled(record *record, replicas int64) error {
	after := record.last()
	if err := g.make(g.scaling(replicas)); err != nil || g.helper == "" {
		return err
	}
	err := g.retry("the helper is gone", func() error {
		composed, err := g.composedNow(g.ref())
		if err == nil && composed[g.helper] != nil {
			err = fmt.Errorf("%s is there", g.helper)
		}
		return err
	})
	if err != nil {
		return err
	}
	helped := slices.ContainsFunc(record.all(), func(object *unstructured.Unstructured) bool {
		return harness.Key(object) == g.helper && writtenAt(object) > after
	})
	if !helped {
		return fmt.Errorf("want %s to scale the live component, but there has been none", g.helper)
	}
	// Without the helper, the number in the PodCliqueSet is the new one, which Grove has to observe.
	return g.retry("the graph is settled", g.isSettled)
}

// upgraded moves the platform to a release that has just been built, as the page on installation says: the function first. The graphs do not
// change, and neither do their pods.
func (s *suite) upgraded(t *T, configuration string, graphs map[string]*gated) {
	passed := t.Run("Upgraded", func(t *T) {
		folder, err := s.nextRelease()
		if err != nil {
			t.Fatal(err)
		}
		if out, err := s.Shell(s.ctx, fmt.Sprintf("hack/push.sh %s %s/dynamo-crossplane %s", folder, s.Registry(), nextVersion)); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		all := graphsOfGate(graphs)
		before := s.written(t, all...)
		s.installPackage(t, "Function", "dynamo-crossplane-"+fusedFunction, fusedFunction+"@"+digestsIn(t, folder)[fusedFunction])
		s.installPackage(t, "Configuration", configuration, configuration+":"+nextVersion)
		for range gateChanges {
			s.reconcile(t, all...)
		}
		if diff := cmp.Diff(before, s.written(t, all...)); diff != "" {
			t.Errorf("want nothing composed changed: -before, +after:\n%s", diff)
		}
		for name, g := range graphs {
			if err := errors.Join(g.isUnchanged(), s.is(g.ref(), "Synced", "True", "Ready", "True", "Accepted", "True")()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	if !passed {
		t.FailNow()
	}
}

// written is what Crossplane has written of the graphs' objects, which are the same ones: all but their status.
func (s *suite) written(t testing.TB, graphs ...*unstructured.Unstructured) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for _, g := range graphs {
		of := map[string]any{}
		for key, object := range s.composed(t, controlplane.RefOf(g)) {
			object.SetManagedFields(nil)
			object.SetResourceVersion("")
			delete(object.Object, "status")
			of[key] = object.Object
		}
		all[g.GetName()] = of
	}
	return all
}

// inventory of the namespace of the examples: all that there is, as an administrator would list it. Events are left out.
func (s *suite) inventory(t testing.TB) []string {
	t.Helper()
	const script = `kinds=$(kubectl api-resources --namespaced --verbs=list,delete --output=name 2>/dev/null | grep --invert-match '^events' | paste --serial --delimiters=,)
kubectl get "$kinds" --namespace=%s --ignore-not-found --output=name 2>/dev/null`
	out, err := s.Shell(s.ctx, fmt.Sprintf(script, graph("").Namespace))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(out)
	slices.Sort(names)
	return slices.Compact(names)
}
