package grove

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/resource"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/autoscaling"
)

// composed is an object with the key under which Crossplane tracks it.
type composed struct {
	key    resource.Name
	object any
}

// scaling is what brings the services of a graph to their numbers of replicas.
type scaling struct {
	composed []composed

	// pending says that some service is not there yet.
	pending bool
}

// replicas of one service.
type replicas struct {
	// inSet is the number in the PodCliqueSet.
	inSet int32

	// helper is the number that a helper moves the live child to; nil without a helper.
	helper *int32

	// before is the number to which a helper returns that frees a wedged rolling update; 0 for any other helper.
	before int32
}

// scale a graph: it sets the replicas of each service in its PodCliqueSet, and composes what moves those that run.
//
// Grove reads the replicas in a PodCliqueSet when it creates a PodClique or PodCliqueScalingGroup, and never again: it is
// the child that counts from then on, for autoscalers too. So a helper scales the child. Meanwhile the PodCliqueSet keeps
// its number: that it is not the wanted one is the only thing that tells a change of the graph, which is to be carried
// out, from a child that another client scaled, which must be left alone. Step status holds back a helper that would scale in
// while Grove rolls: only there are pod templates as all steps have made them. During an update with strategy Coherent, Grove refuses to scale
// anything, so nothing is scaled until it is complete.
func scale(req *fnv1.RunFunctionRequest, g *graph.Graph, p *graphplan.Plan, set *grovev1alpha1.PodCliqueSet) (scaling, error) {
	resources := req.GetObserved().GetResources()
	live, err := observed.ReadReplicas(resources[string(names.KeyPodCliqueSet)].GetResource())
	if err != nil {
		return scaling{}, err
	}
	var all scaling
	refused := observed.RollsCoherently(resources[string(names.KeyPodCliqueSet)].GetResource())
	numbers := map[string]int32{}
	for _, service := range g.ComponentsByName() {
		decided := decide(g, p, service.Name, live, resources)
		if before, exists := live[names.Clique(service.Name)]; refused && exists {
			child, known := p.Children[service.Name]
			helps := observed.Live(resources[string(names.KeyReplicas(service.Name))].GetResource())
			decided = decided.deferred(before, before == service.Replicas() || helps, child, known)
		}
		numbers[names.Clique(service.Name)] = decided.inSet
		if service.IsAutoscaled() {
			all.add(names.KeyAutoscaler(service.Name), autoscaling.Autoscaler(g, service.Name, autoscaling.GroveChild(g, service.Name), service.MinAvailable()))
			continue
		}
		if decided.helper != nil {
			helper := autoscaling.Helper(g, service.Name, autoscaling.GroveChild(g, service.Name), *decided.helper)
			if decided.before > 0 {
				helper = autoscaling.Temporary(helper, decided.before)
			}
			all.add(names.KeyReplicas(service.Name), helper)
		}
		all.pending = all.pending || decided.inSet != service.Replicas() || decided.helper != nil
	}
	setReplicas(set, numbers)
	return all, nil
}

func (s *scaling) add(key resource.Name, object any) {
	s.composed = append(s.composed, composed{key, object})
}

// decide how many replicas a service has in the PodCliqueSet, and whether a helper moves its child.
func decide(g *graph.Graph, p *graphplan.Plan, name string, live map[string]int32, resources map[string]*fnv1.Resource) replicas {
	service := g.Component(name)
	wanted := service.Replicas()
	inSet, exists := live[names.Clique(name)]
	child, known := p.Children[name]
	helper := boundOf(resources[string(names.KeyReplicas(name))].GetResource())
	before, temporary := autoscaling.Before(resources[string(names.KeyReplicas(name))].GetResource())
	switch {
	case service.IsAutoscaled() && exists:
		return replicas{inSet: inSet}
	case service.IsAutoscaled():
		return replicas{inSet: autoscaling.Initial(service)}
	case !exists:
		return replicas{inSet: wanted}
	// An autoscaler that goes may leave any number, and may change it until it is gone.
	case observed.Live(resources[string(names.KeyAutoscaler(name))].GetResource()):
		return replicas{inSet: inSet, helper: &wanted}
	case inSet == wanted && helper == nil:
		return replicas{inSet: wanted}
	case !known:
		return replicas{inSet: inSet, helper: helper, before: before}
	// The graph has not changed, so the number of before applies again, which somebody may have set by hand.
	case inSet == wanted && temporary && child.Update == nil && child.SpecReplicas == before && *helper == before:
		return replicas{inSet: wanted}
	case inSet == wanted && temporary:
		return replicas{inSet: wanted, helper: &before, before: before}
	// A helper that was told another number before may still act upon it.
	case child.SpecReplicas == wanted && (helper == nil || *helper == wanted):
		return replicas{inSet: wanted}
	default:
		return replicas{inSet: inSet, helper: &wanted}
	}
}

// deferred until Grove scales again, a decision leaves the PodCliqueSet with the number that it has, and its child as well. Where that number
// does not remind of the decision, or there is a helper already, one keeps the child at its own number. It has no effect on a child without
// replicas, and cannot have that number.
func (r replicas) deferred(inSet int32, reminds bool, child graphplan.Child, known bool) replicas {
	r.inSet = inSet
	switch {
	case r.helper == nil || !known || child.SpecReplicas == 0:
	case reminds:
		r.helper = &child.SpecReplicas
	default:
		r.helper, r.before = nil, 0
	}
	return r
}

// boundOf a helper; nil when there is none.
func boundOf(helper *structpb.Struct) *int32 {
	if bound, ok := observed.MaxReplicas(helper); ok && observed.Live(helper) {
		return &bound
	}
	return nil
}

// setReplicas by clique, or by scaling group. Cliques of a scaling group are not among them.
func setReplicas(set *grovev1alpha1.PodCliqueSet, numbers map[string]int32) {
	for i := range set.Spec.Template.ScalingGroups {
		group := &set.Spec.Template.ScalingGroups[i]
		if number, ok := numbers[group.Name]; ok {
			group.Replicas = number
			// The only clique of a service of one node has the name of its group.
			delete(numbers, group.Name)
		}
	}
	for i := range set.Spec.Template.Cliques {
		clique := &set.Spec.Template.Cliques[i]
		if number, ok := numbers[clique.Name]; ok {
			clique.Spec.Replicas = number
		}
	}
}
