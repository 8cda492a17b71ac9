package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/inventory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/limit"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// size of what is composed, by what it is made of. It is never more than what comes out in the end, so that no graph is
// refused that fits: of the objects it counts those that grow with the graph, and encodes one replica of each.
type size struct {
	// given is what other steps have put into the response before.
	given int64

	services []serviceSize

	// lookups is what the same response takes to ask for the objects that are not there yet.
	lookups int64
}

// serviceSize is the size of what runs one service.
type serviceSize struct {
	name string

	// objects for each of which each is the size.
	objects int32
	each    int64

	// replica says that each replica is an object of its own.
	replica bool
}

func (s serviceSize) total() int64 { return int64(s.objects) * s.each }

func (s *size) total() int64 {
	total := s.given
	for _, service := range s.services {
		total += service.total()
	}
	return total
}

// roughPod is about what the chain adds to the pod of a service, in bytes: default probes, variables, the script of an
// engine. roughNode is what a node adds, whose name the leader may have to know.
const (
	roughPod  = 8 << 10
	roughNode = 128
)

// sizeOf what a plan composes. A graph that is far from the limit, as nearly all are, is not measured: to build and encode
// pods is most of the work of a step.
func (d *decider) sizeOf(p *graphplan.Plan) (*size, error) {
	s := &size{given: int64(proto.Size(d.req.GetDesired()))}
	for key, value := range d.req.GetContext().GetFields() {
		if key != graphplan.ContextKey {
			s.given += int64(len(key) + proto.Size(value))
		}
	}
	if s.given+d.roughSize(p) < limit.Response/2 {
		return s, nil
	}
	var err error
	s.services, err = d.measure(p)
	return s, err
}

// measure what runs each service.
func (d *decider) measure(p *graphplan.Plan) ([]serviceSize, error) {
	var all []serviceSize
	m := measure{graph: d.buildable, plan: p, pods: pod.Builder{Graph: d.buildable, Plan: p}}
	for _, name := range d.buildable.ServiceNames() {
		service := d.buildable.Spec.Services[name]
		measured, err := m.service(name, &service)
		if err != nil {
			return nil, err
		}
		all = append(all, measured)
	}
	return all, nil
}

// roughSize of what a plan composes: what the user wrote for each service, once for each of its pod templates.
func (d *decider) roughSize(p *graphplan.Plan) int64 {
	spec := tree.At(d.req.GetObserved().GetComposite().GetResource(), "spec").GetFields()
	var common int64 = roughPod
	for _, key := range []string{"annotations", "envs", "labels"} {
		common += int64(proto.Size(spec[key]))
	}
	services := spec["services"].GetStructValue().GetFields()
	var total int64
	for name, service := range d.buildable.Spec.Services {
		each := common + int64(proto.Size(services[name]))
		if pod.IsMultinode(&service) {
			each = 2*each + roughNode*int64(pod.NodeCount(&service))
		}
		if replicaIsObject(p, pod.IsMultinode(&service)) {
			each *= int64(pod.Replicas(&service))
		}
		total += each
	}
	return total
}

// replicaIsObject reports whether each replica of a service is an object of its own.
func replicaIsObject(p *graphplan.Plan, multinode bool) bool {
	return p.Orchestrator == graphplan.LeaderWorkerSet && multinode
}

// addDomains of the replicas, where each has one of its own.
func (s *size) addDomains(g *graph.Graph, p *graphplan.Plan) {
	if p.MNNVL.Scope != graphplan.ScopeReplica {
		return
	}
	for i := range s.services {
		service := &s.services[i]
		if _, member := p.MNNVL.Members[service.name]; member && service.replica {
			service.each += domainSize + domainNames*int64(len(g.Names().Replica(service.name, 0)))
		}
	}
}

// A domain of a replica is a ComputeDomain, the Usage that protects it, and a claim in each template, all of which hold the
// name of the replica.
const (
	domainSize  = 1400
	domainNames = 10
)

func (s *size) fits() bool { return s.total() <= limit.Response }

// refuse what does not fit.
func (s *size) refuse() field.ErrorList {
	total := s.total() + s.lookups
	if total <= limit.Response {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "services"), field.OmitValueType{}, fmt.Sprintf(
		"the objects of the graph take %s, and Crossplane receives at most %s from a function: %s; %s",
		limit.Format(total), limit.ResponseText, s.largest(), s.remedy()))}
}

// warnAbove is the part of the limit from which on there is a warning, in percent.
const warnAbove = 75

// warn of what fits and may soon not.
func (s *size) warn() []string {
	if total := s.total(); total*100 <= limit.Response*warnAbove || total > limit.Response {
		return nil
	}
	return []string{fmt.Sprintf("spec.services: the objects of the graph take %s of the %s that Crossplane receives from a function: %s; before the graph grows, %s",
		limit.Format(s.total()), limit.ResponseText, s.largest(), s.remedy())}
}

// shownServices is how many services are named, the largest first.
const shownServices = 3

func (s *size) largest() string {
	services := slices.Clone(s.services)
	slices.SortStableFunc(services, func(a, b serviceSize) int { return cmp.Compare(b.total(), a.total()) })
	var parts []string
	for _, service := range services[:min(len(services), shownServices)] {
		if service.replica {
			parts = append(parts, fmt.Sprintf("%s %s (%d replicas of %s)", service.name, limit.Format(service.total()), service.objects, limit.Format(service.each)))
			continue
		}
		parts = append(parts, service.name+" "+limit.Format(service.total()))
	}
	if more := len(services) - shownServices; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if s.given > 0 {
		parts = append(parts, "other steps "+limit.Format(s.given))
	}
	if s.lookups > 0 {
		parts = append(parts, "looking up their names "+limit.Format(s.lookups))
	}
	return strings.Join(parts, ", ")
}

func (s *size) remedy() string {
	if slices.ContainsFunc(s.services, func(service serviceSize) bool { return service.replica }) {
		return "use fewer replicas, shorter args and envs, several graphs, or Grove, where replicas are a number and no objects"
	}
	return "use shorter args and envs (pods can mount long ones from a ConfigMap), or several graphs"
}

// checkSize refuses a graph that does not fit, before anything is done for each of its replicas.
func (d *decider) checkSize(out *decision, p *graphplan.Plan) {
	if p.Orchestrator == "" {
		return
	}
	s, err := d.sizeOf(p)
	if err != nil {
		out.errs = append(out.errs, field.InternalError(field.NewPath("spec", "services"), err))
		return
	}
	out.size = *s
	out.errs = append(out.errs, out.size.refuse()...)
}

// checkDomains looks at the size again when all is decided.
func (d *decider) checkDomains(out *decision, p *graphplan.Plan) {
	if !out.size.fits() {
		return
	}
	out.size.addDomains(d.graph, p)
	out.errs = append(out.errs, out.size.refuse()...)
	out.warnings = append(out.warnings, out.size.warn()...)
}

// lookupSize is what a requirement takes beside the texts in it.
const lookupSize = 24

// checkLookups counts what it takes to ask for objects where one response holds that and all that is composed.
func (d *decider) checkLookups(out *decision, missing []inventory.Object) field.ErrorList {
	if !d.fused || len(out.errs) > 0 {
		return nil
	}
	for _, o := range missing {
		out.size.lookups += int64(lookupSize + len(o.Requirement()) + len(o.APIVersion) + len(o.Kind) + len(o.Name) + len(d.graph.Namespace))
	}
	return out.size.refuse()
}
