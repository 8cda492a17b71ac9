package mnnvl

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// Values of annotation grove.io/mnnvl-group.
const (
	noGroup      = "none"
	defaultGroup = "default"
)

// groups decides the group of each component, and the annotations. A component only has an annotation if its group differs from that of the
// PodCliqueSet.
func (m *planner) groups() (map[string]string, Annotations, subject.Outcome) {
	ofGraph, errs := annotationOfGraph(m.facts.Graph, metadata.AnnotationMNNVLGroup)
	outcome := subject.Refused(subject.Mistake, append(errs, m.checkGroup(ofGraph)...)...)
	if !m.facts.Live() {
		outcome.Add(m.refusePodGroups())
	}
	annotations := Annotations{Group: cmp.Or(ofGraph.value, defaultGroup)}
	groups := map[string]string{}
	for _, name := range m.facts.Graph.ComponentNames() {
		own, errs := m.ownGroup(name)
		outcome.Refuse(subject.Mistake, errs...)
		groups[name] = cmp.Or(own, annotations.Group)
		if own != "" {
			if annotations.Groups == nil {
				annotations.Groups = map[string]string{}
			}
			annotations.Groups[name] = own
		}
		if s := m.switches.components[name]; s.value == enabled && groups[name] == noGroup {
			other := annotationOfComponent(m.facts.Graph, name, metadata.AnnotationMNNVLGroup)
			if !other.given {
				other = ofGraph
			}
			outcome.Refuse(subject.Mistake, contradicts(s, other))
		}
	}
	return groups, annotations, outcome
}

// ownGroup of a component. It is empty if it is in the group of the PodCliqueSet.
func (m *planner) ownGroup(name string) (string, message.List) {
	group, own := annotationOfComponent(m.facts.Graph, name, metadata.AnnotationMNNVLGroup), m.switches.components[name]
	errs := m.checkGroup(group)
	if own.value != disabled {
		return group.value, errs
	}
	if group.value != "" && group.value != noGroup {
		errs = append(errs, contradicts(group, own))
	}
	return noGroup, errs
}

func contradicts(s, other annotation) *message.Message {
	return message.Invalid(s.path, s.value, "conflicts with %s, which is %q; remove one of the two", other.path, other.value)
}

// checkGroup checks a group against the rules of Grove: it becomes part of the name of the ComputeDomain, and the value of a label.
func (m *planner) checkGroup(group annotation) message.List {
	if !group.given || group.value == noGroup {
		return nil
	}
	var errs message.List
	for _, problem := range validation.IsDNS1123Label(group.value) {
		errs = append(errs, message.Invalid(group.path, group.value, "%s; specify the name of a group, or %s for no domain", message.WithoutPattern(problem), noGroup))
	}
	if domain := m.facts.Graph.Names().ComputeDomain() + "-" + group.value; len(domain) > validation.LabelValueMaxLength {
		errs = append(errs, message.Invalid(group.path, group.value,
			"the name of the ComputeDomain would be %s, which is longer than %d characters; shorten the name of the group", domain, validation.LabelValueMaxLength))
	}
	return errs
}

// allGroups are all annotations grove.io/mnnvl-group: those of the graph, of components and of pods.
func (m *planner) allGroups() (own, onPods []annotation) {
	const key = metadata.AnnotationMNNVLGroup
	own = []annotation{
		annotationOf(field.NewPath("metadata", "annotations"), m.facts.Graph.Annotations, key),
		annotationOf(field.NewPath("spec", "annotations"), m.facts.Graph.Spec.Annotations, key),
	}
	for _, name := range m.facts.Graph.ComponentNames() {
		own = append(own, annotationOfComponent(m.facts.Graph, name, key))
		onPods = append(onPods, annotationOfPods(m.facts.Graph, name, key))
	}
	absent := func(s annotation) bool { return !s.given }
	return slices.DeleteFunc(own, absent), slices.DeleteFunc(onPods, absent)
}

