package plan

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/release"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/mnnvl"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/ownership"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/pods"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/scheduling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/served"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/services"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/topology"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

// decision is the plan of a graph, and what its user is told, which may be everything that stands against it.
type decision struct {
	subject.Outcome

	plan      *graphplan.Plan
	selection selection
	queue     scheduling.Queue
	topology  topology.Topology
	size      budget.Size
}

// carrier is what is known of the response that holds the plan.
type carrier struct {
	// given is what it holds already, in bytes.
	given int64

	// fused says that the steps after this one add to the same response.
	fused bool
}

// decide everything about a graph at once, so that its user sees all that is wrong with it at once. decoding are the errors
// met when the graph was read.
func decide(f *subject.Facts, rsp carrier, decoding field.ErrorList) *decision {
	d := &decision{selection: selectOrchestrator(f)}
	d.plan = draft(f, d.selection.orchestrator)

	d.Add(checkSpec(f, d.selection))
	d.decideServices(f)

	// Pods are built by what is decided so far: the services, and who schedules them.
	d.decideWorkloads(f)
	d.Add(pods.CheckGenerated(f, d.plan))
	d.checkSize(f, rsp.given)

	// After all that is checked without looking at each replica: there is no bound to the replicas of a graph that is refused.
	// Before multi-node NVLink: what cannot change does not keep a restart from being decided.
	if len(decoding) == 0 && len(d.Errors) == 0 {
		d.decideRestart(f)
	}

	d.Add(immutable.Check(f))
	d.Add(subject.Outcome{Changes: topology.Unchanged(f, d.topology)})
	d.decideMNNVL(f)

	// After multi-node NVLink, which adds objects for each replica.
	d.checkSizeWithDomains(f)

	// What is said of a field that could not even be decoded is left out, before it counts as a mistake.
	d.Errors = append(withoutPaths(d.Errors, decoding), decoding...)
	d.Changes = withoutPaths(d.Changes, decoding)

	// Last, when all objects are known, and when it is known whether the graph is refused, which bounds what is looked up.
	d.Add(checkNames(f, d, rsp.fused))

	d.Warnings = append(d.Warnings, warnings(f, d)...)
	slices.Sort(d.Warnings)
	d.Warnings = slices.Compact(d.Warnings)
	return d
}

// draft is a plan of what needs no decision.
func draft(f *subject.Facts, orchestrator graphplan.Orchestrator) *graphplan.Plan {
	return &graphplan.Plan{
		Version:          graphplan.Version,
		Release:          release.Current(),
		Orchestrator:     orchestrator,
		Infrastructure:   graphplan.Infrastructure(f.Input.Infrastructure),
		IngressDefaults:  input.IngressDefaults(f.Input),
		ImagePullSecrets: input.PullSecrets(f.Input),
		TotalGPUs:        services.TotalGPUs(f.Graph),
	}
}

// checkSpec holds the graph to the rules, some of which depend on what runs it.
func checkSpec(f *subject.Facts, s selection) subject.Outcome {
	errs := validate.Spec(f.Graph, validate.Options{
		Grove: s.orchestrator == graphplan.Grove,
		LWS:   s.orchestrator == graphplan.LeaderWorkerSet,
		KAI:   f.UsesKAI(),

		VirtualServiceGateway: f.Input.Ingress.VirtualServiceGateway != "",
		HostSuffix:            f.Input.Ingress.HostSuffix,
	})
	errs = append(errs, topology.CheckProfile(f.Graph)...)
	if s.orchestrator != graphplan.Grove {
		errs = append(errs, validate.Strategies(f.Graph)...)
	}
	return subject.Outcome{Errors: errs}
}

// decideServices decides about each service, and what is around their pods.
func (d *decision) decideServices(f *subject.Facts) {
	p := d.plan
	decided, outcome := services.Decide(f)
	d.Add(outcome)
	hosts, outcome := services.LiveHosts(f, p.IngressDefaults)
	d.Add(outcome)
	adapters, outcome := served.ScalingAdapters(f)
	d.Add(outcome)
	for name, service := range decided {
		service.Host = hosts[name]
		service.ScalingAdapter = slices.Contains(adapters, name)
		decided[name] = service
	}
	p.Services = decided

	p.ComposedPVCs, outcome = ownership.PVCs(f)
	d.Add(outcome)
	p.Serves, outcome = served.Decide(f, p.IngressDefaults)
	d.Add(outcome)
}

