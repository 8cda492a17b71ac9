package scaling

import (
	"cmp"

	"google.golang.org/protobuf/types/known/structpb"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Scalers bring the components of a graph to their numbers of replicas.
type Scalers struct {
	Composed map[names.Resource]*autoscalingv2.HorizontalPodAutoscaler

	// Pending says that some component is not there yet.
	Pending bool
}

// decision about one component.
type decision struct {
	// inSet is the number in the PodCliqueSet.
	inSet int32

	// helper is the number that a helper moves the live child to; nil without a helper.
	helper *int32

	// before is the number to which a helper returns that frees a wedged rolling update; 0 for any other helper.
	before int32
}

// OnGrove sets the replicas of each component in the PodCliqueSet of a graph, and returns what moves those that run.
//
// Grove reads the replicas in a PodCliqueSet when it creates a PodClique or PodCliqueScalingGroup, and never again: it is
// the child that counts from then on, for autoscalers too. So a helper scales the child. Meanwhile the PodCliqueSet keeps
// its number: that it is not the wanted one is the only thing that tells a change of the graph, which is to be carried
// out, from a child that another client scaled, which must be left alone. Pace holds back a helper that would scale in
// while Grove rolls: only there are pod templates as all steps have made them. During an update with strategy Coherent, Grove refuses to scale
// anything, so nothing is scaled until it is complete.
func OnGrove(req *fnv1.RunFunctionRequest, g *graph.Graph, p *graphplan.Plan, set *grovev1alpha1.PodCliqueSet) (Scalers, error) {
	resources := req.GetObserved().GetResources()
	observedSet := resources[string(names.KeyPodCliqueSet)].GetResource()
	live, err := readReplicas(observedSet)
	if err != nil {
		return Scalers{}, err
	}
	all := Scalers{Composed: map[names.Resource]*autoscalingv2.HorizontalPodAutoscaler{}}
	refused := rollsCoherently(observedSet)
	numbers := map[string]int32{}
	for _, component := range g.ComponentsByName() {
		decided := decide(component, p, live, resources)
		if before, exists := live[names.Clique(component.Name)]; refused && exists {
			child, known := p.Children[component.Name]
			helps := observed.Live(resources[string(names.KeyReplicas(component.Name))].GetResource())
			decided = decided.deferred(before, before == component.Replicas() || helps, child, known)
		}
		numbers[names.Clique(component.Name)] = decided.inSet
		if component.IsAutoscaled() {
			all.Composed[names.KeyAutoscaler(component.Name)] = autoscaler(component, childOf(component), component.MinAvailable())
			continue
		}
		if decided.helper != nil {
			helper := helperOf(component, *decided.helper)
			if decided.before > 0 {
				helper = temporary(helper, decided.before)
			}
			all.Composed[names.KeyReplicas(component.Name)] = helper
		}
		all.Pending = all.Pending || decided.inSet != component.Replicas() || decided.helper != nil
	}
	setReplicas(set, numbers)
	return all, nil
}

// decide how many replicas a component has in the PodCliqueSet, and whether a helper moves its child.
func decide(component *graph.Component, p *graphplan.Plan, live map[string]int32, resources map[string]*fnv1.Resource) decision {
	wanted := component.Replicas()
	inSet, exists := live[names.Clique(component.Name)]
	child, known := p.Children[component.Name]
	liveHelper := resources[string(names.KeyReplicas(component.Name))].GetResource()
	helper, before := boundOf(liveHelper), beforeOf(liveHelper)
	switch {
	case component.IsAutoscaled() && exists:
		return decision{inSet: inSet}
	case component.IsAutoscaled():
		return decision{inSet: initial(component)}
	case !exists:
		return decision{inSet: wanted}
	// An autoscaler that goes may leave any number, and may change it until it is gone.
	case observed.Live(resources[string(names.KeyAutoscaler(component.Name))].GetResource()):
		return decision{inSet: inSet, helper: &wanted}
	case inSet == wanted && helper == nil:
		return decision{inSet: wanted}
	case !known:
		return decision{inSet: inSet, helper: helper, before: before}
	// The graph has not changed, so the number of before applies again, which somebody may have set by hand.
	case inSet == wanted && before > 0 && child.Update == nil && child.SpecReplicas == before && *helper == before:
		return decision{inSet: wanted}
	case inSet == wanted && before > 0:
		return decision{inSet: wanted, helper: &before, before: before}
	// A helper that was told another number before may still act upon it.
	case child.SpecReplicas == wanted && (helper == nil || *helper == wanted):
		return decision{inSet: wanted}
	default:
		return decision{inSet: inSet, helper: &wanted}
	}
}

// deferred until Grove scales again, a decision leaves the PodCliqueSet with the number that it has, and its child as well. Where that number
// does not remind of the decision, or there is a helper already, one keeps the child at its own number. It has no effect on a child without
// replicas, and cannot have that number.
func (d decision) deferred(inSet int32, reminds bool, child graphplan.Child, known bool) decision {
	d.inSet = inSet
	switch {
	case d.helper == nil || !known || child.SpecReplicas == 0:
	case reminds:
		d.helper = &child.SpecReplicas
	default:
		d.helper, d.before = nil, 0
	}
	return d
}

// boundOf a helper; nil when there is none.
func boundOf(helper *structpb.Struct) *int32 {
	if bound, ok := observed.MaxReplicas(helper); ok && observed.Live(helper) {
		return &bound
	}
	return nil
}

// childOf the PodCliqueSet that determines the number of replicas of a component.
func childOf(component *graph.Component) target {
	kind := grovev1alpha1.KindPodClique
	if component.IsScalingGroup() {
		kind = grovev1alpha1.KindPodCliqueScalingGroup
	}
	return target{APIVersion: grovev1alpha1.APIVersion, Kind: kind, Name: component.Graph().Names().GroveChild(component.Name)}
}

// setReplicas by clique, or by scaling group. Cliques of a scaling group are not among them.
func setReplicas(set *grovev1alpha1.PodCliqueSet, numbers map[string]int32) {
	for i := range set.Spec.Template.ScalingGroups {
		group := &set.Spec.Template.ScalingGroups[i]
		if number, ok := numbers[group.Name]; ok {
			group.Replicas = number
			// The only clique of a component of one node has the name of its group.
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

// MayHelp are the components on Grove whose helper may scale them to another number of replicas.
func MayHelp(g *graph.Graph, o *observed.State) []string {
	if o.PodCliqueSet == nil {
		return nil
	}
	var components []string
	inSet := o.PodCliqueSet.Spec.Template.ReplicasByName()
	for _, component := range g.ComponentsByName() {
		leaving := o.Has(names.KeyAutoscaler(component.Name))
		if !component.IsAutoscaled() && (leaving || inSet[names.Clique(component.Name)] != component.Replicas()) {
			components = append(components, component.Name)
		}
	}
	return components
}

// replicasIn a PodCliqueSet, observed or desired, as far as they can be read.
func replicasIn(set *structpb.Struct) map[string]int32 {
	replicas, _ := readReplicas(set)
	return replicas
}

// podCliqueSetReplicas is what readReplicas reads.
type podCliqueSetReplicas struct {
	Spec struct {
		Template struct {
			Cliques []struct {
				Name string `json:"name"`
				Spec struct {
					Replicas int32 `json:"replicas"`
				} `json:"spec"`
			} `json:"cliques"`
			ScalingGroups []struct {
				Name     string `json:"name"`
				Replicas int32  `json:"replicas"`
			} `json:"podCliqueScalingGroups"`
		} `json:"template"`
	} `json:"spec"`
}

// readReplicas in a PodCliqueSet, by clique and scaling group. There are none if it does not exist. Its pods, which are most of it, are not decoded.
func readReplicas(set *structpb.Struct) (map[string]int32, error) {
	replicas, read := map[string]int32{}, podCliqueSetReplicas{}
	err := require.Into(set, &read)
	for _, clique := range read.Spec.Template.Cliques {
		replicas[clique.Name] = cmp.Or(clique.Spec.Replicas, 1)
	}
	for _, group := range read.Spec.Template.ScalingGroups {
		replicas[group.Name] = cmp.Or(group.Replicas, 1)
	}
	return replicas, errors.Wrap(err, "cannot read the observed PodCliqueSet")
}

// rollsCoherently reports whether Grove is updating a PodCliqueSet with strategy Coherent. Until it is done, it refuses to scale anything in
// the set.
func rollsCoherently(set *structpb.Struct) bool {
	progress := tree.At(set, "status", "updateProgress")
	return tree.Text(set, "type", "spec", "updateStrategy") == grovev1alpha1.UpdateCoherent &&
		tree.Text(progress, "updateStartedAt") != "" && tree.Text(progress, "updateEndedAt") == ""
}
