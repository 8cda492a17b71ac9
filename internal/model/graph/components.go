package graph

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// decodeComponents reads a graph that is written with components into the form with services, which the steps use. A pod template becomes
// the main container and the rest of the pod of a service, and the fields that v1alpha1 has beside them stay empty.
func (g *Graph) decodeComponents() field.ErrorList {
	var spec v1beta1.DynamoGraphDeploymentSpec
	errs := strict.Decode(g.spec, &spec, field.NewPath("spec"), append(g.decoding(), movedFields()...)...)

	g.Spec = v1alpha1.DynamoGraphDeploymentSpec{
		Annotations:       spec.Annotations,
		Labels:            spec.Labels,
		Envs:              spec.Env,
		BackendFramework:  spec.BackendFramework,
		Restart:           spec.Restart,
		PriorityClassName: spec.PriorityClassName,
		ProviderOverride:  spec.ProviderOverride,
		Experimental:      spec.Experimental,
	}
	if t := spec.TopologyConstraint; t != nil {
		g.Spec.TopologyConstraint = &v1alpha1.SpecTopologyConstraint{TopologyProfile: t.ClusterTopologyName, PackDomain: t.PackDomain}
	}
	g.Components = make(map[string]*Component, len(spec.Components))
	for i := range spec.Components {
		c := &spec.Components[i]
		if _, ok := g.Components[c.Name]; ok {
			errs = append(errs, field.Invalid(field.NewPath("spec", "components").Index(i).Child("name"), c.Name, "is duplicated; rename or remove one of the two"))
			continue
		}
		g.Add(c.Name, serviceOf(c)).describe(c, i)
	}
	return g.named(errs)
}

// describe adds what only a component of v1beta1 can say, given its index.
func (c *Component) describe(written *v1beta1.Component, index int) {
	c.SidecarName, c.index, c.main, c.cacheMount = written.FrontendSidecar, index, -1, -1
	if e := written.Experimental; e != nil && e.Grove != nil {
		c.ForceScalingGroup = e.Grove.ForceScalingGroup
	}
	if t := written.PodTemplate; t != nil {
		c.main = slices.IndexFunc(t.Spec.Containers, isMain)
		c.cacheMount = cacheMountOf(written)
		c.Ignored = ignored(&t.ObjectMeta)
		c.MountedByName = mountedByName(&t.Spec, c.main)
	}
}

// cacheMountOf a component is the index of the mount of its main container that has the name of its compilation cache and no path. The
// Dynamo operator converts a cache of v1alpha1 without a path to such a mount, and mounts the cache at the default path of the engine.
func cacheMountOf(c *v1beta1.Component) int {
	i := slices.IndexFunc(c.PodTemplate.Spec.Containers, isMain)
	if i < 0 || c.CompilationCache == nil || c.CompilationCache.MountPath != "" {
		return -1
	}
	return slices.IndexFunc(c.PodTemplate.Spec.Containers[i].VolumeMounts, func(m corev1.VolumeMount) bool {
		return m.Name == c.CompilationCache.PVCName && m.MountPath == ""
	})
}

// mountedByName are the names of the volumes that the main container mounts and that the pod does not have.
func mountedByName(spec *corev1.PodSpec, main int) []string {
	if main < 0 {
		return nil
	}
	names := sets.New[string]()
	for _, mount := range spec.Containers[main].VolumeMounts {
		names.Insert(mount.Name)
	}
	for i := range spec.Volumes {
		names.Delete(spec.Volumes[i].Name)
	}
	return slices.Sorted(maps.Keys(names))
}

// ignored fields of the metadata of a pod template. Servers write them, so they do not express what the user wants.
func ignored(m *metav1.ObjectMeta) []string {
	var fields []string
	for name, written := range map[string]bool{
		"finalizers": len(m.Finalizers) > 0, "generateName": m.GenerateName != "", "name": m.Name != "", "namespace": m.Namespace != "",
		"ownerReferences": len(m.OwnerReferences) > 0,
	} {
		if written {
			fields = append(fields, name)
		}
	}
	slices.Sort(fields)
	return fields
}

func isMain(c corev1.Container) bool { return c.Name == v1beta1.MainContainer }

// serviceOf a component.
func serviceOf(c *v1beta1.Component) v1alpha1.Service {
	s := v1alpha1.Service{
		GlobalDynamoNamespace:  c.GlobalDynamoNamespace,
		Replicas:               c.Replicas,
		MinAvailable:           c.MinAvailable,
		Multinode:              c.Multinode,
		Roles:                  c.Roles,
		ModelRef:               c.ModelRef,
		EPPConfig:              c.EPPConfig,
		TopologyConstraint:     c.TopologyConstraint,
		ProviderOverride:       c.ProviderOverride,
		RuntimeVersionOverride: c.RuntimeVersionOverride,
	}
	s.ComponentType, s.SubComponentType = typesOf(c.Type)
	if size := c.SharedMemorySize; size != nil {
		s.SharedMemory = &v1alpha1.SharedMemory{Disabled: size.IsZero(), Size: *size}
	}
	if c.ScalingAdapter != nil {
		s.ScalingAdapter = &v1alpha1.ScalingAdapter{Enabled: true}
	}
	if cache := c.CompilationCache; cache != nil {
		s.VolumeMounts = []v1alpha1.VolumeMount{{Name: cache.PVCName, MountPoint: cache.MountPath, UseAsCompilationCache: true}}
	}
	if t := c.PodTemplate; t != nil {
		s.Annotations, s.ExtraPodMetadata = annotationsOfPod(t)
		s.ExtraPodSpec = podOf(&t.Spec, cacheMountOf(c))
	}
	if e := c.Experimental; e != nil {
		s.GPUMemoryService = gpuMemoryOf(e.GPUMemoryService)
		s.Failover = failoverOf(e.Failover)
		s.Checkpoint = e.Checkpoint
	}
	return s
}

