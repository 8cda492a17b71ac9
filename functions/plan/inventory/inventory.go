// Package inventory lists the objects of a graph in its namespace: those that the chain composes, and those that controllers create from
// them with names that depend on the graph. Step plan looks up each of them before it is created.
package inventory

import (
	"cmp"
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
)

// Kinds that callers handle specially.
const (
	KindService         = "Service"
	KindServiceAccount  = "ServiceAccount"
	KindClaimTemplate   = "ResourceClaimTemplate"
	KindLeaderWorkerSet = "LeaderWorkerSet"
)

// Object of a graph.
type Object struct {
	// Key of the composed resource that the object is, or from which a controller creates it.
	Key names.Resource

	APIVersion, Kind, Name string

	// Component in the name of the object. It is empty if it is named after the graph.
	Component string

	// Maker is the controller that creates the object. It is empty if the chain composes it.
	Maker string
}

// Requirement is the name of the requirement with which step plan looks up the object. It is unique within a graph.
func (o Object) Requirement() string {
	if o.Maker == "" {
		return "names-" + string(o.Key)
	}
	return "names-of-" + string(o.Key) + "-" + strings.ToLower(o.Kind) + "-" + o.Name
}

// Makers of objects.
const (
	MakerGrove  = "Grove"
	MakerLWS    = "the LWS operator"
	MakerDriver = "the NVIDIA DRA driver"
)

// Lister lists the objects of one graph.
type Lister struct {
	Graph *graph.Graph
	Plan  *graphplan.Plan

	// Observed are the keys of the existing composed resources. They, and the objects that controllers create from them, are left out.
	Observed map[string]bool

	// Generations of the PodGroups of Kubernetes that existing LeaderWorkerSets name, by the names of the sets. An empty text stands for the first, as
	// for new ones.
	Generations map[string]string

	// Scaling are the components on Grove that a helper may have to scale.
	Scaling []string

	// MaxReplicas limits how many replicas of a component are listed.
	MaxReplicas int32
}

// Missing are the objects of the graph that do not exist yet. PersistentVolumeClaims and the SSH Secret are not included, because existing
// ones are used.
func (l *Lister) Missing() []Object {
	m := &missing{Lister: l}
	m.foundation()
	m.workload()
	m.domains()
	return m.objects
}

// missing objects of a graph.
type missing struct {
	*Lister

	objects []Object
}

// ofGraph adds an object that is named after the graph.
func (m *missing) ofGraph(key names.Resource, name string) { m.add(Object{Key: key, Name: name}) }

// ofComponent adds an object that is named after a component.
func (m *missing) ofComponent(component string, key names.Resource, name string) {
	m.add(Object{Key: key, Name: name, Component: component})
}

// add an object. One without a kind is of that of its key.
func (m *missing) add(o Object) {
	if m.Observed[string(o.Key)] {
		return
	}
	kind := kinds.Named(o.Kind)
	if o.Kind == "" {
		kind = kinds.OfKey(string(o.Key))
	}
	o.APIVersion, o.Kind = kind.GroupVersion().String(), kind.Kind
	if kind.Served == kinds.WithGangs {
		o.APIVersion = cmp.Or(m.Plan.LWS.Gang.APIVersion, o.APIVersion)
	}
	m.objects = append(m.objects, o)
}

// each calls do for every component, in the order of their names.
func (m *missing) each(do func(component *graph.Component)) {
	for _, component := range m.Graph.ComponentsByName() {
		do(component)
	}
}
