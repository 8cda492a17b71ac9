// Package budget checks that a graph fits: into what is decoded at all, and into what Crossplane receives from a function.
package budget

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Size of the composed objects, by their kind. It is never more than the actual size, so that no graph is refused that fits. It counts the
// objects whose number grows with the graph, and encodes one replica of each.
type Size struct {
	// given is what other steps have added to the response before.
	given int64

	components []componentSize

	// lookups is the size of the requirements, in the same response, for objects that do not exist yet.
	lookups int64
}

// componentSize is the size of the objects that run one component.
type componentSize struct {
	name string

	// objects is how many objects there are, each of which has size each.
	objects int32
	each    int64

	// replica says that each replica is a separate object.
	replica bool

	// adapter is the name of the scaling adapter that determines the number of replicas. Empty if the graph does.
	adapter string
}

func (s componentSize) total() int64 { return int64(s.objects) * s.each }

// scaledBy names the scaling adapter of the component, for which a smaller number in the graph is no remedy.
func (s componentSize) scaledBy() string {
	if s.adapter == "" {
		return ""
	}
	return ", as scaling adapter " + s.adapter + " asks for"
}

// Total size of the composed objects, in bytes.
func (s *Size) Total() int64 {
	total := s.given
	for _, component := range s.components {
		total += component.total()
	}
	return total
}

// roughPod is approximately what the chain adds to the pod of a component, in bytes: default probes, variables, the script of an engine.
// roughNode is what each node adds, because the leader may have to know its name.
const (
	roughPod  = 8 << 10
	roughNode = 128
)

// Given is the size of what other steps have added to the response before, in bytes.
func Given(req *fnv1.RunFunctionRequest) int64 {
	given := int64(proto.Size(req.GetDesired()))
	for key, value := range req.GetContext().GetFields() {
		if key != graphplan.ContextKey {
			given += int64(len(key) + proto.Size(value))
		}
	}
	return given
}

// Of the objects of a plan, and of what is given. A graph that is far from the limit, as nearly all are, is not measured, because encoding
// pods is most of the work of a step.
func Of(f *subject.Facts, p *graphplan.Plan, built pod.Pods, given int64) (Size, error) {
	if given+roughSize(f, p) < response.MaxSize/2 {
		return Size{given: given}, nil
	}
	s, err := Measure(f, p, built)
	s.given = given
	return s, err
}

// Measure encodes the objects that run each component.
func Measure(f *subject.Facts, p *graphplan.Plan, built pod.Pods) (Size, error) {
	var s Size
	m := measure{graph: f.Buildable, plan: p, pods: built, gangs: gang.Builder{Graph: f.Buildable, Plan: p}}
	for _, component := range f.Buildable.ComponentsByName() {
		measured, err := m.component(component)
		if err != nil {
			return Size{}, err
		}
		s.components = append(s.components, measured)
	}
	return s, nil
}

// roughSize of the objects of a plan: what the user wrote for each component, once for each of its pod templates.
func roughSize(f *subject.Facts, p *graphplan.Plan) int64 {
	spec := tree.At(f.Observed.Composite(), "spec").GetFields()
	var common int64 = roughPod
	for _, key := range []string{"annotations", "env", "envs", "labels"} {
		common += int64(proto.Size(spec[key]))
	}
	var total int64
	for name, component := range f.Buildable.Components {
		each := common + int64(proto.Size(f.Graph.Raw(name)))
		if f.Buildable.Component(name).RunsWeightServers() {
			each *= 2 * int64(component.Nodes())
		} else if component.IsMultinode() {
			each = 2*each + roughNode*int64(component.Nodes())
		}
		if replicaIsObject(f.Buildable, p, name) {
			each *= int64(component.Replicas())
		}
		total += each
	}
	return total
}

// replicaIsObject reports whether each replica of a component is a separate object.
func replicaIsObject(g *graph.Graph, p *graphplan.Plan, name string) bool {
	component := g.Component(name)
	return p.Orchestrator == graphplan.LeaderWorkerSet && component.IsMultinode() && !g.Names().InOneSet(name)
}

