package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// batch is how many graphs are reconciled at a time.
const batch = 25

// annotationGrove of a graph reports whether it may run on Grove.
const annotationGrove = "nvidia.com/enable-grove"

// A manifest of a graph, with what it is called in the report of the test.
type manifest struct {
	name  string
	graph *unstructured.Unstructured
}

// exampleManifests are the examples on both paths, and in both forms: those with components on Grove, and those with services without it.
func exampleManifests(t testing.TB) []manifest {
	t.Helper()
	return slices.Concat(manifestsOf(t, harness.Examples(t)), withoutGrove(manifestsOf(t, harness.ExamplesV1alpha1(t))))
}

// manifestsOf the examples that are graphs of the namespaced flavour, or claims.
func manifestsOf(t testing.TB, examples []harness.Example) []manifest {
	t.Helper()
	var manifests []manifest
	for _, e := range examples {
		if e.Composition == harness.Composition {
			manifests = append(manifests, manifest{e.Name, harness.Read(t, e.XR)[0]})
		}
	}
	return manifests
}

// withoutGrove are the same graphs on LeaderWorkerSets and Deployments, apart from those that only Grove can run.
func withoutGrove(manifests []manifest) []manifest {
	var others []manifest
	for _, m := range manifests {
		if harness.SharesBetweenPods(m.graph) {
			continue
		}
		g := m.graph.DeepCopy()
		annotations := g.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotationGrove] = "false"
		g.SetAnnotations(annotations)
		others = append(others, manifest{m.name + "-without-grove", g})
	}
	return others
}

// examplesAccepted runs the examples: on both paths if the graphs are composite resources and Grove is the latest, and otherwise on Grove.
// Claims only differ in who owns what is composed, and an older Grove only matters on it.
func (s *suite) examplesAccepted(t *T) {
	manifests := exampleManifests(t)
	if s.ofClaims || s.grove == oldGrove {
		manifests = manifestsOf(t, harness.Examples(t))
	}
	if s.grove == oldGrove {
		manifests = slices.DeleteFunc(manifests, func(m manifest) bool { return harness.SharesBetweenPods(m.graph) })
	}
	if refused := s.accepted(t, manifests); len(refused) > 0 {
		t.Errorf("examples are refused: %v", refused)
	}
}

// sharingNeedsGrove wants a graph whose pods share GPU memory to name the field that an older Grove does not have, and to come
// to nothing there: a PodCliqueSet without the field would run engines that never find their weights.
func (s *suite) sharingNeedsGrove(t *T) {
	g := example(t, "failover-interpod-vllm")
	ref := controlplane.RefOf(g)
	s.apply(t, g)
	s.eventually(t, "the missing field is named", s.says(ref, "Synced", "False", ".resourceSharing: field not declared in schema"))
	if err := s.none(grove, "PodCliqueSet"); err != nil {
		t.Error(err)
	}
	s.remove(t, g)
}

// corpusAccepted runs manifests that upstream takes until every field that any of them composes was composed, and asks the API server
// about the others, which takes a fifth of the time. Those that Grove's webhooks would refuse, plan refuses first.
func (s *suite) corpusAccepted(t *T) {
	s.namespaceOfExamples(t, asked)
	var run []manifest
	others := 0
	seen := map[string]bool{}
	binary := harness.New(t)
	for _, m := range shared.Corpus(t) {
		if !m.Valid {
			continue
		}
		graph := harness.Read(t, m.Path)[0]
		graph.SetNamespace(asked)
		output := binary.Render(t, s.rendering(t, graph))
		if output.Err != nil || addFields(seen, output.Composed) {
			run = append(run, manifest{m.Name, graph})
			continue
		}
		others++
		s.wouldAccept(t, manifest{m.Name, graph}, output.Composed)
	}
	refused := s.accepted(t, run)
	t.Logf("%d manifests run, of which refused: %v; %d others", len(run), refused, others)
	// fn-tests/support/corpus says why.
	if len(refused) > 3 {
		t.Errorf("want at most 3 manifests refused, got %d", len(refused))
	}
}

// asked is a namespace in which nothing is created.
const asked = "asked"

// addFields adds the paths of all fields of objects, and reports whether there are new ones. Each item of a list has the same path.
func addFields(seen map[string]bool, objects []*unstructured.Unstructured) bool {
	before := len(seen)
	var add func(path string, value any)
	add = func(path string, value any) {
		seen[path] = true
		switch value := value.(type) {
		case map[string]any:
			for key, field := range value {
				add(path+"."+key, field)
			}
		case []any:
			for _, item := range value {
				add(path+"[]", item)
			}
		}
	}
	for _, object := range objects {
		add(object.GroupVersionKind().String(), object.Object)
	}
	return len(seen) > before
}