// refuseGroups where Grove creates no domains for the graph, and say why.
func (m *planner) refuseGroups(why string) subject.Outcome {
	var outcome subject.Outcome
	own, onPods := m.allGroups()
	for _, s := range append(own, onPods...) {
		if s.value != noGroup {
			outcome.Refuse(subject.Mistake, message.Invalid(s.path, s.value, "%s", why))
		}
	}
	return outcome
}

// composedHere says that Grove would create a second domain.
func (m *planner) composedHere() string {
	return fmt.Sprintf("requests an NVLink domain from Grove, but the domains of this graph are composed by step computedomain (mnnvl.mode Auto %s); remove the annotation, or let the platform set mnnvl.mode to Grove for new graphs", m.platformSets())
}

// readsGroups reports whether Grove creates the domains, and says itself what is in no group.
func (m *planner) readsGroups() bool {
	mode := m.past.mode
	byGrove := mode == graphplan.MNNVLGrove || mode == "" && m.facts.Input.MNNVL.Mode == v1alpha1.MNNVLGrove
	return byGrove && m.plan.Orchestrator == graphplan.Grove
}

// optOut of domains with group none where Grove does not create them, as with annotation grove.io/auto-mnnvl: disabled.
func (m *planner) optOut() subject.Outcome {
	var outcome subject.Outcome
	if m.readsGroups() {
		return outcome
	}
	read := func(own, group annotation) annotation {
		switch {
		case group.value != noGroup:
			return own
		case own.value == enabled:
			outcome.Refuse(subject.Mistake, contradicts(own, group))
			return own
		default:
			group.value, group.component = disabled, own.component
			return group
		}
	}
	ofGraph, errs := annotationOfGraph(m.facts.Graph, metadata.AnnotationMNNVLGroup)
	outcome.Refuse(subject.Mistake, errs...)
	m.switches.graph = read(m.switches.graph, ofGraph)
	for _, name := range m.facts.Graph.ComponentNames() {
		group := annotationOfPods(m.facts.Graph, name, metadata.AnnotationMNNVLGroup)
		if own := annotationOfComponent(m.facts.Graph, name, metadata.AnnotationMNNVLGroup); own.given {
			group = own
		}
		m.switches.components[name] = read(m.switches.components[name], group)
	}
	return outcome
}

// refusePodGroups, because they would take precedence over the groups of components.
func (m *planner) refusePodGroups() subject.Outcome {
	var outcome subject.Outcome
	_, onPods := m.allGroups()
	for _, s := range onPods {
		outcome.Refuse(subject.Mistake, message.Invalid(s.path, s.value, "is ignored in pod annotations; set it in the {{annotations of podTemplate}}"))
	}
	return outcome
}

// refuseGroupsOfOldGrove refuses annotations that need a later version of Grove.
func (m *planner) refuseGroupsOfOldGrove() subject.Outcome {
	var outcome subject.Outcome
	own, onPods := m.allGroups()
	for _, s := range append(own, onPods...) {
		outcome.Refuse(subject.Mistake, needsGroups(s))
	}
	return outcome
}

func needsGroups(s annotation) *message.Message {
	return message.Invalid(s.path, s.value, "NVLink domains for part of a graph require Grove v0.1.0-alpha.9 or later, but the installed version is older (topology dialect %s); remove the annotation, set %s: %s on the whole graph, or update Grove", graphplan.DialectPackDomain, metadata.AnnotationAutoMNNVL, disabled)
}

// refuseGroupsOfDisabled refuses groups in a graph that opted out.
func (m *planner) refuseGroupsOfDisabled() subject.Outcome {
	var outcome subject.Outcome
	own, onPods := m.allGroups()
	for _, s := range append(own, onPods...) {
		if s.value != noGroup {
			outcome.Refuse(subject.Mistake, contradicts(s, m.switches.graph))
		}
	}
	return outcome
}

