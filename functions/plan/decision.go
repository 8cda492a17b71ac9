package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/release"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

// decision is the plan of a graph, or everything that stands against it.
type decision struct {
	plan      *graphplan.Plan
	selection selection
	queue     queue
	topology  topology
	warnings  []string
	errs      field.ErrorList
	// unsupported is what keeps a valid graph from running in this cluster.
	unsupported []string
	// gone is what the graph has objects of and the cluster does not serve any more.
	gone []string
	// lacking says that something is left out that the cluster does not serve.
	lacking bool
	// size of what is composed.
	size size
	// waits is what has to be gone before anything is done.
	waits []string
	// changed says that nothing else is wrong than that something changed which cannot, and taken that nothing else is than
	// that names of the graph are taken.
	changed, taken bool
}

// decider holds what decisions rest on.
type decider struct {
	req   *fnv1.RunFunctionRequest
	graph *graph.Graph
	// buildable is the graph with its numbers within bounds: pods are built also for one that is refused, since only they show
	// some mistakes.
	buildable    *graph.Graph
	input        *v1alpha1.Input
	cluster      cluster
	memory       *memory
	requirements *require.Requirements

	// fused says that the steps behind this one add to the same response.
	fused bool
}

// decide everything about a graph at once, so that the user sees all that is wrong with it at once. decoding are the
// errors met on the way here.
func (d *decider) decide(decoding field.ErrorList) *decision {
	d.buildable = validate.WithinBounds(d.graph)
	out := &decision{selection: selectOrchestrator(d.graph, d.cluster, d.memory)}
	onGrove := out.selection.orchestrator == graphplan.Grove
	options := validate.Options{
		Grove: onGrove,
		LWS:   out.selection.orchestrator == graphplan.LeaderWorkerSet,
		KAI:   usesKAI(d.cluster, d.memory),

		VirtualServiceGateway: d.input.Ingress.VirtualServiceGateway != "",
		HostSuffix:            d.input.Ingress.HostSuffix,
	}
	out.errs = append(out.errs, validate.Spec(d.graph, options)...)
	out.errs = append(out.errs, checkProfile(d.graph)...)

	services, errs := planServices(d.graph, d.input, d.memory)
	out.errs = append(out.errs, errs...)
	composedPVCs, taken := d.planPVCs(out)
	p := &graphplan.Plan{
		Version:          graphplan.Version,
		Release:          release.Current(),
		Orchestrator:     out.selection.orchestrator,
		Services:         services,
		ComposedPVCs:     composedPVCs,
		Infrastructure:   graphplan.Infrastructure(d.input.Infrastructure),
		IngressDefaults:  input.IngressDefaults(d.input),
		ImagePullSecrets: input.PullSecrets(d.input),
		TotalGPUs:        totalGPUs(d.graph),
	}
	d.decideServed(out, p)
	d.keepHosts(out, p)
	d.decideWorkloads(out, p)
	d.decideScalingAdapters(out, p)
	d.checkGenerated(out, p)
	d.checkSize(out, p)
	// There is no bound to the replicas of a graph that is refused.
	if len(decoding) == 0 && len(out.errs) == 0 {
		p.Restart = d.planRestart(p)
		d.inspectPods(out, p)
	}
	switch {
	case onGrove:
		out.warnings = append(out.warnings, warnOnGrove(d.graph)...)
	case !out.selection.refused:
		out.warnings = append(out.warnings, warnOffGrove(d.graph, p)...)
	}
	if !onGrove {
		out.errs = append(out.errs, checkStrategies(d.graph)...)
		out.warnings = append(out.warnings, warnStrategies(d.graph)...)
	}
	out.warnings = append(out.warnings, d.warnOfTopology(out.topology, p)...)
	changes := withoutPaths(slices.Concat(
		checkImmutable(d.graph, d.memory), checkClaimTemplates(d.req, d.graph), d.checkPlacement(out.topology), d.decideMNNVL(out, p),
	), decoding)
	d.checkDomains(out, p)
	out.errs = append(withoutPaths(out.errs, decoding), decoding...)
	taken = append(taken, d.checkNames(out, p)...)
	out.changed = len(out.errs)+len(taken) == 0 && len(changes) > 0
	out.taken = len(out.errs)+len(changes) == 0 && len(taken) > 0
	out.errs = slices.Concat(out.errs, changes, taken)
	out.plan = p
	out.warnings = append(out.warnings, d.warnOfModes()...)
	out.warnings = append(out.warnings, warnOfChoices(d.graph, d.input, d.memory, p.Services)...)
	out.warnings = append(out.warnings, warnOfPlanner(d.graph, p.Orchestrator)...)
	out.warnings = append(out.warnings, warnExposures(d.graph, p.IngressDefaults)...)
	out.warnings = append(out.warnings, validate.Warnings(d.graph)...)
	slices.Sort(out.warnings)
	out.warnings = slices.Compact(out.warnings)
	return out
}

