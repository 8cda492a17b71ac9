package validate

import (
	"regexp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// references checks the names of objects to which the pods of a component refer. The API server only refuses an invalid name when the pods
// are created.
func (v *validator) references(path *field.Path, s *graph.Component) {
	v.envReferences(path.Child("envs"), s.Envs)
	if s.Sidecar != nil {
		v.envReferences(path.Child("frontendSidecar", "envs"), s.Sidecar.Envs)
	}
	for _, c := range containersOf(path, s) {
		v.envReferences(c.path.Child("env"), c.Env)
		v.envFrom(c.path.Child("envFrom"), c.EnvFrom)
	}
	extra := graph.PodPath(path)
	for _, name := range []struct{ field, value, kind string }{
		{"priorityClassName", s.Pod().PriorityClassName, "PriorityClass"},
		{"runtimeClassName", ptr.Deref(s.Pod().RuntimeClassName, ""), "RuntimeClass"},
		{"schedulerName", s.Pod().SchedulerName, "scheduler"},
		{"serviceAccount", s.Pod().DeprecatedServiceAccount, "ServiceAccount"},
		{"serviceAccountName", s.Pod().ServiceAccountName, "ServiceAccount"},
	} {
		if name.value != "" {
			v.objectName(extra.Child(name.field), name.value, name.kind)
		}
	}
	for i, claim := range s.Pod().ResourceClaims {
		if claim.ResourceClaimName != nil {
			v.objectName(extra.Child("resourceClaims").Index(i).Child("resourceClaimName"), *claim.ResourceClaimName, "ResourceClaim")
		}
		if claim.ResourceClaimTemplateName != nil {
			v.objectName(extra.Child("resourceClaims").Index(i).Child("resourceClaimTemplateName"), *claim.ResourceClaimTemplateName, "ResourceClaimTemplate")
		}
	}
	for i := range s.Pod().Volumes {
		v.volumeReferences(extra.Child("volumes").Index(i), s.Pod().Volumes[i].VolumeSource)
	}
}

// Fields of pods, and resources of containers, that variables can have.
// https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
var (
	fieldOfPods = regexp.MustCompile(`^(metadata\.(name|namespace|uid)|metadata\.(labels|annotations)\['.+'\]|` +
		`spec\.(nodeName|serviceAccountName)|status\.(host|pod)IPs?)$`)
	resourceOfContainers = regexp.MustCompile(`^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$`)
)

func (v *validator) envReferences(path *field.Path, envs []corev1.EnvVar) {
	for i, env := range envs {
		if env.ValueFrom == nil {
			continue
		}
		fieldPath := path.Index(i).Child("valueFrom")
		if ref := env.ValueFrom.SecretKeyRef; ref != nil {
			v.keyName(fieldPath.Child("secretKeyRef"), ref.Name, ref.Key, "Secret")
		}
		if ref := env.ValueFrom.ConfigMapKeyRef; ref != nil {
			v.keyName(fieldPath.Child("configMapKeyRef"), ref.Name, ref.Key, "ConfigMap")
		}
		if ref := env.ValueFrom.FieldRef; ref != nil {
			where := fieldPath.Child("fieldRef", "fieldPath")
			switch {
			case ref.FieldPath == "":
				v.required(where, "specify a field of the pod, such as status.podIP")
			case !fieldOfPods.MatchString(ref.FieldPath):
				v.invalid(where, ref.FieldPath, "is not a field of pods that variables can have; use metadata.name, metadata.namespace, metadata.uid, a label or annotation such as metadata.labels['app'], spec.nodeName, spec.serviceAccountName, status.hostIP or status.podIP")
			}
		}
		if ref := env.ValueFrom.ResourceFieldRef; ref != nil {
			where := fieldPath.Child("resourceFieldRef", "resource")
			switch {
			case ref.Resource == "":
				v.required(where, "specify a resource, such as limits.cpu")
			case !resourceOfContainers.MatchString(ref.Resource):
				v.invalid(where, ref.Resource, "only limits and requests of cpu, memory, ephemeral-storage and hugepages are available; write the value itself")
			}
		}
	}
}

func (v *validator) envFrom(path *field.Path, sources []corev1.EnvFromSource) {
	for i, from := range sources {
		fieldPath := path.Index(i)
		if n := count(from.SecretRef != nil, from.ConfigMapRef != nil); n != 1 {
			v.forbidden(fieldPath, "must have exactly one of secretRef and configMapRef, but has %d", n)
		}
		if from.SecretRef != nil {
			v.objectName(fieldPath.Child("secretRef", "name"), from.SecretRef.Name, "Secret")
		}
		if from.ConfigMapRef != nil {
			v.objectName(fieldPath.Child("configMapRef", "name"), from.ConfigMapRef.Name, "ConfigMap")
		}
	}
}

func (v *validator) volumeReferences(path *field.Path, source corev1.VolumeSource) {
	if source.ConfigMap != nil {
		v.mode(path.Child("configMap", "defaultMode"), source.ConfigMap.DefaultMode)
		v.objectName(path.Child("configMap", "name"), source.ConfigMap.Name, "ConfigMap")
	}
	if source.Secret != nil {
		v.mode(path.Child("secret", "defaultMode"), source.Secret.DefaultMode)
		v.objectName(path.Child("secret", "secretName"), source.Secret.SecretName, "Secret")
	}
	if source.PersistentVolumeClaim != nil {
		v.objectName(path.Child("persistentVolumeClaim", "claimName"), source.PersistentVolumeClaim.ClaimName, "PersistentVolumeClaim")
	}
	if source.HostPath != nil && source.HostPath.Path == "" {
		v.required(path.Child("hostPath", "path"), "specify the path on the node")
	}
	if source.EmptyDir != nil && source.EmptyDir.SizeLimit != nil && source.EmptyDir.SizeLimit.Sign() < 0 {
		v.invalid(path.Child("emptyDir", "sizeLimit"), source.EmptyDir.SizeLimit.String(), "must be at least 0")
	}
}

// mode of the files of a volume.
func (v *validator) mode(path *field.Path, mode *int32) {
	if m := ptr.Deref(mode, 0); m < 0 || m > 0o777 {
		v.invalid(path, m, "must be from 0 to 0777; permissions are written with a leading zero, such as 0755")
	}
}

func (v *validator) keyName(path *field.Path, name, key, kind string) {
	v.objectName(path.Child("name"), name, kind)
	if key == "" {
		v.required(path.Child("key"), "specify the key of the %s", kind)
	}
}

func (v *validator) objectName(path *field.Path, name, kind string) {
	switch {
	case name == "":
		v.required(path, "specify the name of the %s", kind)
	case len(validation.IsDNS1123Subdomain(name)) > 0:
		v.invalid(path, name, "is not a valid name of a %s; use lower-case letters, digits, dashes and dots", kind)
	}
}

// placed is a container that the user wrote, with its path.
type placed struct {
	*corev1.Container

	path *field.Path
	// main and init say which kind of container it is. Neither means a sidecar.
	main, init bool
}

// containersOf a component that the user wrote: main container, init containers and sidecars.
func containersOf(path *field.Path, s *graph.Component) []placed {
	extra := graph.PodPath(path)
	var all []placed
	if s.HasWrittenMain() {
		all = append(all, placed{Container: s.WrittenMain(), path: graph.MainPath(path), main: true})
	}
	for i := range s.Pod().InitContainers {
		all = append(all, placed{Container: &s.Pod().InitContainers[i], path: extra.Child("initContainers").Index(i), init: true})
	}
	for i := range s.Beside() {
		all = append(all, placed{Container: &s.Beside()[i], path: s.BesidePath(i)})
	}
	return all
}

func (v *validator) modelRef(path *field.Path, ref *v1alpha1.ModelReference) {
	if ref != nil && ref.Name == "" {
		v.required(path.Child("name"), "specify the name of the model")
	}
}
