package graph

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// decodeComponents reads a graph that is written with components. The fields that only services have stay empty, except for those that mean the
// same as a field of a component.
func (g *Graph) decodeComponents(note func(*field.Error, strict.Unknown)) field.ErrorList {
	var spec v1beta1.DynamoGraphDeploymentSpec
	errs := strict.Decode(structpb.NewStructValue(g.spec), &spec, field.NewPath("spec"), g.decoding(note))

	g.Spec = spec
	g.Spec.Components = nil
	g.Components = make(map[string]*Component, len(spec.Components))
	for i := range spec.Components {
		c := &spec.Components[i]
		if _, ok := g.Components[c.Name]; ok {
			errs = append(errs, field.Invalid(field.NewPath("spec", "components").Index(i).Child("name"), c.Name, "is duplicated; rename or remove one of the two"))
			continue
		}
		g.add(*c, serviceFieldsOf(c)).describe(c, i).takeTemplate(c).takeRoles()
	}
	return g.named(errs)
}

// describe adds what only a component of v1beta1 can say, given its index.
func (c *Component) describe(written *v1beta1.Component, index int) *Component {
	c.index, c.main, c.cacheMount = index, -1, -1
	if t := written.PodTemplate; t != nil {
		c.main = slices.IndexFunc(t.Spec.Containers, isMain)
		c.cacheMount = cacheMountOf(written)
		c.Ignored = ignored(&t.ObjectMeta)
		c.MountedByName = mountedByName(&t.Spec, c.main)
	}
	return c
}

// takeTemplate gives the component the pod template that its user wrote, without the annotations of a service.
func (c *Component) takeTemplate(written *v1beta1.Component) *Component {
	template := &corev1.PodTemplateSpec{}
	if t := written.PodTemplate; t != nil {
		c.Annotations, template.Annotations = annotationsOfPod(t)
		template.Labels = t.Labels
	}
	c.PodTemplate = template
	c.takePodOf(written)
	return c
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

// serviceFieldsOf a component.
func serviceFieldsOf(c *v1beta1.Component) ServiceFields {
	var s ServiceFields
	s.ComponentType, s.SubComponentType = conversion.TypesOf(string(c.Type))
	if cache := c.CompilationCache; cache != nil {
		s.VolumeMounts = []v1alpha1.VolumeMount{{Name: cache.PVCName, MountPoint: cache.MountPath, UseAsCompilationCache: true}}
	}
	return s
}

// annotationsOfPod separates the annotations with a meaning for this project, which v1alpha1 has on the service, from those of the pods.
func annotationsOfPod(t *corev1.PodTemplateSpec) (service, pod map[string]string) {
	for key, value := range t.Annotations {
		into := &pod
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

// takePodOf a component. A mount of the main container without a volume mounts the claim of that name, and the one that only names the
// compilation cache is left out.
func (c *Component) takePodOf(written *v1beta1.Component) {
	pod := &c.PodTemplate.Spec
	*pod, c.written, c.beside = corev1.PodSpec{}, nil, nil
	if written.PodTemplate != nil {
		*pod = written.PodTemplate.Spec
	}
	if c.main < 0 {
		c.beside = pod.Containers
		return
	}
	c.beside = slices.Concat(pod.Containers[:c.main], pod.Containers[c.main+1:])
	if i := c.cacheMount; i >= 0 {
		pod.Containers = slices.Clone(pod.Containers)
		main := &pod.Containers[c.main]
		main.VolumeMounts = slices.Delete(slices.Clone(main.VolumeMounts), i, i+1)
	}
	c.written = &pod.Containers[c.main]
	pod.Volumes = ClaimVolumes(pod.Volumes, c.written.VolumeMounts, func(m *corev1.VolumeMount) string { return m.Name })
}

// ClaimVolumes are the volumes of a pod and, for each claim without a volume of its name, one: a claim may be mounted in several places.
func ClaimVolumes[Mount any](volumes []corev1.Volume, mounts []Mount, claimOf func(*Mount) string) []corev1.Volume {
	// The volumes of the request are not appended to, and each is looked up: there can be thousands of mounts.
	volumes = slices.Clip(volumes)
	known := sets.New[string]()
	for i := range volumes {
		known.Insert(volumes[i].Name)
	}
	for i := range mounts {
		claim := claimOf(&mounts[i])
		if known.Has(claim) {
			continue
		}
		known.Insert(claim)
		volumes = append(volumes, corev1.Volume{
			Name:         claim,
			VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}},
		})
	}
	return volumes
}

// movedFields are remedies for fields of services in a graph with components.
func movedFields() []strict.Hint {
	const main = "set it in container main of podTemplate"
	remedies := []strict.Hint{
		{Parent: v1beta1.Component{}, Name: "extraPodSpec", To: "podTemplate", Remedy: "use podTemplate.spec instead"},
		{Parent: v1beta1.Component{}, Name: "podSpec", To: "podTemplate", Remedy: "use podTemplate.spec instead"},
		{Parent: v1beta1.DynamoGraphDeploymentSpec{}, Name: "envs", Remedy: "use env instead"},
		{Parent: v1beta1.DynamoGraphDeploymentSpec{}, Name: "pvcs", Remedy: "create the claims beside the graph, and mount them by name in container main"},
		{Parent: v1beta1.SpecTopologyConstraint{}, Name: "topologyProfile", Remedy: "use clusterTopologyName instead"},
	}
	for name, remedy := range map[string]string{
		"annotations":      "use podTemplate.metadata.annotations instead",
		"autoscaling":      "use scalingAdapter with an autoscaler of your own, or write the graph with services (v1alpha1)",
		"checkpoint":       "use experimental.checkpoint instead",
		"componentType":    "use type instead",
		"envFromSecret":    main + " (envFrom)",
		"envs":             main + " (env)",
		"extraPodMetadata": "use podTemplate.metadata instead",
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
		remedies = append(remedies, strict.Hint{Parent: v1beta1.Component{}, Name: name, Remedy: remedy})
	}
	return remedies
}