// decideWorkloads decides how the orchestrator runs the graph.
func (d *decider) decideWorkloads(out *decision, p *graphplan.Plan) {
	switch {
	case out.selection.missing != "":
	case p.Orchestrator == graphplan.Grove:
		d.decideGrove(out, p)
	case p.Orchestrator == graphplan.LeaderWorkerSet:
		d.decideLWS(out, p)
	case p.Orchestrator == graphplan.Deployment:
		d.decideDeployments(out, p)
	}
}

// inspectPods builds the pods of each service to learn what they need, and what there is to warn of.
func (d *decider) inspectPods(out *decision, p *graphplan.Plan) {
	pods := pod.Builder{Graph: d.graph, Plan: p}
	for _, name := range d.graph.ServiceNames() {
		service := d.graph.Spec.Services[name]
		warn := func(messages ...string) {
			for _, message := range messages {
				out.warnings = append(out.warnings, fmt.Sprintf("spec.services[%s]: %s", name, message))
			}
		}
		for _, role := range rolesOf(&service) {
			seen := pods.Inspect(name, role, hostsOf(p.Orchestrator, name))
			p.WaitForLeader = p.WaitForLeader || seen.WaitsForLeader
			if seen.NeedsSSH && d.graph.Annotations[metadata.AnnotationSSHSecret] == "" {
				p.SSHSecret = d.graph.Names().SSHSecret()
			}
			warn(seen.Warnings...)
			if warning := parallelismWarning(&service, seen); warning != "" {
				warn(warning)
			}
		}
	}
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

// report the decision as conditions.
func (d *decision) report(rsp *fnv1.RunFunctionResponse) {
	d.reportAccepted(rsp)
	if d.selection.refused {
		condition.False(rsp, condition.TypeOrchestratorSelected, d.selection.reason, d.selection.message)
		return
	}
	if len(d.errs) > 0 || len(d.unsupported) > 0 || len(d.waits) > 0 {
		return
	}
	condition.True(rsp, condition.TypeOrchestratorSelected, d.selection.reason, d.selection.message)
	set := condition.False
	ok, reason, message := d.queue.condition()
	if ok {
		set = condition.True
	} else {
		step.Hurry(rsp)
	}
	set(rsp, condition.TypeQueueAvailable, reason, message)
}

func (d *decision) reportAccepted(rsp *fnv1.RunFunctionResponse) {
	switch {
	case d.changed:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonImmutableField, d.refusal().Error())
	case d.taken:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonNameTaken, d.refusal().Error())
	case len(d.errs) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonInvalid, d.refusal().Error())
	case d.selection.refused, len(d.unsupported) > 0, len(d.gone) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonNotSupportedHere, d.refusal().Error())
	case len(d.waits) > 0:
		condition.False(rsp, condition.TypeAccepted, condition.ReasonWaitingForDeletion, d.refusal().Error())
	case len(d.warnings) > 0:
		condition.True(rsp, condition.TypeAccepted, condition.ReasonValidWithWarnings, d.warning())
	default:
		condition.True(rsp, condition.TypeAccepted, condition.ReasonValid, "")
	}
}

// refused reports whether anything stands against the graph.
func (d *decision) refused() bool {
	return len(d.errs) > 0 || d.selection.refused || len(d.unsupported) > 0 || len(d.gone) > 0 || len(d.waits) > 0
}

// lacksAPI reports whether the cluster does not serve the API of something that the graph has. What is desired of that cannot be
// applied, and what is not desired is forgotten.
func (d *decision) lacksAPI() bool {
	return d.selection.missing != "" || len(d.gone) > 0
}

// refusal is everything that stands against the graph, in one error.
func (d *decision) refusal() error {
	messages := slices.Concat(d.gone, d.unsupported, d.waits)
	if d.selection.refused {
		messages = append(messages, d.selection.message)
	}
	for _, e := range d.errs {
		messages = append(messages, e.Error())
	}
	slices.Sort(messages)
	return errors.New(condition.Join(slices.Compact(messages)))
}

func (d *decision) warning() string { return condition.Join(d.warnings) }

// warn once: only when the condition did not say the same before. Crossplane turns a result into an event on every
// call.
func (d *decision) warn(rsp *fnv1.RunFunctionResponse, observed []condition.Observed) {
	if len(d.warnings) == 0 {
		return
	}
	if before := condition.Find(observed, condition.TypeAccepted); before != nil && before.Message == d.warning() {
		return
	}
	response.Warning(rsp, errors.New(d.warning())).WithReason(condition.ReasonValidWithWarnings).TargetCompositeAndClaim()
}
