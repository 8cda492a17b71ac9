package plan

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/release"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/checkpoints"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/mnnvl"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/ownership"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/pods"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/releases"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/restart"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/scheduling"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/served"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/services"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/topology"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/written"
)

// decision is the plan of a graph, together with everything that is reported to its user.
type decision struct {
	subject.Outcome

	plan      *graphplan.Plan
	selection selection
	queue     scheduling.Queue
	topology  topology.Decision
	size      budget.Size

	// adopted are objects around the pods that the graph takes over.
	adopted lost.Objects
}

// sharedResponse is the response to which this step and other steps write.
type sharedResponse struct {
	// given is the size of the response before this step adds anything, in bytes.
	given int64

	// fused says that the steps after this one run in the same process and add to the response.
	fused bool
}

// decide everything about a graph at once, so that its user sees all errors at once. The subjects are decided from top to bottom. A comment
// explains where one depends on another. decoding are the errors from reading the graph.
func decide(f *subject.Facts, rsp sharedResponse, decoding field.ErrorList) *decision {
	d := &decision{selection: selectOrchestrator(f), adopted: lost.Objects{}}
	d.plan = draft(f, d.selection.orchestrator)

	d.Add(checkSpec(f, d.selection))
	d.decideServices(f)

	d.decideWorkloads(f)

	// These build pods, for which the services and the orchestrator must be decided.
	d.Add(pods.CheckGenerated(f, d.plan))
	d.checkSize(f, rsp.given)

	// A restart is decided replica by replica, and the number of replicas is only valid if there are no errors so far.
	if len(decoding) == 0 && len(d.Errors) == 0 {
		d.decideRestart(f)
		d.hashWritten(f)
		d.Add(checkpoints.Await(f, d.plan))
	}

	d.Add(immutable.Check(f))
	d.Add(subject.Outcome{Changes: topology.Unchanged(f, d.topology)})
	d.decideMNNVL(f)

	// Multi-node NVLink may have added objects for each replica.
	d.checkSizeWithDomains(f)

	// All names are known now. Whether the graph is refused limits how many of them are looked up.
	d.checkNames(f, rsp.fused, len(d.Errors)+len(decoding) > 0)

	d.Warnings = append(d.Warnings, decisionWarnings(f, d)...)
	d.word(f.Graph)
	// A field that could not be decoded has its zero value. Errors about that value are not errors of the user.
	d.Errors = append(withoutPaths(d.Errors, decoding), decoding...)
	d.Changes = withoutPaths(d.Changes, decoding)
	return d
}

// draft is a plan with everything that needs no decision.
func draft(f *subject.Facts, orchestrator graphplan.Orchestrator) *graphplan.Plan {
	p := &graphplan.Plan{
		Version:          graphplan.Version,
		Release:          release.Current(),
		Orchestrator:     orchestrator,
		Infrastructure:   graphplan.Infrastructure(f.Input.Infrastructure),
		IngressDefaults:  input.IngressDefaults(f.Input),
		ImagePullSecrets: input.PullSecrets(f.Input),
		TotalGPUs:        services.TotalGPUs(f.Graph),
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
		admitted = observed.ServicesOf(set)
	}
	errs := validate.Spec(f.Graph, validate.Options{
		Grove:     s.orchestrator == graphplan.Grove,
		LWS:       s.orchestrator == graphplan.LeaderWorkerSet,
		Admitted:  admitted,
		Scheduler: f.GroveScheduler(),

		VirtualServiceGateway: f.Input.Ingress.VirtualServiceGateway != "",
		HostSuffix:            f.Input.Ingress.HostSuffix,
	})
	errs = append(errs, topology.CheckProfile(f.Graph)...)
	if s.orchestrator != graphplan.Grove {
		errs = append(errs, validate.Strategies(f.Graph)...)
	}
	return subject.Outcome{Errors: subject.NameAdapters(f.Graph, errs)}
}

// decideServices decides about each service, and about the objects that its pods need.
func (d *decision) decideServices(f *subject.Facts) {
	p := d.plan
	decided, outcome := services.Decide(f)
	d.Add(outcome)
	hosts, outcome := services.LiveHosts(f, p.IngressDefaults)
	d.Add(outcome)
	adapters, outcome := served.ScalingAdapters(f)
	d.Add(outcome)
	restored, outcome := checkpoints.Decide(f)
	d.Add(outcome)
	versions, outcome := releases.Decide(f)
	d.Add(outcome)
	for name, service := range decided {
		service.RuntimeVersion = versions[name]
		service.Host = hosts[name]
		service.Checkpoint = restored[name]
		service.WeightServers = pod.RunsWeightServers(f.Graph, name)
		service.ScalingAdapter = slices.Contains(adapters, name)
		if replicas, scaled := f.Graph.Scaled[name]; scaled {
			service.Replicas = &replicas
		}
		decided[name] = service
	}
	p.Services = decided
	if len(restored) > 0 {
		p.Restore = input.Restore(f.Input)
	}

	claims, outcome := ownership.PVCs(f)
	d.Add(outcome)
	p.ComposedPVCs = claims.Composed
	maps.Copy(d.adopted, claims.Adopted)
	p.Serves, outcome = served.Decide(f, p.IngressDefaults)
	p.EndpointPickerTLS = input.EndpointPickerTLS(f.Input, f.Graph)
	d.Add(outcome)
}

