package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/rollout"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/structs"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/check"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// describer of a graph that is accepted.
type describer struct {
	graph *graph.Graph
	plan  *graphplan.Plan

	// objects that are composed.
	objects []unstructured.Unstructured
}

// Of the result of a preview, with what is wrong with the graph.
func Of(result *preview.Result, findings []check.Finding) (*Explanation, error) {
	e := &Explanation{
		Namespace: result.CompositeResource.GetNamespace(), Name: result.CompositeResource.GetName(),
		Findings: findings,
	}
	e.Refused = result.Refused() || slices.ContainsFunc(findings, isError)
	if g := result.Verdict.Graph; g != nil {
		e.Namespace, e.Name = g.Namespace, g.Name
	}
	if e.Refused {
		return e, nil
	}
	d := &describer{graph: result.Verdict.Graph, plan: result.Verdict.Plan, objects: result.Rendered.ComposedResources}
	pods, err := d.pods()
	if err != nil {
		return nil, err
	}
	e.Orchestrator, e.Reason = string(d.plan.Orchestrator), messageOf(result.Rendered.CompositeResource, condition.TypeOrchestratorSelected)
	e.Reason = strings.TrimPrefix(e.Reason, e.Orchestrator+" runs the graph: ")
	e.GPUs, e.Topology, e.Restart = d.plan.TotalGPUs, d.explained(pods.place, ""), d.restart()
	e.Generation = d.generation()
	for _, name := range d.inOrder() {
		component := d.component(name, pods)
		e.Pods += component.TotalPods
		e.Components = append(e.Components, component)
	}
	e.Gangs, e.Together = d.gangs(e.Components, pods), d.together(e.Components)
	if e.Entries, err = d.entries(e.Components); err != nil {
		return nil, err
	}
	if e.Routes, err = d.routes(); err != nil {
		return nil, err
	}
	e.Flows, e.Objects = d.flows(e.Components), d.origins()
	return e, nil
}

func isError(f check.Finding) bool { return f.Severity == check.Error }

// generation of the workers. nil if they have none.
func (d *describer) generation() *Generation {
	if d.plan.WorkerGeneration == "" {
		return nil
	}
	g := &Generation{Suffix: d.plan.WorkerGeneration}
	for _, name := range d.inOrder() {
		if d.graph.Component(name).IsWorker() {
			g.Workers = append(g.Workers, name)
		}
	}
	if len(g.Workers) > 1 {
		g.Rollout = d.rolloutOf(g.Workers)
	}
	return g
}

// rolloutOf some workers to another generation.
func (d *describer) rolloutOf(workers []string) string {
	if d.plan.Orchestrator == graphplan.Grove {
		if d.graph.Annotations[metadata.AnnotationGroveUpdateStrategy] == grovev1alpha1.UpdateCoherent {
			return "Grove replaces a part of all of them at a time"
		}
		return "Grove replaces the pods of each where they are, so no generation may be complete for a while"
	}
	var tight []string
	for _, name := range workers {
		deployment := &structpb.Struct{}
		if object := d.object(names.KeyDeployment(name)); object != nil {
			// What was rendered can be encoded.
			deployment, _ = structs.Of(object.Object)
		}
		if !rollout.HasRoom(d.graph, name, deployment) {
			tight = append(tight, name)
		}
	}
	if len(tight) == 0 {
		return "the old generation stays until the new generation is complete"
	}
	verb := "starts"
	if len(tight) > 1 {
		verb = "start"
	}
	return fmt.Sprintf("no generation is complete while %s %s again", strings.Join(tight, " and "), verb)
}

// object that is composed under a key. nil if there is none.
func (d *describer) object(key names.Resource) *unstructured.Unstructured {
	i := slices.IndexFunc(d.objects, func(o unstructured.Unstructured) bool { return preview.Key(&o) == string(key) })
	if i < 0 {
		return nil
	}
	return &d.objects[i]
}

// messageOf a condition of a composite resource.
func messageOf(xr *unstructured.Unstructured, kind string) string {
	conditions, _, _ := unstructured.NestedSlice(xr.Object, "status", "conditions")
	for _, c := range conditions {
		if fields, ok := c.(map[string]any); ok && fields["type"] == kind {
			message, _ := fields["message"].(string)
			return message
		}
	}
	return ""
}

// inOrder are the components as requests reach them: what is exposed comes first, then the workers, and the planner at the end.
func (d *describer) inOrder() []string {
	order := []v1beta1.ComponentType{v1beta1.ComponentFrontend, v1beta1.ComponentEPP, v1beta1.ComponentPrefill, v1beta1.ComponentDecode, v1beta1.ComponentWorker}
	rank := func(name string) int {
		component := d.graph.Component(name)
		switch i := slices.Index(order, component.Type); {
		case i >= 0:
			return i
		case component.Type == v1beta1.ComponentPlanner:
			return len(order) + 1
		default:
			return len(order)
		}
	}
	all := d.graph.ComponentNames()
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// restart that the graph requests.
func (d *describer) restart() *Restart {
	request := d.graph.Spec.Restart
	if request == nil || request.ID == "" {
		return nil
	}
	r := &Restart{ID: request.ID, Strategy: string(v1alpha1.RestartSequential), Order: d.graph.ComponentNames()}
	if s := request.Strategy; s != nil {
		r.Strategy = cmp.Or(string(s.Type), r.Strategy)
		if len(s.Order) > 0 {
			r.Order = s.Order
		}
	}
	return r
}

// field of a component, as the user of the graph has written it.
func (d *describer) field(component, fieldOfComponent string) string {
	return d.graph.Field(graph.ComponentPath(component).String() + fieldOfComponent)
}
