package validate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// pods checks the containers of a component.
func (v *validator) pods(path *field.Path, s *graph.Component) {
	v.underRule(rule.Environment).envs(path.Child("envs"), s.Envs)
	v.underRule(rule.References).secretName(path.Child("envFromSecret"), s.EnvFromSecret)
	v.underRule(rule.Probes).probe(path.Child("livenessProbe"), s.LivenessProbe)
	v.underRule(rule.Probes).probe(path.Child("readinessProbe"), s.ReadinessProbe)
	misplaced := v.underRule(rule.Containers).misplacedMain(path, s)
	if !misplaced {
		v.underRule(rule.Images).image(path, s)
		v.underRule(rule.Commands).command(path, s)
	}
	extra := graph.PodPath(path)
	if s.HasWrittenMain() {
		v.underRule(rule.Containers).container(graph.MainPath(path), s.WrittenMain())
	}
	names := map[string]bool{pod.MainContainer: !misplaced}
	if s.Sidecar != nil {
		names[pod.SidecarContainer] = true
	}
	v.underRule(rule.Containers).containers(extra.Child("initContainers").Index, s.Pod().InitContainers, names)
	v.underRule(rule.Containers).containers(s.BesidePath, s.Beside(), names)
	for i, secret := range s.Pod().ImagePullSecrets {
		if secret.Name == "" {
			v.underRule(rule.References).required(extra.Child("imagePullSecrets").Index(i).Child("name"), "specify the name of the Secret, or remove the entry")
		}
	}
	v.underRule(rule.Containers).podSpec(extra, s.Pod())
}

// misplacedMain refuses containers of which none is the main container, and reports whether it did. Everything else that is said about the
// main container would follow from that.
func (v *validator) misplacedMain(path *field.Path, s *graph.Component) bool {
	if s.HasWrittenMain() || len(s.Beside()) == 0 {
		return false
	}
	fieldPath := graph.PodPath(path, "containers")
	if v.graph.Form == graph.Components {
		v.required(fieldPath, "no container is named main, so no container runs the component; rename %s, or add container main", s.Beside()[0].Name)
		return true
	}
	for i, c := range s.Beside() {
		if c.Name == pod.MainContainer {
			v.invalid(s.BesidePath(i).Child("name"), pod.MainContainer, "must not contain the main container; move it to {{podTemplate.spec.containers[main]}}")
			return true
		}
	}
	return false
}

// image of the main container. A sketch gets a warning instead: its objects can be inspected, although it does not specify what runs in any
// pod.
func (v *validator) image(path *field.Path, s *graph.Component) {
	if s.Main().Image == "" && !isSketch(v.graph) {
		v.required(graph.MainPath(path, "image"), "specify the image that runs the {{component}}")
	}
}

// command of a worker, which is known if the framework is. Otherwise nothing specifies what to run: the default is a shell, which would
// have no script. An engine beside its runtime has no default: its image knows.
func (v *validator) command(path *field.Path, s *graph.Component) {
	if s.HasRuntimeContainer() {
		return
	}
	if s.IsWorker() && s.NamesNoProgram() && v.graph.Spec.BackendFramework == "" && !isSketch(v.graph) {
		v.required(graph.MainPath(path, "command"),
			"specify the command of the worker, or set spec.backendFramework to run python3 -m dynamo.<framework>; [] runs the image's entry point")
	}
}

// isSketch reports whether a graph specifies no image and no command at all, as in examples in documentation that show something else. The
// Dynamo operator accepts them.
func isSketch(g *graph.Graph) bool {
	for _, s := range g.Components {
		if main := s.Main(); main.Image != "" || len(main.Command) > 0 {
			return false
		}
		if slices.ContainsFunc(s.Beside(), func(c corev1.Container) bool { return c.Image != "" }) {
			return false
		}
	}
	return true
}

// containers in addition to the main container, each at its path. seen are the names that are already used.
func (v *validator) containers(path func(i int) *field.Path, containers []corev1.Container, seen map[string]bool) {
	for i := range containers {
		c := &containers[i]
		fieldPath := path(i)
		switch {
		case len(validation.IsDNS1123Label(c.Name)) > 0:
			v.invalid(fieldPath.Child("name"), c.Name, "must be a DNS label: lower-case letters, digits and dashes, at most 63 characters")
		case seen[c.Name]:
			v.duplicate(fieldPath.Child("name"), c.Name)
		}
		seen[c.Name] = true
		if c.Image == "" {
			v.required(fieldPath.Child("image"), "specify the image of the container")
		}
		v.container(fieldPath, c)
	}
}

