package pods

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// ForeignWarnings name what a graph expects of its pods and only another orchestrator writes: variables in its commands, numbers at the end of
// hostnames, and labels in its affinities, variables and files.
func ForeignWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	var warnings message.List
	for _, s := range f.Graph.ComponentsByName() {
		by := writerOf(p.Orchestrator, s.IsMultinode())
		for path, c := range containersOf(s) {
			if problem := foreignVariables(f.Graph, s.Name, c, by); !problem.IsZero() {
				warnings = append(warnings, message.About(path, "%s", problem))
			}
			if variable := ordinalOf(c); variable != "" && p.Orchestrator == graphplan.Grove && s.IsMultinode() {
				warnings = append(warnings, message.About(path, "takes a rank from the end of %s, which is not the number of the node on Grove: the ordinal of the hostname is 0 on the leader and on the first worker, and names of pods end at random; use %s",
					variable, counterpart("LWS_WORKER_INDEX", s.Name, by)))
			}
			warnings = append(warnings, by.foreignFields(path, s, c.Env)...)
		}
		warnings = append(warnings, by.foreignFields(field.NewPath("spec", "env"), s, f.Graph.Spec.Env)...)
		for path, items := range filesOf(s) {
			for _, item := range items {
				warnings = append(warnings, by.foreignField(path, s, "file "+item.Path, item.FieldRef)...)
			}
		}
		warnings = append(warnings, by.foreignLabels(graph.PodPath(graph.ComponentPath(s.Name)), s.Pod())...)
	}
	return warnings.Sorted(f.Graph)
}

// containersOf a component by their paths.
func containersOf(c *graph.Component) map[*field.Path]*corev1.Container {
	path := graph.ComponentPath(c.Name)
	containers := map[*field.Path]*corev1.Container{graph.MainPath(path): new(c.Main())}
	for i, container := range c.Pod().InitContainers {
		containers[graph.PodPath(path, "initContainers").Index(i)] = &container
	}
	for i, container := range c.Beside() {
		containers[c.BesidePath(i)] = &container
	}
	return containers
}

// A writer is what writes variables and labels into the pods of a component in addition to this project.
type writer struct {
	// where its pods run, as messages say it.
	where string

	// variables begin with this prefix. It is empty if it writes none.
	variables string

	// labels begin with one of these.
	labels []string

	// replaces are other labels, whose values of users it replaces.
	replaces []string
}

// replacesLabel reports whether pods have another value of a label than their template has.
func (w writer) replacesLabel(key string) bool {
	return slices.Contains(w.replaces, key) || slices.ContainsFunc(w.labels, func(label string) bool {
		return key == label && label != metadata.LabelSelector && label != metadata.LabelInstance || isPrefix(label, key)
	})
}

// isPrefix reports whether a label of a writer stands for all that begin with it, and a key is one of them.
func isPrefix(label, key string) bool {
	return strings.HasSuffix(label, "/") && strings.HasPrefix(key, label)
}

// labelOfField is the key of a label, or of an annotation, in the path of a field of a pod.
var labelOfField = regexp.MustCompile(`^metadata\.(label|annotation)s\['(.+)'\]$`)

// foreignField warns of a field of a pod that is a label which only another writer sets, so that what has its value is empty.
func (w writer) foreignField(path *field.Path, c *graph.Component, reader string, ref *corev1.ObjectFieldSelector) message.List {
	if ref == nil {
		return nil
	}
	match := labelOfField.FindStringSubmatch(ref.FieldPath)
	if len(match) == 0 || foreignLabel(match[2], w) == "" {
		return nil
	}
	if _, own := c.TemplateLabels()[match[2]]; own {
		return nil
	}
	remedy := fmt.Sprintf("use the variables %s* in %s", w.variables, compatibility.Page("multinode.md#engines-of-your-own"))
	if w.variables == "" {
		remedy = "remove it, because the replicas of a Deployment have no number"
	}
	return message.List{message.About(path, "%s is empty: pods have no %s %s %s; %s", reader, match[1], match[2], w.where, remedy)}
}

// foreignFields warns of variables that are empty.
func (w writer) foreignFields(path *field.Path, c *graph.Component, env []corev1.EnvVar) message.List {
	var warnings message.List
	for _, e := range env {
		if e.ValueFrom != nil {
			warnings = append(warnings, w.foreignField(path, c, "variable "+e.Name, e.ValueFrom.FieldRef)...)
		}
	}
	return warnings
}

