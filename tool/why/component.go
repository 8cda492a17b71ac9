package why

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A Component of the graph, and how far its pods are.
type Component struct {
	Name string `json:"name"`

	// Pods that it should have, and those of the latest revision that are ready.
	Pods  int `json:"pods"`
	Ready int `json:"ready"`

	// Problem of the first pod that is not ready.
	Problem string `json:"problem,omitempty"`
}

// componentsOf what runs a graph, by name.
func componentsOf(t *graphTree) []Component {
	byName := map[string]*Component{}
	var walk func(o *Object)
	walk = func(o *Object) {
		if wanted, updated, creates := o.wants(); creates {
			c := byName[o.Component]
			if c == nil {
				c = &Component{Name: o.Component}
				byName[o.Component] = c
			}
			c.add(o, wanted, updated)
			return
		}
		for _, child := range o.Children {
			walk(child)
		}
	}
	for _, o := range t.roots {
		walk(o)
	}
	all := make([]Component, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, *byName[name])
	}
	return all
}

// add the pods of an object to those of a component.
func (c *Component) add(o *Object, wanted, updated int) {
	ready := 0
	for _, p := range o.latest() {
		if p.Ready {
			ready++
		} else if c.Problem == "" && p.finding != nil {
			c.Problem = p.Name + ": " + p.finding.what
		}
	}
	if first := o.first(); c.Problem == "" && first != nil {
		c.Problem = first.what
	}
	c.Pods += wanted
	c.Ready += max(0, min(ready, updated, wanted))
}

// first finding at or below an object, except for those of pods. nil if there is none.
func (o *Object) first() *finding {
	if o.finding != nil && o.pod == nil {
		return o.finding
	}
	for _, child := range o.Children {
		if f := child.first(); f != nil {
			return f
		}
	}
	return nil
}

// wants is how many pods an object should have, and how many its controller counts as those of the latest revision. ok is false for objects
// that others have the pods of.
func (o *Object) wants() (wanted, updated int, ok bool) {
	c := creator{}
	isCreator := o.source != nil && slices.Contains([]string{kindDeployment, kindLeaderWorkerSet, grovev1alpha1.KindPodClique}, o.Kind)
	if !isCreator || preview.Decode(o.source, &c) != nil {
		return 0, 0, false
	}
	size := int(ptr.Deref(c.Spec.LeaderWorkerTemplate.Size, 1))
	return int(ptr.Deref(c.Spec.Replicas, 1)) * size, int(c.Status.UpdatedReplicas) * size, true
}

// latest pods of an object: those of its newest ReplicaSet, otherwise all.
func (o *Object) latest() []*Object {
	var newest *Object
	revision := -1
	for _, child := range o.Children {
		if child.Kind != kindReplicaSet || child.source == nil {
			continue
		}
		n, err := strconv.Atoi(child.source.GetAnnotations()["deployment.kubernetes.io/revision"])
		if err == nil && n > revision {
			newest, revision = child, n
		}
	}
	if newest != nil {
		return newest.pods()
	}
	return slices.DeleteFunc(o.pods(), func(p *Object) bool { return strings.Contains(p.Message, "being deleted") })
}
