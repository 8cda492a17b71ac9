package subject

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// TakenGPUs are all GPUs that a pod of a component takes, also in claims.
func (f *Facts) TakenGPUs(component *graph.Component) int64 {
	return pod.TakenGPUs(component) + f.ClaimedGPUs(component.Pod())
}

// ClaimedGPUs are the GPUs in the claims that each pod with a spec gets from templates, as far as they are known.
func (f *Facts) ClaimedGPUs(spec *corev1.PodSpec) int64 { return f.gpusOf(keysOf(spec, false)) }

// ExistingGPUs are those in the claims that exist already, each of which all pods share that name it.
func (f *Facts) ExistingGPUs(specs ...*corev1.PodSpec) int64 {
	var keys []string
	for _, spec := range specs {
		keys = append(keys, keysOf(spec, true)...)
	}
	slices.Sort(keys)
	return f.gpusOf(slices.Compact(keys))
}

// SharedGPUs are those in the claims of the graph that exist already.
func (f *Facts) SharedGPUs() int64 {
	var specs []*corev1.PodSpec
	for _, component := range f.Graph.ComponentsByName() {
		for _, template := range component.Templates() {
			specs = append(specs, template.Pod())
		}
	}
	return f.ExistingGPUs(specs...)
}

func (f *Facts) gpusOf(keys []string) int64 {
	var total int64
	for _, key := range keys {
		total += f.Claims[key]
	}
	return total
}

// keysOf the claims of a pod that exist, or of those from templates, without claims that the chain or Grove adds.
func keysOf(spec *corev1.PodSpec, existing bool) []string {
	var keys []string
	for i := range spec.ResourceClaims {
		key, exists := graphplan.ClaimOf(&spec.ResourceClaims[i])
		if name := spec.ResourceClaims[i].Name; key != "" && exists == existing && name != pod.SharedGPUClaim && name != names.MNNVLClaim {
			keys = append(keys, key)
		}
	}
	return keys
}

// claimsOf the pods of a graph, also of those that run, with the number of GPUs in each.
func claimsOf(s *Seen, r *require.Requirements) graphplan.Claims {
	var keys []string
	add := func(spec *corev1.PodSpec) { keys = slices.Concat(keys, keysOf(spec, false), keysOf(spec, true)) }
	for _, component := range s.Graph.ComponentsByName() {
		for _, template := range component.Templates() {
			add(template.Pod())
		}
		for _, template := range s.Observed.Pods[names.Lower(component.Name)] {
			add(&template.Spec)
		}
	}
	slices.Sort(keys)
	var gpus graphplan.Claims
	for _, key := range slices.Compact(keys) {
		kind, name, _ := strings.Cut(key, "/")
		// Crossplane fails if a required kind is not served, and if a name is none, which is refused elsewhere.
		if len(validation.IsDNS1123Subdomain(name)) > 0 || !s.ServesClaimTemplates(r) {
			continue
		}
		object, _ := r.Get(s.Answers, require.Object{
			Name: strings.ToLower(strings.TrimPrefix(kind, "Resource")) + "-" + name, APIVersion: resourcev1.SchemeGroupVersion.String(), Kind: kind,
			ObjectName: name, Namespace: s.Graph.Namespace,
		})
		spec := tree.At(object, "spec")
		if kind == graphplan.KindClaimTemplate {
			spec = tree.At(spec, "spec")
		}
		claim := &resourcev1.ResourceClaimSpec{}
		if spec != nil && require.Into(spec, claim) == nil {
			if gpus == nil {
				gpus = graphplan.Claims{}
			}
			gpus[key] = gpusIn(claim.Devices.Requests)
		}
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