// WithDomains is the size with the domains of the replicas, if each replica has its own.
func (s *Size) WithDomains(g *graph.Graph, p *graphplan.Plan) Size {
	with := Size{given: s.given, components: slices.Clone(s.components), lookups: s.lookups}
	if p.MNNVL.Scope != graphplan.ScopeReplica {
		return with
	}
	for i := range with.components {
		component := &with.components[i]
		if _, member := p.MNNVL.Members[component.name]; member && component.replica {
			component.each += domainSize + domainNames*int64(len(g.Names().Replica(component.name, 0)))
		}
	}
	return with
}

// A domain of a replica consists of a ComputeDomain, the Usage that protects it, and a claim in each template. All of them contain the name
// of the replica.
const (
	domainSize  = 1400
	domainNames = 10
)

// Fits reports whether the composed objects fit into a response.
func (s *Size) Fits() bool { return s.Total() <= response.MaxSize }

// Refuse a graph that does not fit, together with its requirements.
func (s *Size) Refuse() message.List {
	total := s.Total() + s.lookups
	if total <= response.MaxSize {
		return nil
	}
	return message.List{message.Invalid(graph.ComponentsPath(), field.OmitValueType{}, "the objects of the graph take up %s, but Crossplane accepts at most %s from a function: %s; %s", response.FormatSize(total), response.MaxSizeText, s.largest(), s.remedy())}
}

// warnAbove is the percentage of the limit above which there is a warning.
const warnAbove = 75

// Warn about a graph that fits but is close to the limit.
func (s *Size) Warn() message.List {
	if total := s.Total(); total*100 <= response.MaxSize*warnAbove || total > response.MaxSize {
		return nil
	}
	return message.List{message.About(graph.ComponentsPath(), "the objects of the graph take up %s of the %s that Crossplane accepts from a function: %s; before the graph grows, %s", response.FormatSize(s.Total()), response.MaxSizeText, s.largest(), s.remedy())}
}

// shownComponents is how many components are named, the largest first.
const shownComponents = 3

func (s *Size) largest() message.Text {
	components := slices.Clone(s.components)
	slices.SortStableFunc(components, func(a, b componentSize) int { return cmp.Compare(b.total(), a.total()) })
	var parts []message.Text
	for _, component := range components[:min(len(components), shownComponents)] {
		if component.replica {
			parts = append(parts, message.Format("%s %s (%d replicas of %s%s)",
				component.name, response.FormatSize(component.total()), component.objects, response.FormatSize(component.each), component.scaledBy()))
			continue
		}
		parts = append(parts, message.Format("%s %s", component.name, response.FormatSize(component.total())))
	}
	if more := len(components) - shownComponents; more > 0 {
		parts = append(parts, message.Format("%d more {{components}}", more))
	}
	if s.given > 0 {
		parts = append(parts, message.Format("%s from other steps", response.FormatSize(s.given)))
	}
	if s.lookups > 0 {
		parts = append(parts, message.Format("%s for name lookups", response.FormatSize(s.lookups)))
	}
	return message.Join(parts, ", ")
}

func (s *Size) remedy() message.Text {
	if slices.ContainsFunc(s.components, func(component componentSize) bool { return component.replica }) {
		return message.Format("use fewer replicas, shorter args and {{env}}, several graphs, or Grove, where replicas are a number instead of objects")
	}
	return message.Format("use shorter args and {{env}} (pods can mount long values from a ConfigMap), or several graphs")
}

// lookupSize is the size of a requirement without its texts.
const lookupSize = 24

// WithLookups is the size with the requirements for objects that do not exist yet, if the same response contains them and all composed
// objects.
func (s *Size) WithLookups(missing []inventory.Object, namespace string) Size {
	with := Size{given: s.given, components: s.components, lookups: s.lookups}
	for _, o := range missing {
		with.lookups += int64(lookupSize + len(o.Requirement()) + len(o.APIVersion) + len(o.Kind) + len(o.Name) + len(namespace))
	}
	return with
}
