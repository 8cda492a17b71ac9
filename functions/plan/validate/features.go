package validate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

const maxPVCs = 100

func (v *validator) pvcs() {
	path := specPath().Child("pvcs")
	if n := len(v.graph.Spec.PVCs); n > maxPVCs {
		v.add(field.TooMany(path, n, maxPVCs))
	}
	seen := map[string]bool{}
	for i, claim := range v.graph.Spec.PVCs {
		at := path.Index(i)
		switch {
		case claim.Name == "":
			v.required(at.Child("name"), "name the claim")
		case seen[claim.Name]:
			v.duplicate(at.Child("name"), claim.Name)
		default:
			for _, problem := range validation.IsDNS1123Subdomain(claim.Name) {
				v.invalid(at.Child("name"), claim.Name, problem)
			}
		}
		seen[claim.Name] = true
		if ptr.Deref(claim.Create, false) {
			v.createdPVC(at, claim)
		}
	}
}

func (v *validator) createdPVC(path *field.Path, claim v1alpha1.PVC) {
	if claim.Size.Sign() <= 0 {
		v.required(path.Child("size"), "a claim that is created needs a size above 0")
	}
	if claim.StorageClass == "" {
		v.required(path.Child("storageClass"), "a claim that is created needs a storage class")
	}
	if claim.VolumeAccessMode == "" {
		v.required(path.Child("volumeAccessMode"), "a claim that is created needs an access mode")
		return
	}
	modes := []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}
	if slices.Contains(modes, string(claim.VolumeAccessMode)) {
		return
	}
	v.add(field.NotSupported(path.Child("volumeAccessMode"), string(claim.VolumeAccessMode), modes))
}

func (v *validator) restart() {
	r := v.graph.Spec.Restart
	if r == nil {
		return
	}
	path := specPath().Child("restart")
	if r.ID == "" {
		v.required(path.Child("id"), "give a token; a new one starts a restart")
	}
	if r.Strategy == nil {
		return
	}
	if kind := r.Strategy.Type; kind != "" && kind != v1alpha1.RestartSequential && kind != v1alpha1.RestartParallel {
		v.add(field.NotSupported(path.Child("strategy", "type"), kind, []v1alpha1.RestartStrategyType{v1alpha1.RestartSequential, v1alpha1.RestartParallel}))
	}
	v.restartOrder(path.Child("strategy", "order"), r.Strategy)
}

func (v *validator) restartOrder(path *field.Path, s *v1alpha1.RestartStrategy) {
	if len(s.Order) == 0 {
		return
	}
	if s.Type == v1alpha1.RestartParallel {
		v.forbidden(path, "has no effect with type Parallel; remove it")
	}
	seen := map[string]bool{}
	for i, name := range s.Order {
		if seen[name] {
			v.duplicate(path.Index(i), name)
		}
		seen[name] = true
		if _, ok := v.graph.Spec.Services[name]; !ok {
			v.invalid(path.Index(i), name, "is not a service of the graph; remove it")
		}
	}
	for _, name := range v.graph.ServiceNames() {
		if !seen[name] {
			v.required(path, fmt.Sprintf("must name every service; %s is missing", name))
		}
	}
}

func (v *validator) ingress(path *field.Path, s *v1alpha1.Service) {
	in := s.Ingress
	if in == nil {
		return
	}
	v.labels(path.Child("labels"), in.Labels)
	v.annotationKeys(path.Child("annotations"), in.Annotations)
	if !in.Enabled {
		return
	}
	if in.Host == "" {
		v.required(path.Child("host"), "an enabled ingress needs a host")
	}
	if in.UseVirtualService && ptr.Deref(in.VirtualServiceGateway, "") == "" {
		v.required(path.Child("virtualServiceGateway"), "a VirtualService needs a gateway")
	}
}

func (v *validator) modelRef(path *field.Path, ref *v1alpha1.ModelReference) {
	if ref != nil && ref.Name == "" {
		v.required(path.Child("name"), "name the model")
	}
}