// decideWorkloads decides how the orchestrator runs the graph. Nothing can be looked up while its API is not served.
func (d *decision) decideWorkloads(f *subject.Facts) {
	if d.selection.missing != "" {
		return
	}
	p := d.plan
	var outcome subject.Outcome
	switch p.Orchestrator {
	case graphplan.Grove:
		p.Grove = &graphplan.GrovePlan{TerminationDelay: f.Input.Grove.TerminationDelay.Duration.String()}
		p.Grove.SchedulerName, d.queue, outcome = scheduling.OnGrove(f)
		p.Grove.Queue = d.queue.Written()
		d.Add(outcome)
		d.topology, outcome = topology.OnGrove(f, p.Grove.SchedulerName)
		d.Add(outcome)
		p.Children = findChildren(f)
	case graphplan.LeaderWorkerSet:
		p.LWS.Gang, d.queue, outcome = scheduling.Gang(f)
		d.Add(outcome)
		d.topology, outcome = topology.OnLeaderWorkerSets(f, p.LWS.Gang)
		d.Add(outcome)
	case graphplan.Deployment:
		// Deployments are not packed, but the status still reports whether the levels in the graph exist.
		d.topology, outcome = topology.Elsewhere(f)
		d.Add(outcome)
	}
	p.Topology = d.topology.Plan
	p.TopologyLabels, outcome = topology.TransferLabels(f, p.Orchestrator)
	d.Add(outcome)
}

// checkSize refuses a graph whose objects do not fit, before any loop over its replicas.
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

// decideRestart decides the progress of a restart. The pods are inspected in the state after that.
func (d *decision) decideRestart(f *subject.Facts) {
	d.plan.Restart = restart.Decide(f, d.plan)
	needs, outcome := pods.Inspect(f, d.plan)
	d.Add(outcome)
	d.plan.WaitForLeader, d.plan.SSHSecret = needs.WaitForLeader, needs.SSHSecret
}

// hashWritten hashes what the user has written for the pods of each service, including the decided restart.
func (d *decision) hashWritten(f *subject.Facts) {
	hashes, err := written.Hash(f.Graph, d.plan)
	if err != nil {
		d.Errors = append(d.Errors, field.InternalError(field.NewPath("spec", "services"), err))
		return
	}
	for name, hash := range hashes {
		service := d.plan.Services[name]
		service.Written = hash
		d.plan.Services[name] = service
	}
}

// decideMNNVL decides about multi-node NVLink, except while the API of the orchestrator is not served.
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

// checkSizeWithDomains checks the size again with the ComputeDomains of the replicas.
func (d *decision) checkSizeWithDomains(f *subject.Facts) {
	if !d.size.Fits() {
		return
	}
	d.size = d.size.WithDomains(f.Graph, d.plan)
	d.Errors = append(d.Errors, d.size.Refuse()...)
	d.Warnings = append(d.Warnings, d.size.Warn()...)
}

// checkNames looks up whether the names of objects that do not exist yet are free. A fused function adds these requirements to the response
// with all composed objects, so both have to fit together.
func (d *decision) checkNames(f *subject.Facts, fused, refused bool) {
	lookup := ownership.LookupOf(f, d.plan, refused)
	if fused && !refused {
		size := d.size.WithLookups(lookup.Missing, f.Graph.Namespace)
		if errs := size.Refuse(); len(errs) > 0 {
			d.Errors = append(d.Errors, errs...)
			return
		}
	}
	adopted, outcome := ownership.Names(lookup)
	d.Add(outcome)
	maps.Copy(d.adopted, adopted)
}

// decisionWarnings are about settings that have no effect.
func decisionWarnings(f *subject.Facts, d *decision) []string {
	all := slices.Concat(
		topology.Warnings(f, d.topology, d.plan),
		topology.TransferWarnings(f, d.plan),
		scheduling.ModeWarnings(f),
		services.ChoiceWarnings(f, d.plan.Services),
		services.ExposureWarnings(f.Graph, d.plan.IngressDefaults),
		releases.Warnings(f.Graph, d.plan.Services),
		pods.StandbyWarnings(f, d.plan),
		validate.PlannerWarnings(f.Graph, d.plan.Orchestrator),
		validate.Warnings(f.Graph),
	)
	if d.plan.Orchestrator == graphplan.Grove {
		return append(all, validate.GroveWarnings(f.Graph, d.plan.Grove)...)
	}
	if !d.selection.refused {
		all = append(all, validate.OffGroveWarnings(f.Graph, d.plan.Orchestrator)...)
	}
	return append(all, validate.StrategyWarnings(f.Graph)...)
}

// word all messages in the form in which the graph is written.
func (d *decision) word(g *graph.Graph) {
	d.Errors, d.Changes, d.Taken = g.Errors(d.Errors), g.Errors(d.Changes), g.Errors(d.Taken)
	d.Unsupported, d.Gone, d.Waits, d.Warnings = g.Texts(d.Unsupported), g.Texts(d.Gone), g.Texts(d.Waits), g.Texts(d.Warnings)
	d.Awaits = g.Texts(d.Awaits)
	d.selection.message = g.Text(d.selection.message)
	slices.Sort(d.Warnings)
	d.Warnings = slices.Compact(d.Warnings)
}

// withoutPaths removes the errors about fields that could not be decoded, and about the fields below them.
func withoutPaths(errs, decoding field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return slices.ContainsFunc(decoding, func(d *field.Error) bool {
			below, ok := strings.CutPrefix(e.Field, d.Field)
			return ok && (below == "" || strings.HasPrefix(below, ".") || strings.HasPrefix(below, "["))
		})
	})
}
