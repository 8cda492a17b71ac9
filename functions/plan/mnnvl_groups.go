package plan

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// Values of annotation grove.io/mnnvl-group.
const (
	mnnvlNoGroup      = "none"
	mnnvlDefaultGroup = "default"
)

// groups decides the group of each service in mode Grove, and writes those that differ from the set's.
func (m *mnnvlPlanner) groups() map[string]string {
	graph, errs := ofGraph(m.graph, metadata.AnnotationMNNVLGroup)
	m.out.errs = append(m.out.errs, errs...)
	m.checkGroup(graph)
	if !m.memory.exists() {
		m.refusePodGroups()
	}
	p := m.plan.Grove
	p.MNNVLGroup = cmp.Or(graph.value, mnnvlDefaultGroup)
	groups := map[string]string{}
	for _, name := range m.graph.ServiceNames() {
		own := m.ownGroup(name)
		groups[name] = cmp.Or(own, p.MNNVLGroup)
		if own != "" {
			if p.MNNVLGroups == nil {
				p.MNNVLGroups = map[string]string{}
			}
			p.MNNVLGroups[name] = own
		}
		if wish := m.wish.services[name]; wish.value == mnnvlEnabled && groups[name] == mnnvlNoGroup {
			other := ofService(m.graph, name, metadata.AnnotationMNNVLGroup)
			if !other.given {
				other = graph
			}
			m.out.errs = append(m.out.errs, contradicts(wish, other))
		}
	}
	return groups
}

// ownGroup of a service. Empty: it is in the group of the set.
func (m *mnnvlPlanner) ownGroup(name string) string {
	group, wish := ofService(m.graph, name, metadata.AnnotationMNNVLGroup), m.wish.services[name]
	m.checkGroup(group)
	if wish.value != mnnvlDisabled {
		return group.value
	}
	if group.value != "" && group.value != mnnvlNoGroup {
		m.out.errs = append(m.out.errs, contradicts(group, wish))
	}
	return mnnvlNoGroup
}

func contradicts(s, other said) *field.Error {
	return field.Invalid(s.path, s.value, fmt.Sprintf("contradicts %s, which is %q: remove one of the two", other.path, other.value))
}

// checkGroup holds a group to what Grove takes: it becomes part of the name of the ComputeDomain, and a label of it.
func (m *mnnvlPlanner) checkGroup(group said) {
	if !group.given || group.value == mnnvlNoGroup {
		return
	}
	for _, problem := range validation.IsDNS1123Label(group.value) {
		m.out.errs = append(m.out.errs, field.Invalid(group.path, group.value, problem+": name a group, or "+mnnvlNoGroup+" for no domain"))
	}
	if domain := m.graph.Names().ComputeDomain() + "-" + group.value; len(domain) > validation.LabelValueMaxLength {
		m.out.errs = append(m.out.errs, field.Invalid(group.path, group.value,
			fmt.Sprintf("makes the name of the ComputeDomain, %s, longer than %d characters: shorten it", domain, validation.LabelValueMaxLength)))
	}
}

// allGroups are all annotations grove.io/mnnvl-group: of graph and services, and of the pods.
func (m *mnnvlPlanner) allGroups() (own, onPods []said) {
	const key = metadata.AnnotationMNNVLGroup
	own = []said{
		sayOf(field.NewPath("metadata", "annotations"), m.graph.Annotations, key),
		sayOf(field.NewPath("spec", "annotations"), m.graph.Spec.Annotations, key),
	}
	for _, name := range m.graph.ServiceNames() {
		own = append(own, ofService(m.graph, name, key))
		onPods = append(onPods, ofPods(m.graph, name, key))
	}
	absent := func(s said) bool { return !s.given }
	return slices.DeleteFunc(own, absent), slices.DeleteFunc(onPods, absent)
}

// refuseGroups where domains are composed here: Grove would make a second one.
func (m *mnnvlPlanner) refuseGroups() {
	own, onPods := m.allGroups()
	for _, s := range append(own, onPods...) {
		m.out.errs = append(m.out.errs, field.Invalid(s.path, s.value,
			"asks Grove for an NVLink domain, and those of this graph are composed here (mnnvl.mode Auto "+platformSets+"): remove the annotation, or let the platform set mnnvl.mode to Grove for new graphs"))
	}
}

// refusePodGroups, which would win over those of the services.
func (m *mnnvlPlanner) refusePodGroups() {
	_, onPods := m.allGroups()
	for _, s := range onPods {
		m.out.errs = append(m.out.errs, field.Invalid(s.path, s.value, "is not read here: set it in annotations of the service"))
	}
}

