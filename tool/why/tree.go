package why

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// graphTree is what runs a graph.
type graphTree struct {
	roots  []*Object
	events events
}

// treeOf the objects of a graph, below what owns them. An object whose owner is not known is at the top.
func treeOf(f *Facts) *graphTree {
	t := &graphTree{events: eventsOf(f.Events)}
	gangs := gangsOf(f.Objects, t.events)
	components := componentsIn(f.Graph)
	byUID := map[types.UID]*Object{}
	var all []*Object
	for i := range f.Objects {
		o := objectOf(&f.Objects[i])
		if o.pod != nil {
			o.Ready = o.pod.isReady()
			if o.finding = o.pod.findWith(t.events, gangs, f.Objects); o.finding != nil {
				o.Message, o.Code = o.finding.what, o.finding.code
			}
		}
		if o.Component == "" {
			o.Component = components[o.Name]
		}
		if o.uid != "" {
			byUID[o.uid] = o
		}
		all = append(all, o)
	}
	for _, o := range all {
		if owner := byUID[o.owner]; owner != nil && o.owner != "" && !owner.isBelow(o) {
			owner.Children = append(owner.Children, o)
		} else {
			t.roots = append(t.roots, o)
		}
	}
	for _, ref := range f.Absent {
		absent := &Object{Kind: ref.Kind, Name: ref.Name, Component: components[ref.Name]}
		absent.Message, absent.Code = "does not exist", NoPods
		absent.finding = &finding{code: NoPods, what: ref.Kind + " " + ref.Name + " does not exist", next: []string{"describe", "dgd", f.Graph.GetName()}}
		t.roots = append(t.roots, absent)
	}
	sortObjects(t.roots)
	for _, o := range all {
		sortObjects(o.Children)
	}
	for _, o := range t.roots {
		o.settle("")
		t.explain(o)
	}
	return t
}

// all objects, each before those below it.
func (t *graphTree) all() []*Object {
	var all []*Object
	var add func(o *Object)
	add = func(o *Object) {
		all = append(all, o)
		for _, child := range o.Children {
			add(child)
		}
	}
	for _, o := range t.roots {
		add(o)
	}
	return all
}

// componentsIn the status of a graph, by the names of the objects that run them.
func componentsIn(graph *unstructured.Unstructured) map[string]string {
	components := map[string]string{}
	for _, form := range []string{"components", "services"} {
		reported, _, _ := unstructured.NestedMap(graph.Object, "status", form)
		for name, reference := range reported {
			fields, _ := reference.(map[string]any)
			objects, _ := fields["componentNames"].([]any)
			for _, object := range append(objects, fields["componentName"]) {
				if text, isText := object.(string); isText && text != "" {
					components[text] = name
				}
			}
		}
	}
	return components
}

// explain an object that is not ready, and whose pods do not tell why.
func (t *graphTree) explain(o *Object) {
	for _, child := range o.Children {
		t.explain(child)
	}
	switch {
	case o.source == nil || o.pod != nil:
		return
	case o.Kind == kindClaim:
		o.finding = t.claim(o)
	case o.Ready:
		o.forgive()
		return
	default:
		t.findWhy(o)
	}
	if o.finding != nil {
		o.Code = o.finding.code
		if o.finding.code != Updating && o.finding.code != NoPods && !strings.Contains(o.Message, o.finding.what) {
			o.Message = strings.TrimPrefix(o.Message+": "+o.finding.what, ": ")
		}
	}
}

// forgive the pods of an object that has as many as it should: others, such as pods that were evicted or are being deleted, are not missed.
func (o *Object) forgive() {
	for _, child := range o.Children {
		if child.pod != nil && runsPods(o.Kind) {
			child.finding, child.Code = nil, ""
		}
	}
}

// claim for a volume that is not bound, and why. nil if it may still wait for its first pod.
func (t *graphTree) claim(o *Object) *finding {
	event, failed := t.events.last(o.uid, "ProvisioningFailed", "FailedBinding", "VolumeMismatch")
	switch {
	case !o.Ready:
		return &finding{code: Volume, what: fmt.Sprintf("PersistentVolumeClaim %s: %s", o.Name, o.Message)}
	case o.Message != "" && failed:
		return &finding{code: Volume, what: fmt.Sprintf("PersistentVolumeClaim %s is not bound to a volume: %s", o.Name, brief(event.Message))}
	default:
		return nil
	}
}

// findWhy an object is not ready whose pods do not tell.
func (t *graphTree) findWhy(o *Object) {
	if refused := t.refusal(o); refused != nil && !slices.ContainsFunc(o.Children, func(child *Object) bool { return child.refuses() }) {
		o.finding = refused
	} else if recreated := t.recreated(o); recreated != nil && !o.hasFinding(func(f *finding) bool { return rank(f.code) < rank(NoPods) }) {
		o.finding = recreated
	} else if !o.hasFinding(func(*finding) bool { return true }) {
		o.finding = o.unexplained()
	}
}

// refuses reports whether an object below says that the API server refuses pods. Deployments repeat what their ReplicaSets say.
func (o *Object) refuses() bool {
	if o.finding != nil && slices.Contains([]Code{OverQuota, AdmissionRefused, PodsRefused, ObjectMissing}, o.finding.code) && o.pod == nil {
		return true
	}
	return slices.ContainsFunc(o.Children, (*Object).refuses)
}
