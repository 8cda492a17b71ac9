// Package compare finds what a change of a graph does to what runs: which pods restart and why, what scales, and which objects come and go.
// It only compares what the functions have rendered before and after the change; all rules are theirs.
package compare

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// Effect of a change on a graph, or on a part of it. Its JSON is that of field verdict.
type Effect string

// The effects, the most important first.
const (
	Refused  Effect = "refused"
	Deleted  Effect = "deleted"
	Restarts Effect = "restarts"
	Scales   Effect = "scales"
	Created  Effect = "created"
	Changed  Effect = "changed"
	Kept     Effect = "kept"
	Nothing  Effect = "nothing"
)

// Effects in the order of their importance.
func Effects() []Effect {
	return []Effect{Refused, Deleted, Restarts, Scales, Created, Changed, Kept, Nothing}
}

// compareTo another effect by importance.
func (v Effect) compareTo(other Effect) int {
	return cmp.Compare(slices.Index(Effects(), v), slices.Index(Effects(), other))
}

// Graph is what happens to a graph.
type Graph struct {
	// Name of the graph, with its namespace.
	Name string `json:"graph"`

	Effect Effect `json:"verdict"`

	// Note on the comparison, for example that the graph could not run before, or is not at rest in the end. Empty for most graphs.
	Note string `json:"note,omitempty"`

	// Unasked says that pods restart although spec.restart does not ask for it.
	Unasked bool `json:"unasked,omitempty"`

	// Refusals are why the graph is refused. Nothing else happens then.
	Refusals []check.Finding `json:"refusals,omitempty"`

	// Warnings that the change causes: the graph did not get them before.
	Warnings []check.Finding `json:"warnings,omitempty"`

	Components []Component `json:"components,omitempty"`
	Objects    []Object    `json:"objects,omitempty"`

	// Outdated are the components whose pods would be others at the next edit, and were not before.
	Outdated []string `json:"outdated,omitempty"`
}

// Component is what happens to a component.
type Component struct {
	Name   string `json:"component"`
	Effect Effect `json:"verdict"`

	// Text is the effect in words.
	Text string `json:"text"`

	Replicas Numbers `json:"replicas"`
	Pods     Numbers `json:"pods"`

	// Units that it has afterwards, if it is scaled together with others.
	Units int64 `json:"units,omitempty"`

	// hidden is the number in the graph that has no effect, in words.
	hidden string

	// Restarting is the number of pods that restart, and Asked says that spec.restart asks for it. Reasons are short names of the fields of
	// the pods because of which they restart.
	Restarting int64    `json:"restarting,omitempty"`
	Asked      bool     `json:"asked,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`

	// Executor with which an engine of vLLM spans nodes. It is nil if it stays the same, or there is none.
	Executor *Executors `json:"executor,omitempty"`

	// Fields of the pods that change.
	Fields []Field `json:"fields,omitempty"`
}

// Executors before and after, and the reason for the latter.
type Executors struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Reason string `json:"reason"`
}

// Numbers before and after.
type Numbers struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// Object is what happens to an object that the graph becomes. Pods and replicas of workloads are those of components.
type Object struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Effect Effect `json:"verdict"`

	// Text is the effect in words.
	Text string `json:"text"`

	// Fields that change.
	Fields []Field `json:"fields,omitempty"`
}

// Stages of a graph: nil before it is created, and after it is deleted.
type Stages struct {
	Before, After *preview.Stage

	// Refusals are why the graph after the change is refused, and Warnings are those that it did not get before.
	Refusals, Warnings []check.Finding

	// Note on what is before the change.
	Note string
}

// note on the comparison.
func (s *Stages) note() string {
	var notes []string
	if s.Note != "" {
		notes = append(notes, s.Note)
	}
	for _, side := range []struct {
		name  string
		stage *preview.Stage
	}{{"OLD", s.Before}, {"NEW", s.After}} {
		if side.stage != nil && side.stage.Restless {
			notes = append(notes, side.name+" still changed in the last of the reconciles that were played, so this report may be incomplete")
		}
	}
	return strings.Join(notes, "; ")
}

// Of the stages of a graph with this name.
func Of(name string, s Stages) Graph {
	g := Graph{Name: name, Effect: Nothing, Refusals: s.Refusals, Warnings: s.Warnings, Note: s.note()}
	if len(s.Refusals) > 0 {
		g.Effect = Refused
		return g
	}
	before, after := sideOf(s.Before), sideOf(s.After)
	g.Components = componentsOf(before, after)
	g.Objects = objectsOf(before, after)
	for i := range g.Components {
		c := &g.Components[i]
		g.add(c.Effect)
		g.Unasked = g.Unasked || c.Restarting > 0 && !c.Asked
	}
	for i := range g.Objects {
		g.add(g.Objects[i].Effect)
	}
	known := outdatedIn(before.state)
	g.Outdated = slices.DeleteFunc(outdatedIn(after.state), func(name string) bool { return slices.Contains(known, name) })
	switch {
	case before.graph == nil && after.graph == nil:
		g.Effect = Nothing
	case before.graph == nil:
		g.Effect = Created
	case after.graph == nil:
		g.Effect = Deleted
	}
	return g
}

// add the effect on a part of the graph. That something comes or goes is only a change of the graph.
func (g *Graph) add(v Effect) {
	if v == Created || v == Deleted {
		v = Changed
	}
	if v != Kept && v.compareTo(g.Effect) < 0 {
		g.Effect = v
	}
}

// side of a comparison.
type side struct {
	// graph as it is decoded. It is nil if it does not exist.
	graph *graph.Graph
	state *preview.State

	// objects as Crossplane applies them, and as they are in the cluster, by their keys. Encoded are the former in another form.
	objects, live map[string]*unstructured.Unstructured
	encoded       map[string]*structpb.Struct
}

func sideOf(stage *preview.Stage) *side {
	s := &side{live: map[string]*unstructured.Unstructured{}, encoded: map[string]*structpb.Struct{}}
	if stage == nil || stage.State == nil {
		return s
	}
	s.graph, s.state, s.objects = stage.Verdict.Graph, stage.State, stage.State.Objects()
	for i := range stage.State.Composed {
		s.live[preview.Key(&stage.State.Composed[i])] = &stage.State.Composed[i]
	}
	for key, object := range s.objects {
		if content, err := structpb.NewStruct(object.Object); err == nil {
			s.encoded[key] = content
		}
	}
	return s
}

// components of the graph, by their names in lower case, which is how objects tell them apart.
func (s *side) components() map[string]string {
	components := map[string]string{}
	if s.graph != nil {
		for _, name := range s.graph.ComponentNames() {
			components[strings.ToLower(name)] = name
		}
	}
	return components
}