// wouldAccept wants the API server to take a graph and all that it renders to, without a warning, in a dry run.
func (s *suite) wouldAccept(t testing.TB, m manifest, rendered []*unstructured.Unstructured) {
	t.Helper()
	s.Client.Warnings()
	if err := s.Client.DryRunCreate(s.ctx, m.graph); err != nil {
		t.Errorf("%s: the API server refuses it: %v", m.name, err)
	}
	if warnings := s.Client.Warnings(); !slices.Equal(warnings, deprecations(m.graph)) {
		t.Errorf("%s: the API server warns: %v", m.name, warnings)
	}
	for _, object := range rendered {
		if s.serves(t, object) {
			s.takes(t, m, object)
		}
	}
}

// takes wants the API server to take an object that a graph renders to, without a warning. A dry run in strict mode finds what Crossplane's
// own apply would drop.
func (s *suite) takes(t testing.TB, m manifest, object *unstructured.Unstructured) {
	t.Helper()
	object.SetOwnerReferences(nil)
	s.Client.Warnings()
	if err := s.Client.DryRun(s.ctx, object); err != nil && object.GetKind() != "Secret" {
		t.Errorf("%s: the API server refuses %s: %v", m.name, controlplane.RefOf(object), err)
	}
	if warnings := s.Client.Warnings(); len(warnings) > 0 {
		t.Errorf("%s: the API server warns of %s: %v", m.name, controlplane.RefOf(object), warnings)
	}
}

// accepted applies graphs, each in a namespace of its own, and wants the API server to take them and all that they become,
// without a warning. It returns the names of those that plan refuses, here and offline.
func (s *suite) accepted(t testing.TB, manifests []manifest) []string {
	t.Helper()
	binary := harness.New(t)
	for i := range min(batch, len(manifests)) {
		s.namespaceOfExamples(t, acceptedIn(i))
	}
	var refused []string
	for some := range slices.Chunk(manifests, batch) {
		for i, m := range some {
			m.graph.SetNamespace(acceptedIn(i))
			s.Client.Warnings()
			if _, err := s.Client.Create(s.ctx, m.graph); err != nil {
				t.Fatalf("%s: the API server refuses it: %v", m.name, err)
			}
			if warnings := s.Client.Warnings(); !slices.Equal(warnings, deprecations(m.graph)) {
				t.Errorf("%s: the API server warns: %v", m.name, warnings)
			}
		}
		for _, m := range some {
			output := binary.Render(t, s.rendering(t, m.graph))
			if output.Err != nil {
				refused = append(refused, m.name)
				s.eventually(t, m.name+" is refused", s.is(controlplane.RefOf(m.graph), "Synced", "False", "Accepted", "False"))
				continue
			}
			s.isAccepted(t, m, output.Composed)
		}
		var graphs []*unstructured.Unstructured
		for _, m := range some {
			graphs = append(graphs, m.graph)
		}
		s.remove(t, graphs...)
	}
	return refused
}

// acceptedIn is the namespace of a graph of a batch.
func acceptedIn(i int) string { return fmt.Sprintf("accepted-%d", i) }

// rendering of a graph offline, to compare with what becomes of it here. Of a claim the composite resource is rendered.
func (s *suite) rendering(t testing.TB, graph *unstructured.Unstructured) harness.Render {
	t.Helper()
	cluster, _ := fixturesIn(t, graph.GetNamespace())
	render := harness.Render{Composition: harness.Composition, Cluster: harness.Write(t, cluster...)}
	if s.ofClaims {
		claim := controlplane.RefOf(graph)
		s.eventually(t, claim.String()+" has a composite resource", func() error {
			var err error
			graph, err = s.composite(claim)
			return err
		})
		unstructured.RemoveNestedField(graph.Object, "status")
		unstructured.RemoveNestedField(graph.Object, "spec", "resourceRefs")
		render.Composition = harness.ClaimsComposition
	}
	render.XR = harness.Write(t, graph)
	return render
}

