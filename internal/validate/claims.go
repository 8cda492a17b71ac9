package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

// claims warns of claims whose name is similar to one that the graph defines. Any claim of the namespace can be mounted, and pods wait for
// a claim that does not exist.
func (w *warnings) claims(fieldPath *field.Path, g *graph.Graph, s *graph.Component) {
	var known []string
	for _, claim := range g.PVCs {
		known = append(known, claim.Name)
	}
	guesses := strict.GuessesOf(known)
	warn := func(path *field.Path, name string) {
		if near := guesses.Near(name); near != "" {
			w.add(path, "%q is not in {{spec.pvcs}}; did you mean %q?", name, near)
		}
	}
	volumes := s.Pod().Volumes
	defined := sets.New[string]()
	for i := range volumes {
		defined.Insert(volumes[i].Name)
	}
	for i, mount := range s.VolumeMounts {
		// A volume with this name is mounted instead of a claim.
		if defined.Has(mount.Name) {
			continue
		}
		warn(fieldPath.Child("volumeMounts").Index(i).Child("name"), mount.Name)
	}
	for i := range volumes {
		if claim := volumes[i].PersistentVolumeClaim; claim != nil {
			warn(graph.PodPath(fieldPath, "volumes").Index(i).Child("persistentVolumeClaim", "claimName"), claim.ClaimName)
		}
	}
}

// mountedByName warns of claims that a component mounts like volumes, unless the graph defines or caches with them.
func (w *warnings) mountedByName(path *field.Path, g *graph.Graph, s *graph.Component) {
	byName := sets.New(s.MountedByName...)
	if len(byName) == 0 {
		return
	}
	var volumes []string
	for i := range s.Pod().Volumes {
		if volume := s.Pod().Volumes[i].Name; !byName.Has(volume) {
			volumes = append(volumes, volume)
		}
	}
	guesses := strict.GuessesOf(volumes)
	for _, claim := range g.PVCs {
		byName.Delete(claim.Name)
	}
	for _, mount := range s.VolumeMounts {
		byName.Delete(mount.Name)
	}
	for i, mount := range s.Main().VolumeMounts {
		if byName.Has(mount.Name) && !pod.IsOwnVolume(mount.Name) {
			w.add(graph.MainPath(path, "volumeMounts").Index(i).Child("name"), "%s", notVolume(mount.Name, guesses))
		}
	}
}

// notVolume is about a mount of a component. In a pod template, a mount is that of a volume, and nothing there says that it is a claim.
func notVolume(name string, volumes *strict.Guesses) string {
	message := fmt.Sprintf("%q is not a volume of the pod, so the PersistentVolumeClaim of this name is mounted; ", name)
	if near := volumes.Near(name); near != "" {
		return message + fmt.Sprintf("did you mean %q?", near)
	}
	return message + "add the volume to podTemplate.spec.volumes"
}
