package guardrails

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/wildcard"
)

// service checks one service.
type service struct {
	*checker

	name string
	path *field.Path
	spec v1alpha1.Service

	// live pods of the service. Revisions keep them as their user wrote them.
	live observed.Pods
}

func (c *checker) serviceOf(name string) *service {
	return &service{
		checker: c, name: name, path: field.NewPath("spec", "services").Key(name),
		spec: c.facts.Graph.Spec.Services[name], live: c.facts.Observed.Pods[names.Lower(name)],
	}
}

// runs reports whether a live pod of the service has a property.
func (s *service) runs(has func(*corev1.PodSpec) bool) bool {
	return slices.ContainsFunc(s.live, func(template corev1.PodTemplateSpec) bool { return has(&template.Spec) })
}

// runsContainer reports whether a container of a live pod has a property.
func (s *service) runsContainer(has func(*corev1.Container) bool) bool {
	return s.runs(func(spec *corev1.PodSpec) bool {
		return slices.ContainsFunc(slices.Concat(spec.InitContainers, spec.Containers), func(c corev1.Container) bool { return has(&c) })
	})
}

// queues that the pods name themselves, in place of the annotation of the graph.
func (s *service) queues() {
	r := rail{"queues", s.rails.Queues}
	check := func(path *field.Path, values map[string]string, key string, live func(*corev1.PodTemplateSpec) string) {
		s.checker.name(path.Key(key), values[key], r, slices.ContainsFunc(s.live, func(t corev1.PodTemplateSpec) bool { return live(&t) == values[key] }))
	}
	label := func(t *corev1.PodTemplateSpec) string { return t.Labels[metadata.LabelKAIQueue] }
	annotation := func(t *corev1.PodTemplateSpec) string { return t.Annotations[metadata.AnnotationVolcanoQueue] }
	check(s.path.Child("labels"), s.spec.Labels, metadata.LabelKAIQueue, label)
	check(s.path.Child("annotations"), s.spec.Annotations, metadata.AnnotationVolcanoQueue, annotation)
	if extra := s.spec.ExtraPodMetadata; extra != nil {
		check(s.path.Child("extraPodMetadata", "labels"), extra.Labels, metadata.LabelKAIQueue, label)
		check(s.path.Child("extraPodMetadata", "annotations"), extra.Annotations, metadata.AnnotationVolcanoQueue, annotation)
	}
}

// pods checks what the user has written for the pods of the service.
func (s *service) pods() {
	if sidecar := s.spec.FrontendSidecar; sidecar != nil {
		s.image(s.path.Child("frontendSidecar", "image"), sidecar.Image)
	}
	extra := s.spec.ExtraPodSpec
	if extra == nil {
		return
	}
	at := s.path.Child("extraPodSpec")
	for _, account := range []struct{ field, name string }{
		{"serviceAccountName", extra.ServiceAccountName}, {"serviceAccount", extra.DeprecatedServiceAccount},
	} {
		s.checker.name(at.Child(account.field), account.name, rail{"ServiceAccounts", s.rails.ServiceAccounts},
			s.runs(func(live *corev1.PodSpec) bool { return live.ServiceAccountName == account.name }))
	}
	s.hostNamespaces(at, &extra.PodSpec)
	for i := range extra.Volumes {
		s.volume(at.Child("volumes").Index(i), &extra.Volumes[i])
	}
	if extra.MainContainer != nil {
		s.container(at.Child("mainContainer"), extra.MainContainer)
	}
	for i := range extra.InitContainers {
		s.container(at.Child("initContainers").Index(i), &extra.InitContainers[i])
	}
	for i := range extra.Containers {
		s.container(at.Child("containers").Index(i), &extra.Containers[i])
	}
}