// refuseGroupsOfOldGrove names what needs a later version.
func (m *mnnvlPlanner) refuseGroupsOfOldGrove() {
	own, onPods := m.allGroups()
	for _, s := range append(own, onPods...) {
		m.out.errs = append(m.out.errs, needsGroups(s))
	}
}

func needsGroups(s said) *field.Error {
	return field.Invalid(s.path, s.value, fmt.Sprintf("NVLink domains for a part of a graph need Grove v0.1.0-alpha.9 or later, and this one is older (topology dialect %s): remove the annotation, set %s: %s on the whole graph, or update Grove",
		graphplan.DialectPackDomain, metadata.AnnotationAutoMNNVL, mnnvlDisabled))
}

// refuseGroupsOfDisabled refuses to name a group in a graph that opted out.
func (m *mnnvlPlanner) refuseGroupsOfDisabled() {
	own, onPods := m.allGroups()
	for _, s := range append(own, onPods...) {
		if s.value != mnnvlNoGroup {
			m.out.errs = append(m.out.errs, contradicts(s, m.wish.graph))
		}
	}
}

// keepGroups of a live set, which Grove refuses to change wherever they stand.
func (m *mnnvlPlanner) keepGroups(set *grovev1alpha1.PodCliqueSet) {
	p := m.plan.Grove
	before := set.Annotations[metadata.AnnotationMNNVLGroup]
	changed := p.MNNVLGroup != before
	if changed {
		s, _ := ofGraph(m.graph, metadata.AnnotationMNNVLGroup)
		m.change(s.path, s.value, fmt.Sprintf(noChange+"; it was %q: "+recreate, before))
	}
	observed, kept := groupsOf(set), map[string]string{}
	for _, name := range m.graph.ServiceNames() {
		inherits := !ofService(m.graph, name, metadata.AnnotationMNNVLGroup).given
		group, same := m.keptGroup(name, observed[names.Lower(name)])
		if group != "" {
			kept[name] = group
		}
		if !same && (!changed || !inherits) {
			m.changeGroup(name, observed[names.Lower(name)].group())
		}
	}
	p.MNNVLGroups = nil
	if len(kept) > 0 {
		p.MNNVLGroups = kept
	}
}

// keptGroup is what the plan says of a service of a live set, and whether that is the group that its pods have. A scaling
// group keeps what it has: a set that was created while groups were only passed on has them on the cliques alone, to the
// same effect.
func (m *mnnvlPlanner) keptGroup(name string, observed serviceGroups) (group string, same bool) {
	service := m.graph.Spec.Services[name]
	own := m.plan.Grove.MNNVLGroups[name]
	wanted := serviceGroups{ofCliques: pod.WorkloadAnnotations(m.graph, name)[metadata.AnnotationMNNVLGroup], ofScalingGroup: own}
	if !pod.IsMultinode(&service) {
		wanted = serviceGroups{ofCliques: cmp.Or(own, wanted.ofCliques)}
		return own, wanted == observed
	}
	if own != "" && wanted.ofCliques != "" {
		wanted.ofCliques = own
	}
	return observed.ofScalingGroup, wanted.ofCliques == observed.ofCliques && wanted.group() == observed.group()
}

// changeGroup refuses another group of a service than before, where the user changed it.
func (m *mnnvlPlanner) changeGroup(name, before string) {
	group, wish := ofService(m.graph, name, metadata.AnnotationMNNVLGroup), m.wish.services[name]
	switch {
	case !group.given && wish.value == mnnvlDisabled:
		m.change(wish.path, wish.value, noChange+"; the pods of the service were created with an NVLink domain: "+recreate)
	case !group.given && before == mnnvlNoGroup:
		m.change(wish.path, wish.value, fmt.Sprintf(noChange+"; it was %q: "+recreate, mnnvlDisabled))
	default:
		m.change(group.path, group.value, fmt.Sprintf(noChange+"; it was %q: "+recreate, before))
	}
}

// serviceGroups are the groups of a service in the two places that a set has for them.
type serviceGroups struct{ ofCliques, ofScalingGroup string }

// group that counts: the one that is nearer to the pods.
func (g serviceGroups) group() string { return cmp.Or(g.ofCliques, g.ofScalingGroup) }

// groupsOf the services of a set, by lower-cased name.
func groupsOf(set *grovev1alpha1.PodCliqueSet) map[string]serviceGroups {
	groups := map[string]serviceGroups{}
	for _, group := range set.Spec.Template.ScalingGroups {
		groups[group.Name] = serviceGroups{ofScalingGroup: group.Annotations[metadata.AnnotationMNNVLGroup]}
	}
	for _, clique := range set.Spec.Template.Cliques {
		service := serviceOfClique(clique.Name, set)
		g := groups[service]
		g.ofCliques = clique.Annotations[metadata.AnnotationMNNVLGroup]
		groups[service] = g
	}
	return groups
}
