// Package graph is the DynamoGraphDeployment as the steps of the chain use it: decoded, named, in the form with components whatever form it is
// written in, and independent of whether it is a namespaced composite resource or was created through a claim.
package graph

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Graph is one DynamoGraphDeployment.
type Graph struct {
	// Name and Namespace of the graph: those of the composite resource, or those of the claim if there is one.
	Name      string
	Namespace string

	// Generation of the composite resource.
	Generation int64

	// Annotations of the composite resource's metadata.
	Annotations map[string]string

	// Labels of the composite resource's metadata.
	Labels map[string]string

	// AdoptedNames are the names of objects that the graph has adopted. They come from the plan, not from the composite resource.
	AdoptedNames names.Adoption

	// WeightServers are the components whose weights are in pods of their own, which the pods of their engines share. They come from the plan,
	// not from the composite resource, because the cliques of a live graph cannot change.
	WeightServers map[string]bool

	// RuntimeContainers are the components whose runtime of Dynamo is in an init container, beside the engine in the main container. They come from
	// the plan, not from the composite resource, because it depends on the release in the image.
	RuntimeContainers map[string]bool

	// Scaled are the numbers of replicas that count instead of those that the user wrote, by component: see Scale.
	Scaled map[string]int32

	// Retained are the replicas that components keep in addition while their scale-in is delayed. They come from the plan.
	Retained map[string][]int32

	// Form in which the user wrote the graph.
	Form Form

	// Spec as decoded, in the form with components, without the components themselves. Nulls count as absent.
	Spec v1beta1.DynamoGraphDeploymentSpec

	// PVCs that the graph declares, which only the form with services can.
	PVCs []v1alpha1.PVC

	// Components by name.
	Components map[string]*Component

	// Unread says why a part of the annotation of conversion does not count.
	Unread message.List

	// CommandLines of the graph, each of which is read once.
	CommandLines *backend.Texts

	// spec as received, and whether it contains the fields that Crossplane manages with scope LegacyCluster.
	spec   *structpb.Struct
	legacy bool

	// ofWorkers says that it is the graph of workers.
	ofWorkers bool
}

// Names of the graph's objects.
func (g *Graph) Names() names.Graph { return names.Of(g.Name, g.AdoptedNames) }

// RunWeightServers of a component: see WeightServers.
func (g *Graph) RunWeightServers(component string) {
	if g.WeightServers == nil {
		g.WeightServers = map[string]bool{}
	}
	g.WeightServers[component] = true
}

// RunRuntimeContainer of a component: see RuntimeContainers.
func (g *Graph) RunRuntimeContainer(component string) {
	if g.RuntimeContainers == nil {
		g.RuntimeContainers = map[string]bool{}
	}
	g.RuntimeContainers[component] = true
}

// ComponentNames are the names of the components, sorted.
func (g *Graph) ComponentNames() []string {
	sorted := slices.AppendSeq(slices.Grow([]string(nil), len(g.Components)), maps.Keys(g.Components))
	slices.Sort(sorted)
	return sorted
}

// HasComponent reports whether any component has a type.
func (g *Graph) HasComponent(componentType v1beta1.ComponentType) bool {
	for _, component := range g.Components {
		if component.Type == componentType {
			return true
		}
	}
	return false
}

// Decode the observed composite resource of a request strictly, with all errors at once.
func Decode(req *fnv1.RunFunctionRequest) (*Graph, message.List) {
	unknown := map[*field.Error]strict.Unknown{}
	g, errs := decode(req, func(e *field.Error, about strict.Unknown) { unknown[e] = about })
	var list message.List
	for _, e := range errs {
		m := message.Of(e)
		about, isUnknown := unknown[e]
		m.Code, m.Unknown = rule.OfDecoded(e, isUnknown), about
		list = append(list, m)
	}
	return g, list
}

func decode(req *fnv1.RunFunctionRequest, note func(*field.Error, strict.Unknown)) (*Graph, field.ErrorList) {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	given := xr["metadata"].GetStructValue()

	g := &Graph{
		Name:         stringAt(given, "name"),
		Namespace:    stringAt(given, "namespace"),
		Generation:   int64(given.GetFields()["generation"].GetNumberValue()),
		Labels:       textsOf(given.GetFields()["labels"].GetStructValue()),
		CommandLines: &backend.Texts{},
		spec:         xr["spec"].GetStructValue(),
		legacy:       xr["kind"].GetStringValue() == v1alpha1.CompositeKind,
	}
	var errs field.ErrorList
	g.Annotations, errs = annotationsOf(given)
	if g.spec == nil && !tree.IsNull(xr["spec"]) {
		return g, append(errs, field.TypeInvalid(field.NewPath("spec"), field.OmitValueType{}, "must be an object"))
	}
	if g.legacy {
		errs = append(errs, g.nameAfterClaim()...)
	}
	g.Form = formOf(xr["apiVersion"].GetStringValue(), g.spec)
	if g.Form == Components {
		errs = append(errs, g.decodeComponents(note)...)
	} else {
		errs = append(errs, g.decodeServices(note)...)
	}
	if _, kept := g.Annotations[conversion.AnnotationSpec]; kept {
		g.readKept(req.GetObserved().GetComposite().GetResource().AsMap())
	}
	return g, errs
}

