package subject

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// requirementClaimTemplate is the name of the requirement of a template of claims, before the name of the template.
const requirementClaimTemplate = "claimtemplate-"

// TakenGPUs are all GPUs that a pod of a service takes, also in claims.
func (f *Facts) TakenGPUs(service *graph.Component) int64 {
	return pod.TakenGPUs(service) + f.ClaimedGPUs(service.Pod())
}

// ClaimedGPUs are the GPUs in the claims that each pod with a spec gets from templates, as far as they are known. A claim that exists already is
// shared by all pods, and no pod of the graph takes more with it.
func (f *Facts) ClaimedGPUs(spec *corev1.PodSpec) int64 {
	var total int64
	for _, name := range templatesOf(spec) {
		total += f.claimTemplates[name]
	}
	return total
}

// templatesOf the claims of a pod, without those of claims that the chain or Grove adds.
func templatesOf(spec *corev1.PodSpec) []string {
	var templates []string
	for _, claim := range spec.ResourceClaims {
		if claim.ResourceClaimTemplateName != nil && claim.Name != pod.SharedGPUClaim && claim.Name != names.MNNVLClaim {
			templates = append(templates, *claim.ResourceClaimTemplateName)
		}
	}
	return templates
}

// claimTemplatesOf the pods of a graph, also of those that run, with the number of GPUs in each.
func claimTemplatesOf(s *Seen, r *require.Requirements) map[string]int64 {
	var templates []string
	for _, service := range s.Graph.ComponentsByName() {
		templates = append(templates, templatesOf(service.Pod())...)
		for _, template := range s.Observed.Pods[names.Lower(service.Name)] {
			templates = append(templates, templatesOf(&template.Spec)...)
		}
	}
	slices.Sort(templates)
	gpus := map[string]int64{}
	for _, name := range slices.Compact(templates) {
		// Crossplane fails if a required kind is not served, and if a name is none, which is refused elsewhere.
		if len(validation.IsDNS1123Subdomain(name)) > 0 || !s.ServesClaimTemplates(r) {
			continue
		}
		object, _ := r.Get(s.Answers, require.Object{
			Name: requirementClaimTemplate + name, APIVersion: resourcev1.SchemeGroupVersion.String(), Kind: "ResourceClaimTemplate",
			ObjectName: name, Namespace: s.Graph.Namespace,
		})
		template := &resourcev1.ResourceClaimTemplate{}
		if object == nil || require.Into(object, template) != nil {
			continue
		}
		gpus[name] = gpusIn(template.Spec.Spec.Devices.Requests)
	}
	return gpus
}

// gpusIn a claim. All devices of a node are no number, and count as one. Of alternatives, the largest counts. Kubernetes allocates so many
// devices at most.
func gpusIn(requests []resourcev1.DeviceRequest) int64 {
	var total int64
	for _, request := range requests {
		var most int64
		add := func(class string, count int64) {
			if isGPUClass(class) {
				most = max(most, cmp.Or(count, 1))
			}
		}
		if request.Exactly != nil {
			add(request.Exactly.DeviceClassName, request.Exactly.Count)
		}
		for _, alternative := range request.FirstAvailable {
			add(alternative.DeviceClassName, alternative.Count)
		}
		total += min(most, resourcev1.AllocationResultsMaxSize)
	}
	return total
}

// isGPUClass reports whether devices of a class are GPUs or parts of GPUs, by the name of the class, such as gpu.nvidia.com or mig.nvidia.com.
func isGPUClass(name string) bool {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' })
	return slices.Contains(words, "gpu") || slices.Contains(words, "mig")
}
