package validate

import (
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

const (
	sharedMemoryVolume = "shared-memory"
	sharedMemoryPath   = "/dev/shm"
)

// graph warns of fields of the graph that others make void.
func (w *warnings) graph(g *graph.Graph) {
	if value, ok := g.Annotations[metadata.AnnotationEnableGrove]; ok && !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false") {
		w.add(field.NewPath("metadata", "annotations").Key(metadata.AnnotationEnableGrove), `has no effect with this value; only "false" keeps the graph off Grove`)
	}
	w.misspeltAnnotations(field.NewPath("metadata", "annotations"), g.Annotations)
	w.misspeltAnnotations(specPath().Child("annotations"), g.Spec.Annotations)
	w.duplicates(specPath().Child("envs"), g.Spec.Envs)
	w.reservedLabels(specPath().Child("labels"), g.Spec.Labels)
	for i, claim := range g.Spec.PVCs {
		if !ptr.Deref(claim.Create, false) && (!claim.Size.IsZero() || claim.StorageClass != "" || claim.VolumeAccessMode != "") {
			w.add(specPath().Child("pvcs").Index(i), "size, storageClass and volumeAccessMode have no effect on a claim that exists; set create: true, or remove them")
		}
	}
}

// overridden warns of fields of a service that others make void.
func (w *warnings) overridden(at *field.Path, g *graph.Graph, s *v1alpha1.Service) {
	w.duplicates(at.Child("envs"), s.Envs)
	w.reservedLabels(at.Child("labels"), s.Labels)
	if s.ExtraPodMetadata != nil {
		w.reservedLabels(at.Child("extraPodMetadata", "labels"), s.ExtraPodMetadata.Labels)
	}
	if s.FrontendSidecar != nil {
		w.duplicates(at.Child("frontendSidecar", "envs"), s.FrontendSidecar.Envs)
	}
	w.misspelt(at, s)
	w.claims(at, g, s)
	w.probes(at, s)
	w.sharedMemory(at, s)
	w.nodes(at, g, s)
	w.fractions(at, s)
}

// duplicates of a variable are merged by name, and the last one stays.
func (w *warnings) duplicates(at *field.Path, envs []corev1.EnvVar) {
	seen := map[string]bool{}
	for i, env := range envs {
		if seen[env.Name] {
			w.add(at.Index(i).Child("name"), "variable "+env.Name+" is there twice, and the last one counts; remove the other")
		}
		seen[env.Name] = true
	}
}

// reservedLabels are set on every pod, over the user's.
func (w *warnings) reservedLabels(at *field.Path, labels map[string]string) {
	for _, key := range []string{
		metadata.LabelComponent, metadata.LabelDiscoveryBackend, metadata.LabelDiscoveryEnabled,
		metadata.LabelDynamoNamespace, metadata.LabelGraphName, metadata.LabelSelector,
	} {
		if _, ok := labels[key]; ok {
			w.add(at.Key(key), "has no effect on pods, which are found by this label; remove it")
		}
	}
}

func (w *warnings) probes(at *field.Path, s *v1alpha1.Service) {
	var main corev1.Container
	if s.ExtraPodSpec != nil && s.ExtraPodSpec.MainContainer != nil {
		main = *s.ExtraPodSpec.MainContainer
	}
	inMain := at.Child("extraPodSpec", "mainContainer")
	if s.LivenessProbe != nil && main.LivenessProbe != nil {
		w.add(inMain.Child("livenessProbe"), "has no effect; livenessProbe of the service replaces it")
	}
	if s.ReadinessProbe != nil && main.ReadinessProbe != nil {
		w.add(inMain.Child("readinessProbe"), "has no effect; readinessProbe of the service replaces it")
	}
	// The user's ports replace those of the component type; its own probes then ask by number.
	if main.Ports == nil {
		return
	}
	named := func(name string) bool {
		return slices.ContainsFunc(main.Ports, func(p corev1.ContainerPort) bool { return p.Name == name })
	}
	for _, probe := range []struct {
		path  *field.Path
		probe *corev1.Probe
	}{
		{at.Child("livenessProbe"), s.LivenessProbe},
		{at.Child("readinessProbe"), s.ReadinessProbe},
		{inMain.Child("livenessProbe"), main.LivenessProbe},
		{inMain.Child("readinessProbe"), main.ReadinessProbe},
		{inMain.Child("startupProbe"), main.StartupProbe},
	} {
		if name := portOf(probe.probe); name != "" && !named(name) {
			w.add(probe.path, "asks port "+name+", which mainContainer.ports does not have; the probe fails until it does")
		}
	}
}

// portOf a probe, when it is a name.
func portOf(p *corev1.Probe) string {
	var port intstr.IntOrString
	switch {
	case p == nil:
	case p.HTTPGet != nil:
		port = p.HTTPGet.Port
	case p.TCPSocket != nil:
		port = p.TCPSocket.Port
	}
	return port.StrVal
}

// sharedMemory takes the place of what the user has of that name or at that path.
func (w *warnings) sharedMemory(at *field.Path, s *v1alpha1.Service) {
	if s.SharedMemory != nil && s.SharedMemory.Disabled {
		return
	}
	const replaced = "is replaced by the shared memory of the service; set sharedMemory.size, or sharedMemory.disabled: true to keep it"
	for i, mount := range s.VolumeMounts {
		if path.Clean(mount.MountPoint) == sharedMemoryPath {
			w.add(at.Child("volumeMounts").Index(i), replaced)
		}
	}
	if s.ExtraPodSpec == nil {
		return
	}
	for i := range s.ExtraPodSpec.Volumes {
		if s.ExtraPodSpec.Volumes[i].Name == sharedMemoryVolume {
			w.add(at.Child("extraPodSpec", "volumes").Index(i), replaced)
		}
	}
	if s.ExtraPodSpec.MainContainer == nil {
		return
	}
	for i, mount := range s.ExtraPodSpec.MainContainer.VolumeMounts {
		if path.Clean(mount.MountPath) == sharedMemoryPath {
			w.add(at.Child("extraPodSpec", "mainContainer", "volumeMounts").Index(i), replaced)
		}
	}
}

// nodes without a backend are not made one engine.
func (w *warnings) nodes(at *field.Path, g *graph.Graph, s *v1alpha1.Service) {
	if !pod.IsMultinode(s) {
		return
	}
	if framework, err := frameworkOf(g, s); err == nil && framework == "" {
		w.add(at.Child("multinode"), "no backend is known for this service, so all nodes run the same command; set componentType: worker and backendFramework, or let the command form the group")
	}
}

// fractions of a byte are a unit that was meant to be M or Mi.
func (w *warnings) fractions(at *field.Path, s *v1alpha1.Service) {
	if s.Resources == nil {
		return
	}
	for name, list := range map[string]*v1alpha1.ResourceList{"limits": s.Resources.Limits, "requests": s.Resources.Requests} {
		if list != nil && list.Memory != nil && list.Memory.CmpInt64(list.Memory.Value()) != 0 {
			w.add(at.Child("resources", name, "memory"), list.Memory.String()+" is no whole number of bytes; m means a thousandth, and M or Mi millions")
		}
	}
}