// keepGroups of a live PodCliqueSet. Grove refuses to change them in any place.
func (m *planner) keepGroups(set *grovev1alpha1.PodCliqueSet, wanted Annotations) (Annotations, subject.Outcome) {
	var outcome subject.Outcome
	before := set.Annotations[metadata.AnnotationMNNVLGroup]
	changed := wanted.Group != before
	if changed {
		s, _ := annotationOfGraph(m.facts.Graph, metadata.AnnotationMNNVLGroup)
		outcome.Change(s.path, s.value, "%s; it was %q: %s", subject.NoChange, before, subject.PutBack)
	}
	live := groupsOf(set)
	annotations := Annotations{Auto: wanted.Auto, Group: wanted.Group}
	for _, name := range m.facts.Graph.ComponentNames() {
		inherits := !annotationOfComponent(m.facts.Graph, name, metadata.AnnotationMNNVLGroup).given
		group, same := m.groupOf(name, wanted.Groups[name], live[names.Lower(name)])
		if group != "" {
			if annotations.Groups == nil {
				annotations.Groups = map[string]string{}
			}
			annotations.Groups[name] = group
		}
		if !same && (!changed || !inherits) {
			outcome.Add(m.changedGroup(name, live[names.Lower(name)].nearest()))
		}
	}
	return annotations, outcome
}

// groupOf is the group that the plan contains for a component of a live PodCliqueSet, and whether it is the group of its pods. A scaling
// group keeps its annotation: a PodCliqueSet that was created while groups were only passed on has the annotations on the cliques alone,
// which has the same effect.
func (m *planner) groupOf(name, own string, live componentGroups) (group string, same bool) {
	component := m.facts.Graph.Component(name)
	wanted := componentGroups{ofCliques: pod.WorkloadAnnotations(component)[metadata.AnnotationMNNVLGroup], ofScalingGroup: own}
	if !component.IsMultinode() {
		wanted = componentGroups{ofCliques: cmp.Or(own, wanted.ofCliques)}
		return own, wanted == live
	}
	if own != "" && wanted.ofCliques != "" {
		wanted.ofCliques = own
	}
	return live.ofScalingGroup, wanted.ofCliques == live.ofCliques && wanted.nearest() == live.nearest()
}

// changedGroup refuses a group that differs from the previous one if the user has changed it.
func (m *planner) changedGroup(name, before string) subject.Outcome {
	var outcome subject.Outcome
	group, own := annotationOfComponent(m.facts.Graph, name, metadata.AnnotationMNNVLGroup), m.switches.components[name]
	switch {
	case !group.given && own.value == disabled:
		outcome.Change(own.path, own.value, "%s; the pods of the {{component}} were created with an NVLink domain: %s", subject.NoChange, subject.PutBack)
	case !group.given && before == noGroup:
		outcome.Change(own.path, own.value, "%s; it was %q: %s", subject.NoChange, disabled, subject.PutBack)
	default:
		outcome.Change(group.path, group.value, "%s; it was %q: %s", subject.NoChange, before, subject.PutBack)
	}
	return outcome
}

// componentGroups are the groups of a component in the two places of a PodCliqueSet.
type componentGroups struct{ ofCliques, ofScalingGroup string }

// nearest to the pods is the group that takes effect.
func (g componentGroups) nearest() string { return cmp.Or(g.ofCliques, g.ofScalingGroup) }

// groupsOf the components of a PodCliqueSet, by lower-cased name.
func groupsOf(set *grovev1alpha1.PodCliqueSet) map[string]componentGroups {
	groups := map[string]componentGroups{}
	for _, group := range set.Spec.Template.ScalingGroups {
		groups[group.Name] = componentGroups{ofScalingGroup: group.Annotations[metadata.AnnotationMNNVLGroup]}
	}
	for _, clique := range set.Spec.Template.Cliques {
		component := observed.ComponentOfClique(clique.Name, set)
		g := groups[component]
		g.ofCliques = clique.Annotations[metadata.AnnotationMNNVLGroup]
		groups[component] = g
	}
	return groups
}