// isAccepted wants a graph synced, and everything that it renders to taken as it is.
func (s *suite) isAccepted(t testing.TB, m manifest, rendered []*unstructured.Unstructured) {
	t.Helper()
	ref := controlplane.RefOf(m.graph)
	s.eventually(t, m.name+" is synced", s.is(ref, "Synced", "True", "Accepted", "True"))
	var want, got []string
	for key, object := range s.composed(t, ref) {
		// Offline, it is not known whether scaling adapters are installed, so none are rendered.
		if object.GetKind() != adapterKind {
			got = append(got, key)
		}
	}
	for _, object := range rendered {
		if !s.serves(t, object) {
			continue
		}
		// A revision is named after the release that made it, among others.
		if object.GetKind() != controllerRevision {
			want = append(want, harness.Key(object))
		}
		// Offline, the version of Grove is unknown, so topologies are written in the newest dialect.
		if s.grove == oldGrove && object.GetKind() == "PodCliqueSet" {
			continue
		}
		// Offline, it is not known whether PodSnapshots are installed, so pods that are restored here are rendered as if they started.
		if strings.HasPrefix(m.name, "checkpoint-") && object.GetKind() == "Deployment" {
			continue
		}
		s.takes(t, m, object)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		t.Errorf("%s: composed %v, and rendered offline %v", m.name, got, want)
	}
	composite, err := s.composite(ref)
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range s.warningEvents(t, controlplane.RefOf(composite)) {
		t.Errorf("%s: %s", m.name, event)
	}
}

// serves reports whether the kind of an object is installed. The fixture that renders are made with has all there are.
func (s *suite) serves(t testing.TB, object *unstructured.Unstructured) bool {
	t.Helper()
	kind := apiKind{object.GetAPIVersion(), object.GetKind()}
	if serves, known := s.served[kind]; known {
		return serves
	}
	_, err := s.Client.List(s.ctx, kind.apiVersion, kind.kind, object.GetNamespace(), "")
	if err != nil && !meta.IsNoMatchError(errors.Unwrap(err)) {
		t.Fatalf("cannot list %s: %v", object.GetKind(), err)
	}
	s.served[kind] = err == nil
	return err == nil
}

// warningEvents of an object, but for those of conflicts, which Crossplane tries again.
func (s *suite) warningEvents(t testing.TB, ref controlplane.Ref) []string {
	t.Helper()
	// Those of cluster scoped objects are in namespace default.
	events, err := s.Client.List(s.ctx, "v1", "Event", cmp.Or(ref.Namespace, "default"), "")
	if err != nil {
		t.Fatalf("cannot list events: %v", err)
	}
	var messages []string
	for _, event := range events {
		name, _, _ := unstructured.NestedString(event.Object, "involvedObject", "name")
		kind, _, _ := unstructured.NestedString(event.Object, "involvedObject", "kind")
		message, _, _ := unstructured.NestedString(event.Object, "message")
		if event.Object["type"] != "Warning" || name != ref.Name || kind != ref.Kind {
			continue
		}
		// What plan warns of is said in the condition Accepted as well, and tested elsewhere.
		if strings.Contains(message, "the object has been modified") || event.Object["reason"] == "ValidWithWarnings" {
			continue
		}
		messages = append(messages, fmt.Sprintf("%v: %s", event.Object["reason"], message))
	}
	return messages
}

// remove graphs, and wait until nothing is left of them.
func (s *suite) remove(t testing.TB, graphs ...*unstructured.Unstructured) {
	t.Helper()
	var refs []controlplane.Ref
	for _, graph := range graphs {
		ref := controlplane.RefOf(graph)
		_, err := s.Client.Get(s.ctx, ref)
		if isNotFound(err) {
			continue
		}
		if err != nil {
			t.Fatalf("cannot get %s: %v", ref, err)
		}
		var composite *unstructured.Unstructured
		s.eventually(t, ref.String()+" has its composite resource", func() error {
			composite, err = s.composite(ref)
			return err
		})
		composed, err := references(composite)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(append(refs, ref, controlplane.RefOf(composite)), composed...)
		if err := s.Client.Delete(s.ctx, ref); err != nil {
			t.Fatalf("cannot delete %s: %v", ref, err)
		}
	}
	s.gone(t, refs...)
}

// gone wants objects to be deleted.
func (s *suite) gone(t testing.TB, refs ...controlplane.Ref) {
	t.Helper()
	for _, ref := range refs {
		s.eventually(t, ref.String()+" is gone", func() error {
			object, err := s.Client.Get(s.ctx, ref)
			if isNotFound(err) {
				return nil
			}
			if err != nil {
				return err
			}
			return fmt.Errorf("it is there, with finalizers %v", object.GetFinalizers())
		})
	}
}

// deprecations are what the API server warns of every graph of its version.
func deprecations(graph *unstructured.Unstructured) []string {
	if graph.GetAPIVersion() != nvidia {
		return nil
	}
	return []string{nvidia + " " + dgd + " is deprecated; use nvidia.com/v1beta1 " + dgd}
}