// hostNamespaces that a pod shares with its node.
func (s *service) hostNamespaces(at *field.Path, spec *corev1.PodSpec) {
	for _, namespace := range []struct {
		field string
		of    func(*corev1.PodSpec) bool
	}{
		{"hostNetwork", func(p *corev1.PodSpec) bool { return p.HostNetwork }},
		{"hostPID", func(p *corev1.PodSpec) bool { return p.HostPID }},
		{"hostIPC", func(p *corev1.PodSpec) bool { return p.HostIPC }},
	} {
		if namespace.of(spec) && forbidden(s.rails.AllowHostNetwork) {
			s.violation(at.Child(namespace.field), true, "the platform does not allow pods in namespaces of their nodes", "remove it", s.runs(namespace.of))
		}
	}
}

func forbidden(allow *bool) bool { return !ptr.Deref(allow, true) }

func (s *service) volume(at *field.Path, volume *corev1.Volume) {
	if host := volume.HostPath; host != nil && forbidden(s.rails.AllowHostPath) {
		s.violation(at.Child("hostPath", "path"), host.Path, "the platform does not allow volumes of type hostPath", "use another type", s.runsVolume(func(live *corev1.Volume) bool {
			return live.HostPath != nil && live.HostPath.Path == host.Path
		}))
	}
	if image := volume.Image; image != nil {
		s.image(at.Child("image", "reference"), image.Reference)
	}
	if claim := volume.Ephemeral; claim != nil && claim.VolumeClaimTemplate != nil {
		class := claim.VolumeClaimTemplate.Spec.StorageClassName
		runs := s.runsVolume(func(live *corev1.Volume) bool {
			return live.Ephemeral != nil && live.Ephemeral.VolumeClaimTemplate != nil && ptr.Equal(live.Ephemeral.VolumeClaimTemplate.Spec.StorageClassName, class)
		})
		s.checker.name(at.Child("ephemeral", "volumeClaimTemplate", "spec", "storageClassName"), ptr.Deref(class, ""), s.storageClasses(), runs)
	}
}

// runsVolume reports whether a volume of a live pod has a property.
func (s *service) runsVolume(has func(*corev1.Volume) bool) bool {
	return s.runs(func(spec *corev1.PodSpec) bool {
		return slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool { return has(&v) })
	})
}

func (s *service) container(at *field.Path, c *corev1.Container) {
	s.image(at.Child("image"), c.Image)
	security := c.SecurityContext
	if security == nil {
		return
	}
	at = at.Child("securityContext")
	if isPrivileged(c) && forbidden(s.rails.AllowPrivileged) {
		s.violation(at.Child("privileged"), true, "the platform does not allow privileged containers", "remove it", s.runsContainer(isPrivileged))
	}
	if security.Capabilities == nil {
		return
	}
	for i, added := range security.Capabilities.Add {
		runs := s.runsContainer(func(live *corev1.Container) bool {
			return live.SecurityContext != nil && live.SecurityContext.Capabilities != nil && slices.Contains(live.SecurityContext.Capabilities.Add, added)
		})
		s.checker.name(at.Child("capabilities", "add").Index(i), string(added), rail{"capabilities", s.rails.Capabilities}, runs)
	}
}

func isPrivileged(c *corev1.Container) bool {
	return c.SecurityContext != nil && ptr.Deref(c.SecurityContext.Privileged, false)
}

// image that is neither in an allowed registry nor below an allowed repository. Without a valid name it is in none.
func (s *service) image(path *field.Path, image string) {
	r := rail{"images from", s.rails.ImageRegistries}
	if image == "" || r.allowed == nil {
		return
	}
	repository := pod.RepositoryOf(image)
	if r.allows(repository) || slices.ContainsFunc(r.allowed, func(entry string) bool { return wildcard.Match(strings.TrimSuffix(entry, "/")+"/*", repository) }) {
		return
	}
	allowed := r.String()
	if len(r.allowed) == 0 {
		allowed = "the platform allows no images"
	}
	s.violation(path, image, allowed, r.remedy(), s.runsContainer(func(live *corev1.Container) bool { return live.Image == image }) ||
		s.runsVolume(func(live *corev1.Volume) bool { return live.Image != nil && live.Image.Reference == image }))
}
