package why

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/structs"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// Scaling is who decides the number of replicas of a component now, and who is ignored. There is none for a component that only its graph scales.
type Scaling struct {
	Component string `json:"component"`

	// Replicas of the component, as By says: the graph, an adapter or an autoscaler. Units are what an adapter of several components counts.
	Replicas int64  `json:"replicas"`
	By       string `json:"by"`
	Units    int64  `json:"units,omitempty"`

	// ScaledBy is what sets the number of the graph or of the adapter. It is empty if nothing is known to.
	ScaledBy []string `json:"scaledBy,omitempty"`

	// Ignored are others that have a number.
	Ignored []string `json:"ignored,omitempty"`
}

func (s *Scaling) String() string {
	text := output.Count(s.Replicas, "replica") + ", from " + s.By
	if s.Units > 0 {
		text += fmt.Sprintf(" (%s)", output.Count(s.Units, "unit"))
	}
	if len(s.ScaledBy) > 0 {
		text += ", which " + strings.Join(s.ScaledBy, " and ") + " scales"
	}
	if len(s.Ignored) > 0 {
		text += "; ignored: " + strings.Join(s.Ignored, ", ")
	}
	return text
}

// scalers adds what scales the graph: its adapters, and all autoscalers of the namespace, because users call theirs as they like.
func (c *collector) scalers() error {
	queries := []preview.Query{{APIVersion: "autoscaling/v2", Kind: kindAutoscaler, Namespace: c.namespace}}
	if g := decodedGraph(c.facts.Graph); len(g.Adapters()) > 0 {
		adapters := preview.Query{APIVersion: scaling.AdapterAPIVersion, Kind: scaling.KindAdapter, Namespace: c.namespace}
		for _, a := range g.Adapters() {
			adapters.Names = append(adapters.Names, a.Name)
		}
		queries = append(queries, adapters)
	}
	for _, query := range queries {
		objects, err := c.get(query)
		if err != nil {
			return err
		}
		c.facts.Scalers = append(c.facts.Scalers, objects...)
	}
	return nil
}

// decodedGraph is a graph as the functions see it. What they refuse is left out.
func decodedGraph(object *unstructured.Unstructured) *graph.Graph {
	// What was read from a cluster can be encoded.
	content, _ := structs.Of(object.Object)
	g, _ := graph.Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: content}}})
	g.Name, g.Namespace = object.GetName(), object.GetNamespace()
	return g
}

// scalingOf the components of a graph, by name.
func scalingOf(f *Facts) []Scaling {
	g, autoscalers := decodedGraph(f.Graph), autoscalersOf(f)
	var all []Scaling
	for _, c := range g.ComponentsByName() {
		s := Scaling{Component: c.Name, Replicas: int64(c.Replicas()), By: "the graph"}
		inGraph := fmt.Sprintf("%d in the graph", c.Replicas())
		adapter, _ := c.Adapter()
		number, adapted := f.adapterOf(&adapter)
		byAdapter, onWorkload := autoscalers[scaling.KindAdapter+" "+adapter.Name], autoscalers[c.Name]
		switch {
		case len(onWorkload) > 0 && !onWorkload[0].reverted:
			s.By, s.Replicas = onWorkload[0].name, onWorkload[0].replicas
			s.Ignored = append(names(onWorkload[1:]), inGraph)
			if adapted {
				s.Ignored = append(s.Ignored, scaling.KindAdapter+" "+adapter.Name)
			}
		case adapted:
			i := slices.IndexFunc(adapter.Unit, func(share graph.Share) bool { return share.Component == c.Name })
			s.Replicas, s.By = int64(adapter.Unit[i].Of(number)), scaling.KindAdapter+" "+adapter.Name
			if adapter.Component() == "" {
				s.Units = int64(number)
			}
			s.ScaledBy = names(byAdapter)
			s.Ignored = names(onWorkload)
			if s.Replicas != int64(c.Replicas()) {
				s.Ignored = append(s.Ignored, inGraph)
			}
		default:
			s.Ignored = names(onWorkload)
		}
		if s.By == "the graph" || s.By == scaling.KindAdapter+" "+adapter.Name && s.Units == 0 {
			s.ScaledBy = append(s.ScaledBy, plannersOf(c)...)
		}
		if s.By != "the graph" || len(s.ScaledBy)+len(s.Ignored) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// plannersOf a worker are the planners of its graph.
func plannersOf(c *graph.Component) []string {
	var planners []string
	for _, other := range c.Graph().ComponentsByName() {
		if c.IsWorker() && other.Type == v1beta1.ComponentPlanner {
			planners = append(planners, other.Name)
		}
	}
	return planners
}

// adapterOf is the number of an adapter, if there is one.
func (f *Facts) adapterOf(a *graph.Adapter) (number int32, ok bool) {
	for i := range f.Scalers {
		if o := &f.Scalers[i]; o.GetKind() == scaling.KindAdapter && o.GetName() == a.Name {
			replicas, found := preview.Integer(o.Object, "spec", "replicas")
			return int32(replicas), found //nolint:gosec // The API server bounds it.
		}
	}
	return 0, false
}

// autoscaler of a component or of an adapter.
type autoscaler struct {
	name     string
	replicas int64

	// reverted says that the number of the graph is applied to what it scales. This is so for Deployments, unless the graph asks for the autoscaler.
	reverted bool
}

func names(all []autoscaler) []string {
	var found []string
	for i := range all {
		found = append(found, all[i].name)
	}
	return found
}

// autoscalersOf components, by their names, and of adapters, by their kind and name. Those that only move a component to its number do not count.
func autoscalersOf(f *Facts) map[string][]autoscaler {
	components, all := componentsIn(f.Graph), map[string][]autoscaler{}
	for i := range f.Scalers {
		hpa := autoscalingv2.HorizontalPodAutoscaler{}
		key := preview.Key(&f.Scalers[i])
		if f.Scalers[i].GetKind() != kindAutoscaler || preview.Decode(&f.Scalers[i], &hpa) != nil || strings.HasPrefix(key, "replicas-") {
			continue
		}
		target := hpa.Spec.ScaleTargetRef
		a := autoscaler{
			name: kindAutoscaler + " " + hpa.Name, replicas: int64(hpa.Status.DesiredReplicas),
			reverted: target.Kind == kindDeployment && !strings.HasPrefix(key, "autoscaler-"),
		}
		if owner := metav1.GetControllerOf(&hpa); owner != nil && owner.Kind == "ScaledObject" {
			a.name = owner.Kind + " " + owner.Name
		}
		scaled := components[target.Name]
		if target.Kind == scaling.KindAdapter {
			scaled = target.Kind + " " + target.Name
		}
		all[scaled] = append(all[scaled], a)
	}
	return all
}
