package preview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// Existing is the graph in a cluster that has the kind and name of a graph in a file, with the objects that are composed for it. nil if
// there is none. Like Crossplane it reads the objects to which the graph refers.
func (l *Live) Existing(source manifest.Object, namespace string) (*State, error) {
	named := source.DeepCopy()
	if err := render.EnterNamespace(named, namespace); err != nil {
		// A graph in another namespace is refused, with this message.
		return nil, nil //nolint:nilnil,nilerr // See above.
	}
	state := &State{}
	var err error
	if state.Source, err = l.one(named.GetAPIVersion(), named.GetKind(), named.GetNamespace(), named.GetName()); err != nil || state.Source == nil {
		return nil, err
	}
	state.CompositeResource = state.Source
	if name, _, _ := unstructured.NestedString(state.Source.Object, "spec", "resourceRef", "name"); name != "" {
		if state.CompositeResource, err = l.one(named.GetAPIVersion(), v1alpha1.CompositeKind, "", name); err != nil || state.CompositeResource == nil {
			return nil, err
		}
	}
	if state.Composed, err = l.composed(state.CompositeResource); err != nil {
		return nil, errors.Wrapf(err, "cannot read the objects of graph %s", named.GetName())
	}
	children, err := l.children(state.Composed)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot read what Grove has made of graph %s", named.GetName())
	}
	// Grove is about to make those that are missing.
	state.children = childrenOf(state.Composed, children)
	return state, nil
}

// Graphs of the cluster, in one namespace or in all.
func (l *Live) Graphs(namespace string) (*manifest.Files, error) {
	found, err := l.Get(Query{APIVersion: v1beta1.Group + "/" + v1beta1.Version, Kind: v1alpha1.Kind, Namespace: namespace})
	if err != nil {
		return nil, errors.Wrap(err, "cannot list the graphs of the cluster")
	}
	files := &manifest.Files{}
	for i := range found {
		files.Objects = append(files.Objects, manifest.InNoFile(&found[i]))
	}
	return files, nil
}

// CompositionOf a graph that exists. nil if Crossplane has not chosen it yet.
func (l *Live) CompositionOf(existing *State) (*pipeline.Composition, error) {
	for _, path := range [][]string{{"spec", "crossplane", "compositionRef", "name"}, {"spec", "compositionRef", "name"}} {
		name, _, _ := unstructured.NestedString(existing.CompositeResource.Object, path...)
		if name == "" {
			continue
		}
		object, err := l.one("apiextensions.crossplane.io/v1", "Composition", "", name)
		if err != nil {
			return nil, err
		}
		if object == nil {
			return nil, errors.Errorf("there is no Composition %s", name)
		}
		return pipeline.CompositionOf(object) //nolint:wrapcheck // It names the Composition.
	}
	return nil, nil //nolint:nilnil // See above.
}

// one object by its name. nil if there is none.
func (l *Live) one(apiVersion, kind, namespace, name string) (*unstructured.Unstructured, error) {
	objects, err := l.named(apiVersion, kind, namespace, name)
	if err != nil || len(objects) == 0 {
		return nil, err
	}
	return &objects[0], nil
}

// named objects of a kind, with their field managers: functions read who manages a field.
func (l *Live) named(apiVersion, kind, namespace string, objects ...string) ([]unstructured.Unstructured, error) {
	q := Query{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Names: objects, ManagedFields: true}
	return l.get(q.arguments())
}

// A Reference to an object.
type Reference struct{ APIVersion, Kind, Namespace, Name string }

// References of a composite resource to what is composed for it.
func References(xr *unstructured.Unstructured) []Reference {
	var all []Reference
	for _, path := range [][]string{{"spec", "crossplane", "resourceRefs"}, {"spec", "resourceRefs"}} {
		for _, ref := range items(xr.Object, path...) {
			text := func(field string) string { value, _, _ := unstructured.NestedString(ref, field); return value }
			if text("name") != "" {
				all = append(all, Reference{text("apiVersion"), text("kind"), cmp.Or(xr.GetNamespace(), text("namespace")), text("name")})
			}
		}
	}
	return all
}

// composed objects of a composite resource. What does not exist, or belongs to someone else, is left out, as Crossplane does.
func (l *Live) composed(xr *unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	type group struct{ apiVersion, kind, namespace string }
	byGroup := map[group][]string{}
	for _, ref := range References(xr) {
		sought := group{ref.APIVersion, ref.Kind, ref.Namespace}
		byGroup[sought] = append(byGroup[sought], ref.Name)
	}
	var all []unstructured.Unstructured
	for _, sought := range slices.SortedFunc(maps.Keys(byGroup), func(a, b group) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		slices.Sort(byGroup[sought])
		objects, err := l.named(sought.apiVersion, sought.kind, sought.namespace, byGroup[sought]...)
		if err != nil {
			return nil, err
		}
		for i := range objects {
			if owner := metav1.GetControllerOf(&objects[i]); owner != nil && owner.UID == xr.GetUID() && Key(&objects[i]) != "" {
				all = append(all, objects[i])
			}
		}
	}
	return all, nil
}

// children that Grove has made of the PodCliqueSet among objects.
func (l *Live) children(objects []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	var all []unstructured.Unstructured
	for i := range objects {
		if objects[i].GroupVersionKind().GroupKind() != (schema.GroupKind{Group: "grove.io", Kind: grovev1alpha1.KindPodCliqueSet}) {
			continue
		}
		byKind := map[string][]string{}
		for _, c := range cliquesAndGroups(&objects[i]) {
			byKind[c.kind] = append(byKind[c.kind], objects[i].GetName()+"-0-"+c.name)
		}
		for _, kind := range slices.Sorted(maps.Keys(byKind)) {
			found, err := l.named(grovev1alpha1.APIVersion, kind, objects[i].GetNamespace(), byKind[kind]...)
			if err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
	}
	return all, nil
}

// controllerOf objects, or another UID if they have none.
func controllerOf(objects []unstructured.Unstructured, otherwise types.UID) types.UID {
	for i := range objects {
		if owner := metav1.GetControllerOf(&objects[i]); owner != nil {
			return owner.UID
		}
	}
	return otherwise
}

// lastApplied are the annotations that kubectl applied last, which it removes if they are no longer in the file. nil if it has not applied
// the object. Then whoever did, removes what is no longer in the file.
func lastApplied(object *unstructured.Unstructured) map[string]bool {
	text, ok := object.GetAnnotations()["kubectl.kubernetes.io/last-applied-configuration"]
	if !ok {
		return nil
	}
	last := unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &last.Object); err != nil {
		return nil
	}
	written := map[string]bool{}
	for key := range last.GetAnnotations() {
		written[key] = true
	}
	return written
}
