// Package validate judges a DynamoGraphDeployment by itself: what the API server's schema and rules say, what the
// admission webhooks of the orchestrators would refuse, and what the kubelet or a controller would only trip over later.
package validate

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/strict"
)

// Options are what rules depend on in addition to the graph.
type Options struct {
	// Grove, LWS say which orchestrator runs services that span nodes. Neither: none was found.
	Grove, LWS bool

	// Admitted are the services, lower-cased, that a live PodCliqueSet already runs: Grove has accepted their names.
	Admitted map[string]bool

	// Scheduler of pods on Grove that name none. Empty: the default of the cluster.
	Scheduler string

	// VirtualServiceGateway says that the platform names the gateway of VirtualServices.
	VirtualServiceGateway bool

	// HostSuffix of the platform for ingresses.
	HostSuffix string
}

// Spec returns every mistake in a graph, sorted by path.
func Spec(g *graph.Graph, o Options) field.ErrorList {
	v := &validator{graph: g, options: o}
	if n := len(g.Spec.Services); n > MaxServices {
		v.add(field.TooMany(servicesPath(), n, MaxServices))
	}
	v.graphName()
	v.identity()
	v.annotations()
	v.services()
	v.failoverDiscovery()
	v.pvcs()
	v.restart()
	v.topology()
	v.endpointPickers()
	v.transfer()
	v.overrides()
	if o.Grove {
		v.grove()
		v.autoscalerNames()
	}
	if o.LWS {
		v.leaderWorkerSets()
	}
	slices.SortStableFunc(v.errs, func(a, b *field.Error) int {
		if order := cmp.Compare(a.Field, b.Field); order != 0 {
			return order
		}
		// Messages are made only where they are needed.
		return cmp.Compare(a.Error(), b.Error())
	})
	return strict.Bounded(v.errs, specPath())
}

// validator collects the mistakes of one graph.
type validator struct {
	graph   *graph.Graph
	options Options
	errs    field.ErrorList
}

func (v *validator) add(errs ...*field.Error) { v.errs = append(v.errs, errs...) }

func (v *validator) invalid(path *field.Path, value any, detail string) {
	if text, ok := value.(string); ok {
		value = strict.Printable(text)
	}
	v.add(field.Invalid(path, value, detail))
}

func (v *validator) duplicate(path *field.Path, value string) {
	v.add(field.Invalid(path, value, "is duplicated; rename or remove one of the two"))
}

func (v *validator) forbidden(path *field.Path, detail string) { v.add(field.Forbidden(path, detail)) }

func (v *validator) required(path *field.Path, detail string) { v.add(field.Required(path, detail)) }

func specPath() *field.Path { return field.NewPath("spec") }

func servicesPath() *field.Path { return specPath().Child("services") }

// services checks each service by itself.
func (v *validator) services() {
	path := servicesPath()
	if len(v.graph.Spec.Services) == 0 {
		v.required(path, "at least one service is required")
	}
	v.envs(specPath().Child("envs"), v.graph.Spec.Envs)
	v.envReferences(specPath().Child("envs"), v.graph.Spec.Envs)
	v.labels(specPath().Child("labels"), v.graph.Spec.Labels)
	v.annotationKeys(specPath().Child("annotations"), v.graph.Spec.Annotations)
	v.knownAnnotations(specPath().Child("annotations"), v.graph.Spec.Annotations)
	for _, name := range v.graph.ServiceNames() {
		service := v.graph.Spec.Services[name]
		v.service(path.Key(name), name, &service)
	}
	v.serviceNames()
}

func (v *validator) service(path *field.Path, name string, s *v1alpha1.Service) {
	if s.ServiceName != "" && s.ServiceName != name {
		v.invalid(path.Child("serviceName"), s.ServiceName, "must be equal to the key of the service; remove it")
	}
	v.component(path, s)
	v.labels(path.Child("labels"), s.Labels)
	v.annotationKeys(path.Child("annotations"), s.Annotations)
	v.knownAnnotations(path.Child("annotations"), s.Annotations)
	if s.ExtraPodMetadata != nil {
		v.labels(path.Child("extraPodMetadata", "labels"), s.ExtraPodMetadata.Labels)
		v.annotationKeys(path.Child("extraPodMetadata", "annotations"), s.ExtraPodMetadata.Annotations)
		v.knownAnnotations(path.Child("extraPodMetadata", "annotations"), propagated(s.ExtraPodMetadata.Annotations))
	}
	v.power(path, s)
	v.annotationSizes(path, name)
	v.replicas(path, name, s)
	v.resources(path, s)
	v.pods(path, s)
	v.volumes(path, name, s)
	v.ingress(path.Child("ingress"), s)
	v.modelRef(path.Child("modelRef"), s.ModelRef)
	v.sidecar(path, name, s)
	v.endpointPicker(path, s)
	v.gpuMemoryService(path, s)
	v.failover(path, name, s)
	v.checkpoint(path, s)
	v.weightServers(path, name, s)
	v.autoscaling(path, name, s)
	v.enums(path, name, s)
	v.runtimeVersion(path.Child("runtimeVersionOverride"), s.RuntimeVersionOverride)
	v.references(path, s)
	v.handlers(path, s)
	v.mountPaths(path, s)
	v.devices(path, s)
	v.resourceClaims(path, s)
	v.scheduling(path, s)
	v.exposure(path.Child("ingress"), s.Ingress)
}