// typesOf a component. Workers for one phase are workers with a more specific type, as upstream converts them.
func typesOf(t v1beta1.ComponentType) (component, sub string) {
	switch t {
	case v1beta1.ComponentPrefill, v1beta1.ComponentDecode:
		return v1alpha1.ComponentWorker, string(t)
	default:
		return string(t), ""
	}
}

// annotationsOfPod separates the annotations with a meaning for this project, which v1alpha1 has on the service, from those of the pods.
func annotationsOfPod(t *corev1.PodTemplateSpec) (map[string]string, *v1alpha1.ExtraPodMetadata) {
	if len(t.Annotations) == 0 && len(t.Labels) == 0 {
		return nil, nil
	}
	var service map[string]string
	pod := &v1alpha1.ExtraPodMetadata{Labels: t.Labels}
	for key, value := range t.Annotations {
		into := &pod.Annotations
		if slices.Contains(metadata.UserAnnotations(), key) {
			into = &service
		}
		if *into == nil {
			*into = map[string]string{}
		}
		(*into)[key] = value
	}
	return service, pod
}

// podOf a pod template. A mount of the main container without a volume mounts the claim of that name.
func podOf(spec *corev1.PodSpec, cacheMount int) *v1alpha1.ExtraPodSpec {
	pod := &v1alpha1.ExtraPodSpec{PodSpec: *spec}
	i := slices.IndexFunc(spec.Containers, isMain)
	if i < 0 {
		return pod
	}
	main := spec.Containers[i]
	if cacheMount >= 0 {
		main.VolumeMounts = slices.Delete(slices.Clone(main.VolumeMounts), cacheMount, cacheMount+1)
	}
	pod.MainContainer = &main
	pod.Containers = slices.Concat(spec.Containers[:i], spec.Containers[i+1:])
	// The volumes of the request are not appended to, and each is looked up: there can be thousands of mounts.
	pod.Volumes = slices.Clip(pod.Volumes)
	known := sets.New[string]()
	for i := range pod.Volumes {
		known.Insert(pod.Volumes[i].Name)
	}
	for _, mount := range pod.MainContainer.VolumeMounts {
		if known.Has(mount.Name) {
			continue
		}
		known.Insert(mount.Name)
		pod.Volumes = append(pod.Volumes, corev1.Volume{
			Name: mount.Name,
			VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: mount.Name},
			},
		})
	}
	return pod
}

func gpuMemoryOf(g *v1beta1.GPUMemoryService) *v1alpha1.GPUMemoryService {
	if g == nil {
		return nil
	}
	return &v1alpha1.GPUMemoryService{
		Enabled:               true,
		Mode:                  modeOf(g.Mode),
		DeviceClassName:       g.DeviceClassName,
		ExtraClientContainers: g.ExtraClientContainers,
		ExtraClientPods:       g.ExtraClientPods,
	}
}

func failoverOf(f *v1beta1.Failover) *v1alpha1.Failover {
	if f == nil {
		return nil
	}
	return &v1alpha1.Failover{Enabled: true, Mode: modeOf(f.Mode), NumShadows: f.NumShadows}
}

// modeOf is IntraPod as intraPod. Other values stay as they are and are refused later.
func modeOf(m v1beta1.ShareMode) v1alpha1.ShareMode {
	switch m {
	case v1beta1.ShareIntraPod, v1beta1.ShareInterPod:
		return v1alpha1.ShareMode(strings.ToLower(string(m[:1])) + string(m[1:]))
	default:
		return v1alpha1.ShareMode(m)
	}
}

// movedFields are remedies for fields of services in a graph with components.
func movedFields() []strict.Option {
	const main = "set it in container main of podTemplate"
	remedies := []strict.Option{
		strict.Hint(v1beta1.DynamoGraphDeploymentSpec{}, "envs", "use env instead"),
		strict.Hint(v1beta1.DynamoGraphDeploymentSpec{}, "pvcs", "create the claims beside the graph, and mount them by name in container main"),
		strict.Hint(v1beta1.SpecTopologyConstraint{}, "topologyProfile", "use clusterTopologyName instead"),
	}
	for name, remedy := range map[string]string{
		"annotations":      "use podTemplate.metadata.annotations instead",
		"autoscaling":      "use scalingAdapter with an autoscaler of your own, or write the graph with services (v1alpha1)",
		"checkpoint":       "use experimental.checkpoint instead",
		"componentType":    "use type instead",
		"envFromSecret":    main + " (envFrom)",
		"envs":             main + " (env)",
		"extraPodMetadata": "use podTemplate.metadata instead",
		"extraPodSpec":     "use podTemplate.spec instead",
		"failover":         "use experimental.failover instead",
		"gpuMemoryService": "use experimental.gpuMemoryService instead",
		"ingress":          "create an Ingress beside the graph, or write the graph with services (v1alpha1)",
		"labels":           "use podTemplate.metadata.labels instead",
		"livenessProbe":    main,
		"pvc":              "create the claim beside the graph, and mount it by name in container main",
		"readinessProbe":   main,
		"resources":        main,
		"sharedMemory":     "use sharedMemorySize instead",
		"subComponentType": "use type prefill or decode instead",
		"volumeMounts":     main,
	} {
		remedies = append(remedies, strict.Hint(v1beta1.Component{}, name, remedy))
	}
	return remedies
}