// decoding exempts fields that the Go types require and that may be absent: the name of the main container is fixed, the main container is
// not an entry of containers, and the API server sets the node count. For fields of older versions of the API, it names their replacements.
func (g *Graph) decoding(note func(*field.Error, strict.Unknown)) strict.Options {
	return strict.Options{
		Ignored:  g.machinery(),
		Optional: []string{"extraPodSpec.mainContainer.name", "extraPodSpec.containers", "multinode.nodeCount"},
		Hints: slices.Concat(
			listed(v1alpha1.DynamoGraphDeploymentSpec{}, "services", "describe each of them in services by its name, with componentType"),
			listed(v1beta1.DynamoGraphDeploymentSpec{}, "components", "describe each of them in components, with type"),
			[]strict.Hint{
				{Parent: v1alpha1.Service{}, Name: "pvc", Remedy: "declare the claim in spec.pvcs and mount it through volumeMounts of the service"},
				{Parent: v1alpha1.DynamoGraphDeploymentSpec{}, Name: "components", Remedy: "a graph has either services (v1alpha1) or components (v1beta1); remove one of the two"},
				{Parent: v1alpha1.ResourceList{}, Name: "nvidia.com/gpu", Remedy: "use gpu instead"},
				{Parent: v1alpha1.DynamoGraphDeploymentSpec{}, Name: "runtime", Remedy: "set the image in extraPodSpec.mainContainer of each of the services"},
				{Parent: v1alpha1.Service{}, Name: "podSpec", To: "extraPodSpec", Remedy: "use extraPodSpec instead, with the main container in mainContainer"},
				{Parent: corev1.PodSpec{}, Name: "mainContainer", To: "containers", Remedy: `write it as an item with name main in "containers" instead`},
			},
			movedFields(),
		),
		Elsewhere: placeOf,
		Refused:   reasonOf,
		Note:      note,
	}
}

// listed are fields in which people write the components of a graph, which belong in one list or map.
func listed(spec any, in, remedy string) []strict.Hint {
	var all []strict.Hint
	for _, name := range []string{"decode", "engines", "frontend", "frontends", "planner", "prefill", "router", "worker", "workers"} {
		all = append(all, strict.Hint{Parent: spec, Name: name, To: in, Remedy: remedy})
	}
	return all
}

// nameAfterClaim gives the graph of a cluster-scoped composite resource the name of its claim.
func (g *Graph) nameAfterClaim() field.ErrorList {
	claim := g.spec.GetFields()["claimRef"].GetStructValue()
	name := stringAt(claim, "name")
	g.Namespace = stringAt(claim, "namespace")
	if name != "" && g.Namespace != "" {
		g.Name = name
		return nil
	}
	return field.ErrorList{field.Required(field.NewPath("spec", "claimRef"),
		fmt.Sprintf("a cluster-scoped %s gets its name and namespace from its claim; create a %s claim in a namespace instead", v1alpha1.CompositeKind, v1alpha1.Kind))}
}

// machinery are the fields at the root of spec that Crossplane manages: spec.crossplane of a modern composite resource, all others with
// scope LegacyCluster. Without the XRD, render writes spec.crossplane for both.
func (g *Graph) machinery() []string {
	if !g.legacy {
		return []string{"crossplane"}
	}
	return []string{
		"crossplane", "claimRef", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector", "compositionSelector",
		"compositionUpdatePolicy", "publishConnectionDetailsTo", "resourceRefs", "writeConnectionSecretToRef",
	}
}

func stringAt(object *structpb.Struct, key string) string {
	return object.GetFields()[key].GetStringValue()
}

// textsOf an object are its fields that are texts.
func textsOf(object *structpb.Struct) map[string]string {
	var texts map[string]string
	for key, value := range object.GetFields() {
		if text, ok := value.GetKind().(*structpb.Value_StringValue); ok {
			if texts == nil {
				texts = map[string]string{}
			}
			texts[key] = text.StringValue
		}
	}
	return texts
}

// annotationsOf the composite resource. The API server only accepts strings. Offline, a value such as an unquoted false would otherwise be
// ignored.
func annotationsOf(object *structpb.Struct) (map[string]string, field.ErrorList) {
	path := field.NewPath("metadata", "annotations")
	given := object.GetFields()["annotations"]
	if given.GetStructValue() == nil && !tree.IsNull(given) {
		return nil, field.ErrorList{field.TypeInvalid(path, field.OmitValueType{}, "must be an object")}
	}
	values := given.GetStructValue().GetFields()
	if len(values) == 0 {
		return nil, nil
	}
	var errs field.ErrorList
	annotations := make(map[string]string, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		switch value := values[key].GetKind().(type) {
		case nil, *structpb.Value_NullValue:
		case *structpb.Value_StringValue:
			annotations[key] = value.StringValue
		default:
			errs = append(errs, field.TypeInvalid(path.Key(key), field.OmitValueType{}, "must be a string; put the value in quotes"))
		}
	}
	return annotations, errs
}
