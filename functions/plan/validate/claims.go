package validate

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// claims warns of claims whose name is similar to one that the graph defines. Any claim of the namespace can be mounted, and pods wait for
// a claim that does not exist.
func (w *warnings) claims(at *field.Path, g *graph.Graph, s *graph.Component) {
	var known []string
	for _, claim := range g.Spec.PVCs {
		known = append(known, claim.Name)
	}
	warn := func(path *field.Path, name string) {
		if near := strict.Near(name, known); near != "" {
			w.add(path, fmt.Sprintf("%q is not in {{spec.pvcs}}; did you mean %q?", name, near))
		}
	}
	var volumes []corev1.Volume
	if s.ExtraPodSpec != nil {
		volumes = s.ExtraPodSpec.Volumes
	}
	for i, mount := range s.VolumeMounts {
		// A volume with this name is mounted instead of a claim.
		if slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Name == mount.Name }) {
			continue
		}
		warn(at.Child("volumeMounts").Index(i).Child("name"), mount.Name)
	}
	for i := range volumes {
		if claim := volumes[i].PersistentVolumeClaim; claim != nil {
			warn(at.Child("extraPodSpec", "volumes").Index(i).Child("persistentVolumeClaim", "claimName"), claim.ClaimName)
		}
	}
}

// mountedByName warns of claims that a component mounts like volumes, unless the graph defines or caches with them.
func (w *warnings) mountedByName(at *field.Path, g *graph.Graph, s *graph.Component) {
	byName := s.MountedByName
	if len(byName) == 0 || s.ExtraPodSpec == nil {
		return
	}
	var volumes []corev1.Volume
	for _, volume := range s.ExtraPodSpec.Volumes {
		if !slices.Contains(byName, volume.Name) {
			volumes = append(volumes, volume)
		}
	}
	for i, mount := range s.PodContainer().VolumeMounts {
		defined := pod.IsOwnVolume(mount.Name) || slices.ContainsFunc(g.Spec.PVCs, func(c v1alpha1.PVC) bool { return c.Name == mount.Name }) ||
			slices.ContainsFunc(s.VolumeMounts, func(m v1alpha1.VolumeMount) bool { return m.Name == mount.Name })
		if slices.Contains(byName, mount.Name) && !defined {
			w.add(at.Child("extraPodSpec", "mainContainer", "volumeMounts").Index(i).Child("name"), notVolume(mount.Name, volumes))
		}
	}
}

// notVolume is about a mount of a component. In a pod template, a mount is that of a volume, and nothing there says that it is a claim.
func notVolume(name string, volumes []corev1.Volume) string {
	var names []string
	for i := range volumes {
		names = append(names, volumes[i].Name)
	}
	message := fmt.Sprintf("%q is not a volume of the pod, so the PersistentVolumeClaim of this name is mounted; ", name)
	if near := strict.Near(name, names); near != "" {
		return message + fmt.Sprintf("did you mean %q?", near)
	}
	return message + "add the volume to podTemplate.spec.volumes"
}