func (v *validator) container(path *field.Path, c *corev1.Container) {
	v.underRule(rule.Environment).envs(path.Child("env"), c.Env)
	v.underRule(rule.Environment).uniqueEnvs(path.Child("env"), c.Env)
	v.underRule(rule.Probes).probe(path.Child("livenessProbe"), c.LivenessProbe)
	v.underRule(rule.Probes).probe(path.Child("readinessProbe"), c.ReadinessProbe)
	v.underRule(rule.Probes).probe(path.Child("startupProbe"), c.StartupProbe)
	v.underRule(rule.Resources).containerResources(path.Child("resources"), c.Resources)
	v.underRule(rule.Volumes).uniqueMounts(path.Child("volumeMounts"), c.VolumeMounts)
	v.underRule(rule.Containers).ports(path.Child("ports"), c.Ports)
	if policy := c.ImagePullPolicy; policy != "" {
		allowed := []corev1.PullPolicy{corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever}
		if !slices.Contains(allowed, policy) {
			v.add(message.NotSupported(path.Child("imagePullPolicy"), policy, allowed))
		}
	}
}

func (v *validator) uniqueMounts(path *field.Path, mounts []corev1.VolumeMount) {
	paths := map[string]bool{}
	for i, mount := range mounts {
		where := path.Index(i).Child("mountPath")
		switch {
		case mount.MountPath == "":
			v.required(where, "specify the path at which the volume is mounted")
		case paths[clean(mount.MountPath)]:
			v.duplicate(where, mount.MountPath)
		}
		paths[clean(mount.MountPath)] = true
	}
}

// uniqueEnvs refuses two variables with the same name in a container, as Grove's webhook does in v0.1.0-alpha.7 and later.
func (v *validator) uniqueEnvs(path *field.Path, envs []corev1.EnvVar) {
	seen := map[string]bool{}
	for i, env := range envs {
		if seen[env.Name] && len(validation.IsRelaxedEnvVarName(env.Name)) == 0 {
			v.duplicate(path.Index(i).Child("name"), env.Name)
		}
		seen[env.Name] = true
	}
}

func (v *validator) ports(path *field.Path, ports []corev1.ContainerPort) {
	seen := map[string]bool{}
	for i, port := range ports {
		fieldPath := path.Index(i)
		v.malformed(fieldPath.Child("containerPort"), port.ContainerPort, validation.IsValidPortNum(int(port.ContainerPort)))
		if port.Name == "" {
			continue
		}
		v.malformed(fieldPath.Child("name"), port.Name, validation.IsValidPortName(port.Name))
		if seen[port.Name] {
			v.duplicate(fieldPath.Child("name"), port.Name)
		}
		seen[port.Name] = true
	}
}

func (v *validator) podSpec(path *field.Path, spec *corev1.PodSpec) {
	if seconds := spec.TerminationGracePeriodSeconds; seconds != nil && *seconds < 0 {
		v.invalid(path.Child("terminationGracePeriodSeconds"), *seconds, "must be at least 0")
	}
	if policy := spec.RestartPolicy; policy != "" && policy != corev1.RestartPolicyAlways {
		v.add(message.NotSupported(path.Child("restartPolicy"), policy, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if len(spec.EphemeralContainers) > 0 {
		v.forbidden(path.Child("ephemeralContainers"), "ephemeral containers can only be added to running pods; remove them")
	}
}

// secretName accepts an empty name, which means none.
func (v *validator) secretName(path *field.Path, name *string) {
	if name == nil || *name == "" {
		return
	}
	v.malformed(path, *name, validation.IsDNS1123Subdomain(*name))
}

func (v *validator) sidecar(path *field.Path, s *graph.Component) {
	fieldPath := path.Child("frontendSidecar")
	if sidecar := s.FrontendSidecar; sidecar != "" {
		if container, _ := pod.FrontendSidecar(s); container == nil {
			v.invalid(fieldPath, sidecar, "is not a container beside the main container; add the container to {{podTemplate.spec.containers}}, or remove the name")
		}
	}
	if s.Sidecar == nil {
		return
	}
	if s.Sidecar.Image == "" {
		v.required(fieldPath.Child("image"), "specify the image of the sidecar")
	}
	v.envs(fieldPath.Child("envs"), s.Sidecar.Envs)
	v.secretName(fieldPath.Child("envFromSecret"), s.Sidecar.EnvFromSecret)
}

// count of the values that are true.
func count(facts ...bool) int {
	n := 0
	for _, fact := range facts {
		if fact {
			n++
		}
	}
	return n
}
