package pods

import (
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// CheckGenerated refuses names that generated parts of the pods have as well: the API server would refuse the pods, or the part of the user
// would be lost. Only built pods show their generated parts.
func CheckGenerated(f *subject.Facts, built pod.Pods) subject.Outcome {
	var outcome subject.Outcome
	for _, component := range f.Buildable.ComponentsByName() {
		taken := takenNames(graph.ComponentPath(component.Name), component)
		if len(taken) == 0 {
			continue
		}
		for _, seen := range built[component.Name] {
			parts := partsOf(&seen.Template.Spec)
			met := func(t takenName) bool { return parts[t.part] > t.own }
			for _, t := range taken {
				if met(t) {
					outcome.Add(t.outcome(f.Live()))
				}
			}
			taken = slices.DeleteFunc(taken, met)
		}
	}
	bounded := subject.Refused(subject.Mistake, outcome.Refused(subject.Mistake).Bounded(field.NewPath("spec"), f.Graph)...)
	bounded.Warnings = outcome.Warnings
	return bounded
}

// takenName is a name or a path of the user that a generated part may have as well.
type takenName struct {
	path *field.Path

	// part that the pods must not have more often than own, which is how often the part of the user counts.
	part part
	own  int

	generated pod.Generated

	// runs says that the API server accepts such pods. A live graph with such pods gets a warning, because its user could not edit it if it
	// was refused.
	runs bool
}

// outcome if the pods have the part.
func (t takenName) outcome(live bool) subject.Outcome {
	if t.runs && live {
		return subject.Outcome{Warnings: message.List{message.About(t.path, "%s", t.detail())}}
	}
	return subject.Refused(subject.Mistake, message.Invalid(t.path, t.part.name, "%s", t.detail()))
}

func (t takenName) detail() message.Text {
	detail := message.Format("is the name of %s, which is added to the pods of this {{component}}; rename it", t.generated.What)
	if t.part.kind == mountPart {
		detail = message.Format("is where %s is mounted in the pods of this {{component}}; choose another path", t.generated.What)
	}
	if !t.generated.Instead.IsZero() {
		return message.Format("%s, or %s", detail, t.generated.Instead)
	}
	return detail
}

// partKind is a kind of part of a pod that has a name.
type partKind int

const (
	volumePart partKind = iota
	// unclaimedPart is a volume other than a PersistentVolumeClaim.
	unclaimedPart
	claimPart
	containerPart
	// mountPart is identified by its path.
	mountPart
	portPart
)

// part of a pod. Mounts and ports belong to a container.
type part struct {
	kind            partKind
	container, name string
}

// partsOf a pod, with the number of each.
func partsOf(built *corev1.PodSpec) map[part]int {
	parts := map[part]int{}
	for i := range built.Volumes {
		parts[part{kind: volumePart, name: built.Volumes[i].Name}]++
		if built.Volumes[i].PersistentVolumeClaim == nil {
			parts[part{kind: unclaimedPart, name: built.Volumes[i].Name}]++
		}
	}
	for _, claim := range built.ResourceClaims {
		parts[part{kind: claimPart, name: claim.Name}]++
	}
	for _, containers := range [][]corev1.Container{built.InitContainers, built.Containers} {
		for i := range containers {
			name := containers[i].Name
			parts[part{kind: containerPart, name: name}]++
			for _, mount := range containers[i].VolumeMounts {
				parts[part{kind: mountPart, container: name, name: path.Clean(mount.MountPath)}]++
			}
			for _, port := range containers[i].Ports {
				parts[part{kind: portPart, container: name, name: port.Name}]++
			}
		}
	}
	return parts
}

func takenNames(fieldPath *field.Path, s *graph.Component) []takenName {
	taken := takenByClaims(fieldPath.Child("volumeMounts"), s)
	extra, spec := graph.PodPath(fieldPath), s.Pod()
	for i := range spec.Volumes {
		taken = append(taken, takenIn(pod.GeneratedVolume, part{kind: volumePart, name: spec.Volumes[i].Name}, 1, extra.Child("volumes").Index(i).Child("name"))...)
	}
	for i, claim := range spec.ResourceClaims {
		taken = append(taken, takenIn(pod.GeneratedClaim, part{kind: claimPart, name: claim.Name}, 1, extra.Child("resourceClaims").Index(i).Child("name"))...)
	}
	if main := s.WrittenMain(); s.HasWrittenMain() {
		taken = append(taken, takenByMounts(graph.MainPath(fieldPath), pod.MainContainers(s)[0], main.VolumeMounts)...)
		// Engines of failover have other ports, of which there is a warning.
		if !s.HasStandby() {
			taken = append(taken, takenByPorts(graph.MainPath(fieldPath), pod.MainContainer, s, main.Ports)...)
		}
	}
	for i := range spec.InitContainers {
		taken = append(taken, takenByContainer(extra.Child("initContainers").Index(i), s, &spec.InitContainers[i])...)
	}
	for i, c := range s.Beside() {
		taken = append(taken, takenByContainer(s.BesidePath(i), s, &c)...)
	}
	return taken
}

func takenByContainer(fieldPath *field.Path, s *graph.Component, c *corev1.Container) []takenName {
	taken := takenIn(pod.GeneratedContainer, part{kind: containerPart, name: c.Name}, 1, fieldPath.Child("name"))
	taken = append(taken, takenByMounts(fieldPath, c.Name, c.VolumeMounts)...)
	return append(taken, takenByPorts(fieldPath, c.Name, s, c.Ports)...)
}

func takenByMounts(fieldPath *field.Path, container string, mounts []corev1.VolumeMount) []takenName {
	var taken []takenName
	for i, mount := range mounts {
		taken = append(taken, takenByMount(fieldPath.Child("volumeMounts").Index(i).Child("mountPath"), container, mount.MountPath)...)
	}
	return taken
}

func takenByMount(fieldPath *field.Path, container, mountPath string) []takenName {
	return takenIn(pod.GeneratedMount, part{kind: mountPart, container: container, name: path.Clean(mountPath)}, 1, fieldPath)
}

// takenByPorts of a container: each port of a pod needs a unique name. The API server only warns about duplicates, and Services and probes
// use the first one.
func takenByPorts(fieldPath *field.Path, container string, s *graph.Component, ports []corev1.ContainerPort) []takenName {
	var taken []takenName
	for _, other := range pod.GeneratedPorts(s) {
		for i, port := range ports {
			if other == container || port.Name == "" {
				continue
			}
			taken = append(taken, takenName{
				path: fieldPath.Child("ports").Index(i).Child("name"), part: part{kind: portPart, container: other, name: port.Name},
				generated: pod.Generated{What: "a port of container " + other}, runs: true,
			})
		}
	}
	return taken
}

// takenByClaims that a component mounts: the volume of the pod has the name of the claim. A volume of the user with that name is a separate
// error.
func takenByClaims(fieldPath *field.Path, s *graph.Component) []takenName {
	own := map[string]bool{}
	for i := range s.Pod().Volumes {
		own[s.Pod().Volumes[i].Name] = true
	}
	var taken []takenName
	for i, mount := range s.VolumeMounts {
		taken = append(taken, takenByMount(fieldPath.Index(i).Child("mountPoint"), pod.MainContainers(s)[0], mount.MountPoint)...)
		if !own[mount.Name] {
			taken = append(taken, takenIn(pod.GeneratedVolume, part{kind: unclaimedPart, name: mount.Name}, 0, fieldPath.Index(i).Child("name"))...)
		}
	}
	return taken
}

// takenIn is one name if pods may get a part with that name, otherwise none. own is how often the part of the user counts.
func takenIn(generated func(name string) pod.Generated, p part, own int, fieldPath *field.Path) []takenName {
	g := generated(p.name)
	if g.What == "" {
		return nil
	}
	return []takenName{{path: fieldPath, part: p, own: own, generated: g, runs: g.Replaces}}
}