// decideWorkloads decides how the orchestrator runs the graph. Nothing can be looked up of one that is not served any more.
func (d *decision) decideWorkloads(f *subject.Facts) {
	if d.selection.missing != "" {
		return
	}
	p := d.plan
	var outcome subject.Outcome
	switch p.Orchestrator {
	case graphplan.Grove:
		p.Grove = &graphplan.GrovePlan{TerminationDelay: f.Input.Grove.TerminationDelay.Duration.String()}
		if f.UsesKAI() {
			d.queue, outcome = scheduling.OnGrove(f)
			d.Add(outcome)
			p.Grove.SchedulerName, p.Grove.Queue = graphplan.KAIScheduler, d.queue.Name
		}
		d.topology, outcome = topology.OnGrove(f)
		d.Add(outcome)
		p.Children = findChildren(f)
	case graphplan.LeaderWorkerSet:
		p.LWS.Gang, d.queue, outcome = scheduling.Gang(f)
		d.Add(outcome)
		d.topology, outcome = topology.OnLeaderWorkerSets(f, p.LWS.Gang)
		d.Add(outcome)
	case graphplan.Deployment:
		// Nothing is packed by the levels that the graph names, and whether they are there is told all the same.
		d.topology, outcome = topology.Elsewhere(f)
		d.Add(outcome)
	}
	p.Topology = d.topology.Plan
}

// checkSize refuses a graph that does not fit, before anything is done for each of its replicas.
func (d *decision) checkSize(f *subject.Facts, given int64) {
	if d.plan.Orchestrator == "" {
		return
	}
	size, err := budget.Of(f, d.plan, given)
	if err != nil {
		d.Errors = append(d.Errors, field.InternalError(field.NewPath("spec", "services"), err))
		return
	}
	d.size = size
	d.Errors = append(d.Errors, size.Refuse()...)
}

// decideRestart decides how far a restart goes, and what the pods need, which are built as the restart has them.
func (d *decision) decideRestart(f *subject.Facts) {
	d.plan.Restart = restart.Decide(f, d.plan)
	needs, outcome := pods.Inspect(f, d.plan)
	d.Add(outcome)
	d.plan.WaitForLeader, d.plan.SSHSecret = needs.WaitForLeader, needs.SSHSecret
}

// decideMNNVL decides about multi-node NVLink. It needs an orchestrator, which may be none, that is served.
func (d *decision) decideMNNVL(f *subject.Facts) {
	d.Add(mnnvl.Check(f))
	if d.selection.missing != "" {
		return
	}
	decided, outcome := mnnvl.Decide(f, d.plan)
	d.Add(outcome)
	d.plan.MNNVL = decided.MNNVL
	if grove := d.plan.Grove; grove != nil {
		grove.AutoMNNVL, grove.MNNVLGroup, grove.MNNVLGroups = decided.Annotations.Auto, decided.Annotations.Group, decided.Annotations.Groups
	}
}

// checkSizeWithDomains looks at the size again when all is decided.
func (d *decision) checkSizeWithDomains(f *subject.Facts) {
	if !d.size.Fits() {
		return
	}
	d.size = d.size.WithDomains(f.Graph, d.plan)
	d.Errors = append(d.Errors, d.size.Refuse()...)
	d.Warnings = append(d.Warnings, d.size.Warn()...)
}

// checkNames looks up the objects that are not there yet. A fused function asks for them in the response that holds all that is
// composed, so they have to fit.
func checkNames(f *subject.Facts, d *decision, fused bool) subject.Outcome {
	lookup := ownership.LookupOf(f, d.plan, len(d.Errors) > 0)
	if fused && len(d.Errors) == 0 {
		size := d.size.WithLookups(lookup.Missing, f.Graph.Namespace)
		if errs := size.Refuse(); len(errs) > 0 {
			return subject.Outcome{Taken: errs}
		}
	}
	return ownership.Names(lookup)
}

// warnings name what a graph that may well run asks for in vain.
func warnings(f *subject.Facts, d *decision) []string {
	all := slices.Concat(
		topology.Warnings(f, d.topology, d.plan),
		scheduling.ModeWarnings(f),
		services.ChoiceWarnings(f, d.plan.Services),
		services.ExposureWarnings(f.Graph, d.plan.IngressDefaults),
		validate.PlannerWarnings(f.Graph, d.plan.Orchestrator),
		validate.Warnings(f.Graph),
	)
	if d.plan.Orchestrator == graphplan.Grove {
		return append(all, validate.GroveWarnings(f.Graph)...)
	}
	if !d.selection.refused {
		all = append(all, validate.OffGroveWarnings(f.Graph, d.plan.Orchestrator)...)
	}
	return append(all, validate.StrategyWarnings(f.Graph)...)
}

// withoutPaths leaves out what is said of a field that could not even be decoded.
func withoutPaths(errs, decoding field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return slices.ContainsFunc(decoding, func(d *field.Error) bool {
			below, ok := strings.CutPrefix(e.Field, d.Field)
			return ok && (below == "" || strings.HasPrefix(below, ".") || strings.HasPrefix(below, "["))
		})
	})
}
