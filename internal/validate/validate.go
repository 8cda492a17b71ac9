// Package validate judges a DynamoGraphDeployment by itself: what the API server's schema and rules say, what the
// admission webhooks of the orchestrators would refuse, and what the kubelet or a controller would only trip over later.
package validate

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// Options are what rules depend on in addition to the graph.
type Options struct {
	// Grove, LWS say which orchestrator runs components that span nodes. Neither means that none was found.
	Grove, LWS bool

	// Admitted are the components, lower-cased, that a live PodCliqueSet already runs: Grove has accepted their names.
	Admitted map[string]bool

	// Live says that the graph has been created before, when there may have been fewer rules.
	Live bool

	// Scheduler of pods on Grove that name none. An empty text stands for the default of the cluster.
	Scheduler string

	// VirtualServiceGateway says that the platform names the gateway of VirtualServices.
	VirtualServiceGateway bool

	// HostSuffix of the platform for ingresses.
	HostSuffix string
}

// Spec returns every mistake in a graph, sorted by path.
func Spec(g *graph.Graph, o Options) message.List {
	v := &validator{graph: g, options: o}
	if n := len(g.Components); n > MaxComponents {
		v.underRule(rule.Size).add(message.TooMany(graph.ComponentsPath(), n, MaxComponents))
	}
	v.underRule(rule.GraphName).graphName()
	v.underRule(rule.Identity).identity()
	v.underRule(rule.Annotations).annotations()
	v.components()
	v.underRule(rule.Autoscaling).scaleTogether()
	v.underRule(rule.Failover).failoverDiscovery()
	v.underRule(rule.Claims).pvcs()
	v.underRule(rule.Restart).restart()
	v.underRule(rule.Topology).topology()
	v.underRule(rule.EndpointPicker).endpointPickers()
	v.underRule(rule.Transfer).transfer()
	v.underRule(rule.Overrides).overrides()
	if o.Grove {
		v.underRule(rule.OnGrove).grove()
		v.underRule(rule.Autoscaling).autoscalerNames()
	}
	if o.LWS {
		v.underRule(rule.OnLeaderWorkerSets).leaderWorkerSets()
	}
	if workers := g.OfWorkers(); workers != nil {
		v.errs = append(v.errs, workers.InRoles(Spec(workers, o))...)
	}
	return v.errs.Bounded(specPath(), g).Mark(rule.Schema)
}

// validator collects the mistakes of one graph.
type validator struct {
	graph   *graph.Graph
	options Options
	errs    message.List

	// rule that errors break.
	rule rule.Code

	// withDomains says that containers may only request resources by names that the API server takes.
	withDomains bool
}

// underRule adds errors under a rule from now on.
func (v *validator) underRule(code rule.Code) *validator {
	v.rule = code
	return v
}

func (v *validator) add(errs ...*message.Message) {
	v.errs = append(v.errs, message.List(errs).Mark(v.rule)...)
}

func (v *validator) invalid(path *field.Path, value any, format string, args ...any) {
	if text, ok := value.(string); ok {
		value = strict.Printable(text)
	}
	v.add(message.Invalid(path, value, format, args...))
}

func (v *validator) malformed(path *field.Path, value any, problems []string) {
	for _, problem := range problems {
		v.invalid(path, value, "%s", message.WithoutPattern(problem))
	}
}

func (v *validator) duplicate(path *field.Path, value string) {
	v.add(message.Invalid(path, value, "is duplicated; rename or remove one of the two"))
}

func (v *validator) forbidden(path *field.Path, format string, args ...any) {
	v.add(message.Forbidden(path, format, args...))
}

func (v *validator) required(path *field.Path, format string, args ...any) {
	v.add(message.Required(path, format, args...))
}

func specPath() *field.Path { return field.NewPath("spec") }

// components checks each component by itself.
func (v *validator) components() {
	path := graph.ComponentsPath()
	if len(v.graph.Components) == 0 {
		v.underRule(rule.MissingField).required(path, "at least one {{component}} is required")
	}
	v.underRule(rule.Environment).envs(specPath().Child("env"), v.graph.Spec.Env)
	v.underRule(rule.References).envReferences(specPath().Child("env"), v.graph.Spec.Env)
	v.underRule(rule.Labels).labels(specPath().Child("labels"), v.graph.Spec.Labels)
	v.underRule(rule.Annotations).annotationKeys(specPath().Child("annotations"), v.graph.Spec.Annotations)
	v.underRule(rule.Annotations).knownAnnotations(specPath().Child("annotations"), v.graph.Spec.Annotations)
	for _, component := range v.graph.ComponentsByName() {
		v.component(path.Key(component.Name), component)
	}
	v.underRule(rule.ComponentNames).componentNames()
}

func (v *validator) component(path *field.Path, s *graph.Component) {
	if s.ServiceName != "" && s.ServiceName != s.Name {
		v.underRule(rule.Components).invalid(path.Child("serviceName"), s.ServiceName, "must be equal to the key of the {{component}}; remove it")
	}
	v.underRule(rule.Components).componentType(path, s)
	v.underRule(rule.Components).roles(path, s)
	v.misuses(path, s)
	v.underRule(rule.Labels).labels(path.Child("labels"), s.Labels)
	v.underRule(rule.Annotations).annotationKeys(path.Child("annotations"), s.Annotations)
	v.underRule(rule.Annotations).knownAnnotations(path.Child("annotations"), s.Annotations)
	v.underRule(rule.Labels).labels(graph.PodMetadataPath(path, "labels"), s.PodMetadata().Labels)
	v.underRule(rule.Annotations).annotationKeys(graph.PodMetadataPath(path, "annotations"), s.PodMetadata().Annotations)
	v.underRule(rule.Annotations).knownAnnotations(graph.PodMetadataPath(path, "annotations"), propagated(s.PodMetadata().Annotations))
	v.underRule(rule.Power).power(path, s)
	v.underRule(rule.Annotations).annotationSizes(path, s.Name)
	v.underRule(rule.Replicas).replicas(path, s)
	v.underRule(rule.Resources).resources(path, s)
	if !v.options.Live {
		v.add(podResources(path, s)...)
	}
	v.pods(path, s)
	v.underRule(rule.Containers).runtimeContainer(path, s)
	v.underRule(rule.Volumes).volumes(path, s)
	v.underRule(rule.Exposure).ingress(path.Child("ingress"), s)
	v.underRule(rule.Models).modelRef(path.Child("modelRef"), s.ModelRef)
	v.underRule(rule.Sidecar).sidecar(path, s)
	v.underRule(rule.EndpointPicker).endpointPicker(path, s)
	v.underRule(rule.GPUMemory).gpuMemoryService(path, s)
	v.underRule(rule.Failover).failover(path, s)
	v.underRule(rule.Checkpoints).checkpoint(path, s)
	v.underRule(rule.GPUMemory).weightServers(path, s)
	v.underRule(rule.Autoscaling).autoscaling(path, s)
	v.underRule(rule.Values).enums(path, s)
	v.underRule(rule.RuntimeVersion).runtimeVersion(path.Child("runtimeVersionOverride"), s.RuntimeVersionOverride)
	v.underRule(rule.References).references(path, s)
	v.underRule(rule.Probes).handlers(path, s)
	v.underRule(rule.Devices).devices(path, s)
	v.underRule(rule.Devices).resourceClaims(path, s)
	v.underRule(rule.Scheduling).scheduling(path, s)
	v.underRule(rule.Exposure).exposure(path.Child("ingress"), s.Ingress)
}