// filesOf a pod with its own fields, by the paths of its volumes.
func filesOf(c *graph.Component) map[*field.Path][]corev1.DownwardAPIVolumeFile {
	all := map[*field.Path][]corev1.DownwardAPIVolumeFile{}
	for i, volume := range c.Pod().Volumes {
		path := graph.PodPath(graph.ComponentPath(c.Name), "volumes").Index(i)
		if volume.DownwardAPI != nil {
			all[path] = volume.DownwardAPI.Items
		}
		if volume.Projected == nil {
			continue
		}
		for j, source := range volume.Projected.Sources {
			if source.DownwardAPI != nil {
				all[path.Child("projected", "sources").Index(j)] = source.DownwardAPI.Items
			}
		}
	}
	return all
}

// ofText is a program that takes the last part of its input.
const ofText = `(?:awk\s+-F\s*['"]?-|cut\s+-d\s*['"]?-|grep\s+-[A-Za-z]*o|rev\b|sed\s[^\n|]*\.\*-)`

// ordinals are the ways in which scripts and programs take the number at the end of a name. The first part is the name.
func ordinals(name string) *regexp.Regexp {
	return regexp.MustCompile(`\$\{` + name + `(?:##|:\s+-)` +
		`|\$\{?` + name + `\}?["']?\s*(?:=~|\|\s*` + ofText + `)` +
		`|\b` + name + `["'\])]*\.r?(?:split|partition)\(`)
}

var (
	ordinalOfHostname = regexp.MustCompile(ordinals("HOSTNAME").String() +
		`|\bhostname(?:\s+-[sf])?\)?["']?\s*(?:=~|\|\s*` + ofText + `)` +
		`|(?:gethostname|node)\(\)\.r?(?:split|partition)\(`)
	isVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// ordinalOf a container is the variable from whose end it takes a number: HOSTNAME, or one with the name of the pod. It is empty if there is none,
// or that the container also reads variables of Grove.
func ordinalOf(c *corev1.Container) string {
	texts := slices.Concat(c.Command, c.Args)
	for _, probe := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if probe != nil && probe.Exec != nil {
			texts = append(texts, probe.Exec.Command...)
		}
	}
	text := strings.Join(texts, "\n")
	if strings.Contains(text, onGrove().variables) {
		return ""
	}
	if ordinalOfHostname.MatchString(text) {
		return "the hostname"
	}
	for _, e := range c.Env {
		isName := e.ValueFrom != nil && e.ValueFrom.FieldRef != nil && e.ValueFrom.FieldRef.FieldPath == "metadata.name"
		if isName && isVariable.MatchString(e.Name) && ordinals(e.Name).MatchString(text) {
			return "variable " + e.Name + ", the name of the pod"
		}
	}
	return ""
}

// foreignLabels are warnings about labels by which a pod selects others, and which only another orchestrator writes.
func (w writer) foreignLabels(fieldPath *field.Path, spec *corev1.PodSpec) message.List {
	var warnings message.List
	for path, selector := range selectorsOf(fieldPath, spec) {
		for _, key := range selector {
			if label := foreignLabel(key, w); label != "" {
				warnings = append(warnings, message.About(path, "selects by label %s, which pods do not have %s; select by %s", key, w.where, label))
			}
		}
	}
	return warnings
}

// onGrove are labels of cliques as well, of which their pods have all.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/podcliqueset/components/podclique/podclique.go
func onGrove() writer {
	return writer{
		where: "on Grove", variables: "GROVE_", labels: []string{"grove.io/", metadata.LabelSelector},
		replaces: []string{metadata.LabelManagedBy, metadata.LabelAppComponent, metadata.LabelAppName, metadata.LabelPartOf},
	}
}

func onLeaderWorkerSet() writer {
	return writer{where: "in a LeaderWorkerSet", variables: "LWS_", labels: []string{
		"leaderworkerset.sigs.k8s.io/", metadata.LabelInstance, "apps.kubernetes.io/pod-index", "controller-revision-hash", "statefulset.kubernetes.io/",
	}}
}

func onDeployment() writer {
	return writer{where: "in a Deployment", labels: []string{"pod-template-hash", metadata.LabelSelector}}
}

// inJob are pods that no orchestrator runs.
func inJob() writer { return writer{labels: []string{"batch.kubernetes.io/"}} }

func writers() []writer { return []writer{onGrove(), onLeaderWorkerSet(), onDeployment(), inJob()} }

// writerOf the pods of a component.
func writerOf(o graphplan.Orchestrator, multinode bool) writer {
	switch {
	case o == graphplan.Grove:
		return onGrove()
	case o == graphplan.LeaderWorkerSet && multinode:
		return onLeaderWorkerSet()
	default:
		return onDeployment()
	}
}

var foreignVariable = regexp.MustCompile(`\b(?:GROVE|LWS)_[A-Z_]*[A-Z]`)