func (v *validator) features(path *field.Path, s *v1alpha1.Service) {
	v.endpointPicker(path, s)
	if g := s.GPUMemoryService; g != nil && g.Enabled {
		at := path.Child("gpuMemoryService")
		if g.Mode == "interPod" {
			v.forbidden(at.Child("mode"), "interPod is not supported; use intraPod")
		}
		if !pod.IsWorker(s.ComponentType) {
			v.forbidden(at, "only workers (componentType worker, prefill or decode) have GPU memory to share")
		} else if pod.GPUs(s) < 1 {
			v.required(path.Child("resources", "limits", "gpu"), "the GPU memory service needs at least one GPU")
		}
		if len(g.ExtraClientPods) > 0 {
			v.forbidden(at.Child("extraClientPods"), "is reserved; remove it")
		}
	}
	v.checkpoint(path.Child("checkpoint"), s.Checkpoint)
}

func (v *validator) checkpoint(path *field.Path, c *v1alpha1.Checkpoint) {
	if c == nil || !c.Enabled {
		return
	}
	identified := c.Identity != nil && c.Identity.Model != "" && c.Identity.BackendFramework != ""
	if ptr.Deref(c.CheckpointRef, "") == "" && !identified {
		v.required(path, "an enabled checkpoint needs checkpointRef, or identity with model and backendFramework")
	}
}

func (v *validator) endpointPicker(path *field.Path, s *v1alpha1.Service) {
	at := path.Child("eppConfig")
	if s.ComponentType != v1alpha1.ComponentEPP {
		if s.EPPConfig != nil {
			v.forbidden(at, "only a service of componentType epp has a picker to configure")
		}
		return
	}
	switch {
	case s.EPPConfig == nil, s.EPPConfig.ConfigMapRef == nil && s.EPPConfig.Config == nil:
		v.required(at, "the Endpoint Picker needs configMapRef or config")
	case s.EPPConfig.ConfigMapRef != nil && s.EPPConfig.Config != nil:
		v.forbidden(at, "has both configMapRef and config; remove one")
	case s.EPPConfig.ConfigMapRef != nil && s.EPPConfig.ConfigMapRef.Name == "":
		v.required(at.Child("configMapRef", "name"), "name the ConfigMap")
	}
	if s.Multinode != nil {
		v.forbidden(path.Child("multinode"), "the Endpoint Picker runs on one node; remove it")
	}
	if pod.Replicas(s) != 1 {
		v.invalid(path.Child("replicas"), pod.Replicas(s), "the Endpoint Picker has exactly 1 replica")
	}
}

// unsupported refuses what cannot be carried out, and would change the graph too much to leave out.
func (v *validator) unsupported() {
	const override = "overrides of generated objects are not supported: set extraPodSpec, or policy in the Composition"
	if v.graph.Spec.ProviderOverride != nil {
		v.forbidden(specPath().Child("providerOverride"), override)
	}
	if e := v.graph.Spec.Experimental; e != nil && e.KVTransferPolicy != nil {
		v.forbidden(specPath().Child("experimental", "kvTransferPolicy"), "is not supported: it needs the Dynamo operator, which labels pods with the domain of their node")
	}
	for _, name := range v.graph.ServiceNames() {
		s := v.graph.Spec.Services[name]
		path := servicesPath().Key(name)
		if s.ProviderOverride != nil {
			v.forbidden(path.Child("providerOverride"), override)
		}
		if m := s.Multinode; m != nil && m.Leader != nil && m.Leader.ProviderOverride != nil {
			v.forbidden(path.Child("multinode", "leader", "providerOverride"), override)
		}
		if m := s.Multinode; m != nil && m.Worker != nil && m.Worker.ProviderOverride != nil {
			v.forbidden(path.Child("multinode", "worker", "providerOverride"), override)
		}
	}
}
