package plan

import (
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/checkpoints"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/components"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/generations"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/guardrails"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/mnnvl"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/ownership"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/pods"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/releases"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/scheduling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/served"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/topology"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// decision is the plan of a graph, together with everything that is reported to its user. Each phase adds to it, and only reads the facts.
type decision struct {
	subject.Outcome

	plan      *graphplan.Plan
	pods      pod.Pods
	selection selection
	queue     scheduling.Queue
	topology  topology.Decision
	size      budget.Size

	// unobserved objects of the graph, which are lost or adopted. The steps after this one treat them as observed.
	unobserved lost.Objects

	// decoding are the errors from reading the graph.
	decoding message.List

	// given is the size of the response before this step adds anything, in bytes. fused says that the steps after this one run in the same
	// process and add to the response.
	given int64
	fused bool

	// words of the form in which the graph is written.
	words message.Words

	// formats of the hashes of what the user has written.
	formats written.Formats
}

// add the outcome of a subject. What it says is about a rule, unless it already is about another one.
func (d *decision) add(code rule.Code, outcome subject.Outcome) {
	outcome.Mark(code)
	d.Add(outcome)
}

// decide how the graph runs: its orchestrator, then its components, then how the orchestrator runs them.
func (d *decision) decide(f *subject.Facts) {
	selection, outcome := selectOrchestrator(f)
	d.selection = selection
	d.Add(outcome)
	d.plan = draft(f, d.selection.orchestrator)
	d.decideComponents(f)
	d.decideWorkloads(f)
}

// check whether the graph may run like that. Pods are built for this, and their number is limited before there are any loops over replicas.
func (d *decision) check(f *subject.Facts) {
	d.add(rule.Schema, checkSpec(f, d.selection))
	path, queue, live := d.queue.Named()
	d.add(rule.GuardRails, guardrails.Check(f, d.plan, guardrails.Queue{Path: path, Name: queue, Live: live}))
	d.pods = pods.Of(f, d.plan)
	d.add(rule.Containers, pods.CheckGenerated(f, d.pods))
	d.add(rule.Claims, ownership.Mounts(f))
	d.checkSize(f)
}

// change what a live graph may change. The number of replicas, by which a restart is decided, is only valid if there are no errors so far.
func (d *decision) change(f *subject.Facts) {
	if !d.mistaken() {
		d.decideRestart(f)
	}
	d.checkImmutable(f)
	d.decideMNNVL(f)
	// Multi-node NVLink may have added objects for each replica.
	d.checkSizeWithDomains(f)
}

// mistaken reports whether the graph contains a mistake. Its numbers may be wrong then.
func (d *decision) mistaken() bool { return len(d.decoding) > 0 || d.Has(subject.Mistake) }

// settle what is reported, when everything is decided: each cause once, and without messages that follow from a field that could not be decoded.
// Such a field has its zero value, and errors about that value are not errors of the user.
func (d *decision) settle(g *graph.Graph) {
	d.sayOnce()
	d.Warnings = slices.DeleteFunc(d.Warnings.Sorted(g), func(m *message.Message) bool {
		return m.Lack && slices.ContainsFunc(d.decoding, func(e *message.Message) bool { return componentIn(e.Field) == componentIn(m.FieldIn(g)) })
	})
	d.Refusals = slices.DeleteFunc(d.Refusals, func(r subject.Refusal) bool {
		written := &message.Message{Problem: r.Problem, Field: r.FieldIn(g)}
		switch r.Kind {
		case subject.Mistake:
			return written.IsWithin(d.decoding) || written.IsConsequence(d.decoding)
		case subject.ImmutableChange:
			return written.IsWithin(d.decoding)
		default:
			return false
		}
	})
	d.Refuse(subject.Mistake, d.decoding...)
}

// checkImmutable refuses changes of what cannot change.
func (d *decision) checkImmutable(f *subject.Facts) {
	d.add(rule.Immutable, immutable.Check(f))
	d.add(rule.Immutable, immutable.UnderKueue(f, d.plan))
	d.add(rule.Immutable, subject.Refused(subject.ImmutableChange, topology.Unchanged(f, d.topology)...))
}

// draft is a plan with everything that needs no decision.
func draft(f *subject.Facts, orchestrator graphplan.Orchestrator) *graphplan.Plan {
	p := &graphplan.Plan{
		Version:          graphplan.Version,
		Release:          compatibility.Build(),
		Orchestrator:     orchestrator,
		Infrastructure:   graphplan.Infrastructure(f.Input.Infrastructure),
		IngressDefaults:  input.IngressDefaults(f.Input),
		ImagePullSecrets: input.PullSecrets(f.Input),
		DefaultResources: input.DefaultResources(f.Input),
		MinReadySeconds:  f.Input.Deployments.MinReadySeconds,

		PodSecurityContext: input.PodSecurityContext(f.Input),
		TotalGPUs:          components.TotalGPUs(f),
		Claims:             f.Claims,
	}
	if adopted := f.Graph.AdoptedNames; !adopted.IsZero() {
		p.AdoptedNames = &adopted
	}
	return p
}

// checkSpec checks the graph against the rules. Some of them depend on the orchestrator.
func checkSpec(f *subject.Facts, s selection) subject.Outcome {
	var admitted map[string]bool
	if set := f.Observed.PodCliqueSet; set != nil {
		admitted = observed.ComponentsOf(set)
	}
	errs := validate.Spec(f.Graph, validate.Options{
		Grove:     s.orchestrator == graphplan.Grove,
		LWS:       s.orchestrator == graphplan.LeaderWorkerSet,
		Admitted:  admitted,
		Live:      f.Live(),
		Scheduler: f.GroveScheduler(),

		VirtualServiceGateway: f.Input.Ingress.VirtualServiceGateway != "",
		HostSuffix:            f.Input.Ingress.HostSuffix,
	})
	errs = append(errs, topology.CheckProfile(f.Graph).Mark(rule.Topology)...)
	if s.orchestrator != graphplan.Grove {
		errs = append(errs, validate.Strategies(f.Graph).Mark(rule.Strategy)...)
	}
	if s.orchestrator != graphplan.Grove && !s.refused && !f.Live() {
		errs = append(errs, validate.OffGrove(f.Graph, s.orchestrator).Mark(rule.OffGrove)...)
	}
	return subject.Refused(subject.Mistake, scaling.NameAdapters(f.Graph, errs)...)
}

// decideComponents decides about each component, and about the objects that its pods need.
func (d *decision) decideComponents(f *subject.Facts) {
	p := d.plan
	versions, outcome := releases.Decide(f)
	d.add(rule.RuntimeVersion, outcome)
	// How an engine spans nodes depends on the release in its image.
	decided, outcome := components.Decide(f, versions)
	d.add(rule.Choices, outcome)
	adapters, outcome := served.ScalingAdapters(f)
	d.add(rule.NotServed, outcome)
	restored, outcome := checkpoints.Decide(f)
	d.add(rule.Checkpoints, outcome)
	sidecars := releases.Sidecars(f, versions)
	for name, component := range decided {
		component.SidecarVersion = sidecars[name]
		component.Checkpoint = restored[name]
		component.WeightServers = f.Graph.Component(name).RunsWeightServers()
		component.RuntimeContainer = f.Graph.Component(name).HasRuntimeContainer()
		component.ScalingAdapter = slices.Contains(adapters, name)
		if replicas, scaled := f.Graph.Scaled[name]; scaled {
			component.Replicas = &replicas
		}
		decided[name] = component
	}
	p.Components = decided
	d.add(rule.Exposure, components.Reach(f, p))
	p.PoolByClass = components.PoolByClass(f, decided)
	if len(restored) > 0 {
		p.Restore = input.Restore(f.Input)
	}

	claims, outcome := ownership.PVCs(f)
	d.add(rule.Claims, outcome)
	p.ComposedPVCs = claims.Composed
	maps.Copy(d.unobserved, claims.Adopted)
	p.Serves, outcome = served.Decide(f, p.IngressDefaults)
	p.EndpointPickerTLS = input.EndpointPickerTLS(f.Input, f.Graph)
	d.add(rule.NotServed, outcome)
}

// terminationDelay of gangs on Grove, if the platform does not say it.
const terminationDelay = 15 * time.Minute

// decideWorkloads decides how the orchestrator runs the graph. Nothing can be looked up while its API is not served.
func (d *decision) decideWorkloads(f *subject.Facts) {
	if d.selection.missing != "" {
		return
	}
	p := d.plan
	kueue, outcome := scheduling.Kueue(f, p.Orchestrator)
	d.add(rule.Queues, outcome)
	p.KueueQueue, p.KueuePriority = kueue.Name, scheduling.KueuePriority(f)
	quota, outcome := scheduling.Quota(f)
	d.add(rule.Queues, outcome)
	for name, reason := range quota {
		component := p.Components[name]
		component.Quota = reason
		p.Components[name] = component
	}
	switch p.Orchestrator {
	case graphplan.Grove:
		delay := ptr.Deref(f.Input.Grove.TerminationDelay, metav1.Duration{Duration: terminationDelay})
		p.Grove = &graphplan.GrovePlan{TerminationDelay: delay.Duration.String()}
		p.Grove.SchedulerName, d.queue, outcome = scheduling.OnGrove(f)
		p.Grove.Queue = d.queue.Written()
		d.add(rule.Queues, outcome)
		d.topology, outcome = topology.OnGrove(f, p.Grove.SchedulerName)
		d.add(rule.Topology, outcome)
		d.add(rule.OnGrove, served.UpdateStrategy(f))
		d.add(rule.Overrides, served.RollingUpdates(f))
		p.Children = f.Children
	case graphplan.LeaderWorkerSet:
		p.LWS.Gang, d.queue, outcome = scheduling.Gang(f)
		d.add(rule.Queues, outcome)
		d.topology, outcome = topology.OnLeaderWorkerSets(f, p.LWS.Gang)
		d.add(rule.Topology, outcome)
	case graphplan.Deployment:
		// Deployments are not packed, but the status still reports whether the levels in the graph exist.
		d.topology, outcome = topology.Elsewhere(f)
		d.add(rule.Topology, outcome)
	}
	if kueue.Name != "" {
		// Kueue holds the pods, instead of a queue of their scheduler.
		d.queue = kueue
	}
	for _, c := range f.Graph.ComponentsByName() {
		component := p.Components[c.Name]
		component.Queue = scheduling.QueueOf(f, p, c)
		p.Components[c.Name] = component
	}
	if !d.selection.refused {
		d.add(rule.Devices, scheduling.Shares(f, p))
	}
	p.Topology = d.topology.Plan
	p.TopologyLabels, outcome = topology.TransferLabels(f, p.Orchestrator)
	d.add(rule.Transfer, outcome)
}

// checkSize refuses a graph whose objects do not fit.
func (d *decision) checkSize(f *subject.Facts) {
	if d.plan.Orchestrator == "" {
		return
	}
	size, err := budget.Of(f, d.plan, d.pods, d.given)
	if err != nil {
		d.refuseInternal(err)
		return
	}
	d.size = size
	d.Refuse(subject.Mistake, size.Refuse().Mark(rule.Size)...)
}

// decideRestart decides the progress of a restart. The pods are inspected and hashed in the state after that.
func (d *decision) decideRestart(f *subject.Facts) {
	d.plan.Restart = restart.Decide(f.Graph, f.Observed, d.plan)
	needs, outcome := pods.Inspect(f, d.plan, d.pods)
	d.add(rule.Nodes, outcome)
	d.plan.WaitForLeader, d.plan.SSHSecret = needs.WaitForLeader, needs.SSHSecret
	d.hashWritten(f)
	d.decideEndpoints(f)
	d.add(rule.Checkpoints, checkpoints.Await(f, d.plan))
}

// hashWritten hashes what the user has written for the pods of each component, including the decided restart.
func (d *decision) hashWritten(f *subject.Facts) {
	generation, err := generations.Decide(f, d.plan, d.formats)
	d.plan.WorkerGeneration = generation
	d.refuseInternal(err)
	hashes, err := d.formats.Hash(f.Graph, d.plan)
	d.refuseInternal(err)
	for name, hash := range hashes {
		component := d.plan.Components[name]
		component.Written = hash
		d.plan.Components[name] = component
	}
}

// decideEndpoints decides which pods get requests. That depends on whether pods change.
func (d *decision) decideEndpoints(f *subject.Facts) {
	endpoints, pool := pods.Endpoints(f, d.plan, d.pods)
	d.plan.Pool = pool
	for name, decided := range endpoints {
		component := d.plan.Components[name]
		component.Endpoints = decided
		d.plan.Components[name] = component
	}
}

// refuseInternal refuses the graph because of an error that none of its fields explains, if there is one.
func (d *decision) refuseInternal(err error) {
	if err != nil {
		d.Refuse(subject.Mistake, message.Internal(graph.ComponentsPath(), err))
	}
}

// decideMNNVL decides about multi-node NVLink, except while the API of the orchestrator is not served.
func (d *decision) decideMNNVL(f *subject.Facts) {
	d.add(rule.NVLink, mnnvl.Check(f))
	if d.selection.missing != "" {
		return
	}
	decided, outcome := mnnvl.Decide(f, d.plan, d.pods)
	d.add(rule.NVLink, outcome)
	d.plan.MNNVL = decided.MNNVL
	if grove := d.plan.Grove; grove != nil {
		grove.AutoMNNVL, grove.MNNVLGroup, grove.MNNVLGroups = decided.Annotations.Auto, decided.Annotations.Group, decided.Annotations.Groups
	}
}

// checkSizeWithDomains checks the size again with the ComputeDomains of the replicas.
func (d *decision) checkSizeWithDomains(f *subject.Facts) {
	if !d.size.Fits() {
		return
	}
	d.size = d.size.WithDomains(f.Graph, d.plan)
	d.Refuse(subject.Mistake, d.size.Refuse().Mark(rule.Size)...)
	d.Warnings = append(d.Warnings, d.size.Warn().Mark(rule.Size)...)
}

// claim the names of objects that do not exist yet, which must be free. All of them are known now. A fused function adds these requirements to
// the response with all composed objects, so both have to fit together. Whether the graph is refused limits how many are looked up.
func (d *decision) claim(f *subject.Facts) {
	mistaken := d.mistaken()
	lookup, outcome := ownership.LookupOf(f, d.plan, mistaken)
	d.add(rule.NameTaken, outcome)
	if d.fused && !mistaken {
		size := d.size.WithLookups(lookup.Missing, f.Graph.Namespace)
		if errs := size.Refuse(); len(errs) > 0 {
			d.Refuse(subject.Mistake, errs.Mark(rule.Size)...)
			return
		}
	}
	adopted, outcome := ownership.Names(lookup)
	d.add(rule.NameTaken, outcome)
	maps.Copy(d.unobserved, adopted)
}

// warn about settings that have no effect, also in pod templates of workers.
func (d *decision) warn(f *subject.Facts) {
	d.Warnings = append(d.Warnings, d.warnings(f, d.pods)...)
	if workers := f.OfWorkers(); workers != nil {
		d.Warnings = append(d.Warnings, workers.Graph.InRoles(d.warnings(workers, pods.Of(workers, d.plan)))...)
	}
}

func (d *decision) warnings(f *subject.Facts, built pod.Pods) message.List {
	all := slices.Concat(
		topology.Warnings(f, d.topology, d.plan).Mark(rule.Topology),
		topology.TransferWarnings(f, d.plan).Mark(rule.Transfer),
		scheduling.ModeWarnings(f).Mark(rule.Scheduling),
		components.ChoiceWarnings(f, d.plan.Components).Mark(rule.Choices),
		components.PlaneWarnings(f, d.plan.Components).Mark(rule.Discovery),
		components.NamespaceWarnings(f, d.plan.Components).Mark(rule.Discovery),
		components.FlagWarnings(f, d.plan.Components).Mark(rule.Flags),
		components.VariableWarnings(f, d.plan.Components).Mark(rule.Environment),
		components.RankWarnings(f, d.plan.Orchestrator).Mark(rule.Environment),
		components.ExposureWarnings(f, d.plan.IngressDefaults).Mark(rule.Exposure),
		releases.Warnings(f.Graph, d.plan.Components).Mark(rule.RuntimeVersion),
		releases.ContainerWarnings(f, d.plan.Components).Mark(rule.RuntimeVersion),
		releases.PhaseWarnings(f).Mark(rule.RuntimeVersion),
		releases.SkewWarnings(f).Mark(rule.RuntimeVersion),
		pods.TokenWarnings(f, d.plan).Mark(rule.Discovery),
		pods.LabelWarnings(f, d.plan, built).Mark(rule.Labels),
		pods.PortWarnings(f, d.plan, built).Mark(rule.Containers),
		pods.HostPortWarnings(f, d.plan, built).Mark(rule.Containers),
		pods.ProbeWarnings(f, d.plan, built).Mark(rule.Probes),
		pods.EndWarnings(f, d.plan, built).Mark(rule.Containers),
		pods.DrainWarnings(f, d.plan, built).Mark(rule.Environment),
		validate.DisaggregatedSetWarnings(f.Graph, d.plan.Orchestrator).Mark(rule.Annotations),
		validate.MisplacedWarnings(f.Graph).Mark(rule.Annotations),
		validate.PlannerWarnings(f.Graph, d.plan.Orchestrator).Mark(rule.Planner),
		validate.Warnings(f.Graph, d.plan.DefaultResources),
		validate.MisuseWarnings(f.Graph, f.Live()),
	)
	if !d.selection.refused {
		all = append(all, pods.ForeignWarnings(f, d.plan).Mark(rule.Nodes)...)
		all = append(all, scheduling.QueueWarnings(f, d.plan).Mark(rule.Queues)...)
	}
	if d.plan.Orchestrator == graphplan.Grove {
		return append(all, validate.GroveWarnings(f.Graph).Mark(rule.OnGrove)...)
	}
	if !d.selection.refused {
		all = append(all, validate.OffGroveWarnings(f.Graph, d.plan.Orchestrator).Mark(rule.OffGrove)...)
	}
	return append(all, validate.StrategyWarnings(f.Graph).Mark(rule.Strategy)...)
}

// componentIn is the name of the component in a path. It is empty if the path is that of something else.
func componentIn(path string) string {
	for _, list := range []string{"spec.services[", "spec.components["} {
		if rest, ok := strings.CutPrefix(path, list); ok {
			name, _, _ := strings.Cut(rest, "]")
			return name
		}
	}
	return ""
}