// foreignVariables of a container are those that only another writer sets. A script that also reads those of this one may be for both.
func foreignVariables(g *graph.Graph, component string, c *corev1.Container, by writer) message.Text {
	texts := slices.Concat(c.Command, c.Args)
	own := map[string]bool{}
	for _, env := range slices.Concat(g.Spec.Env, c.Env) {
		texts = append(texts, env.Value)
		own[env.Name] = true
	}
	text := strings.Join(texts, "\n")
	if by.variables != "" && strings.Contains(text, by.variables) {
		return message.Text{}
	}
	var found []string
	for _, variable := range foreignVariable.FindAllString(text, -1) {
		if !own[variable] && !strings.Contains(text, variable+"=") {
			found = append(found, variable)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) == 0 {
		return message.Text{}
	}
	var instead []string
	for _, variable := range found {
		if other := counterpart(variable, component, by); other != "" {
			instead = append(instead, fmt.Sprintf("%s instead of %s", other, variable))
		}
	}
	var remedy message.Text
	switch {
	case by.variables == "":
		remedy = message.Format("remove them, because the {{component}} runs on one node")
	case len(instead) == 0:
		remedy = message.Format("see the variables %s* in %s", by.variables, compatibility.Page("multinode.md#engines-of-your-own"))
	default:
		remedy = message.Format("use %s", strings.Join(instead, ", "))
	}
	return message.Format("the command refers to %s, which pods do not have %s; %s", strings.Join(found, ", "), by.where, remedy)
}

// counterpart of a variable: the expression with the same value, where another writer writes the variables. It is empty if there is none.
func counterpart(variable, component string, by writer) string {
	lower := names.Lower(component)
	if by.variables == onGrove().variables {
		return map[string]string{
			"LWS_LEADER_ADDRESS": backend.GroveHosts{Component: lower}.Leader().Argument,
			"LWS_WORKER_INDEX":   "$((GROVE_PCLQ_POD_INDEX + 1)) on workers and 0 on the leader",
			"LWS_GROUP_SIZE":     "$GROVE_PCSG_TEMPLATE_NUM_PODS",
		}[variable]
	}
	return map[string]string{
		"GROVE_HEADLESS_SERVICE":       "$LWS_LEADER_ADDRESS for the address of the leader",
		"GROVE_PCSG_NAME":              "$LWS_LEADER_ADDRESS for the address of the leader",
		"GROVE_PCLQ_POD_INDEX":         "$LWS_WORKER_INDEX, which is 0 on the leader,",
		"GROVE_PCSG_TEMPLATE_NUM_PODS": "$LWS_GROUP_SIZE",
	}[variable]
}

// foreignLabel is what to select by if a label is one that only another writer sets. It is empty if it is not.
func foreignLabel(key string, by writer) string {
	has := func(w writer) bool {
		return slices.ContainsFunc(w.labels, func(label string) bool {
			return key == label || isPrefix(label, key)
		})
	}
	if has(by) || !slices.ContainsFunc(writers(), has) {
		return ""
	}
	return fmt.Sprintf("%s and %s, which all pods have", metadata.LabelGraphName, metadata.LabelComponent)
}

// selectorsOf a pod are the keys of labels by which its affinities and spreads select pods, by the path of the selector.
func selectorsOf(fieldPath *field.Path, spec *corev1.PodSpec) map[*field.Path][]string {
	all := map[*field.Path][]string{}
	add := func(path *field.Path, selector *metav1.LabelSelector, more ...string) {
		keys := more
		if selector != nil {
			keys = slices.Concat(keys, slices.Collect(maps.Keys(selector.MatchLabels)))
			for _, e := range selector.MatchExpressions {
				// A label that pods must not have can be missing.
				if e.Operator == metav1.LabelSelectorOpIn || e.Operator == metav1.LabelSelectorOpExists {
					keys = append(keys, e.Key)
				}
			}
		}
		slices.Sort(keys)
		all[path] = slices.Compact(keys)
	}
	for i, spread := range spec.TopologySpreadConstraints {
		add(fieldPath.Child("topologySpreadConstraints").Index(i), spread.LabelSelector, spread.MatchLabelKeys...)
	}
	if spec.Affinity == nil {
		return all
	}
	terms := func(path *field.Path, required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for i, term := range required {
			add(path.Child("requiredDuringSchedulingIgnoredDuringExecution").Index(i), term.LabelSelector, term.MatchLabelKeys...)
		}
		for i, weighted := range preferred {
			term := weighted.PodAffinityTerm
			add(path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i).Child("podAffinityTerm"), term.LabelSelector, term.MatchLabelKeys...)
		}
	}
	if a := spec.Affinity.PodAffinity; a != nil {
		terms(fieldPath.Child("affinity", "podAffinity"), a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := spec.Affinity.PodAntiAffinity; a != nil {
		terms(fieldPath.Child("affinity", "podAntiAffinity"), a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return all
}
