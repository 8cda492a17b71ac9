package plan

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
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
			if other.value == "" {
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
	if group.value == "" || group.value == mnnvlNoGroup {
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
func (m *mnnvlPlanner) allGroups() (own, ofPods []said) {
	const key = metadata.AnnotationMNNVLGroup
	own = []said{
		{field.NewPath("metadata", "annotations").Key(key), m.graph.Annotations[key]},
		{field.NewPath("spec", "annotations").Key(key), m.graph.Spec.Annotations[key]},
	}
	for _, name := range m.graph.ServiceNames() {
		own = append(own, ofService(m.graph, name, key))
		if extra := m.graph.Spec.Services[name].ExtraPodMetadata; extra != nil {
			ofPods = append(ofPods, said{field.NewPath("spec", "services").Key(name).Child("extraPodMetadata", "annotations").Key(key), extra.Annotations[key]})
		}
	}
	silent := func(s said) bool { return s.value == "" }
	return slices.DeleteFunc(own, silent), slices.DeleteFunc(ofPods, silent)
}

// refuseGroups where domains are composed here: Grove would make a second one.
func (m *mnnvlPlanner) refuseGroups() {
	own, ofPods := m.allGroups()
	for _, s := range append(own, ofPods...) {
		m.out.errs = append(m.out.errs, field.Invalid(s.path, s.value,
			"asks Grove for an NVLink domain, and those of this graph are composed here (mnnvl.mode Auto "+platformSets+"): remove the annotation, or let the platform set mnnvl.mode to Grove for new graphs"))
	}
}

// refusePodGroups, which would win over those of the services.
func (m *mnnvlPlanner) refusePodGroups() {
	_, ofPods := m.allGroups()
	for _, s := range ofPods {
		m.out.errs = append(m.out.errs, field.Invalid(s.path, s.value, "is not read here: set it in annotations of the service"))
	}
}

// refuseGroupsOfOldGrove names what needs a later version.
func (m *mnnvlPlanner) refuseGroupsOfOldGrove() {
	own, ofPods := m.allGroups()
	for _, s := range append(own, ofPods...) {
		m.out.errs = append(m.out.errs, needsGroups(s))
	}
}

func needsGroups(s said) *field.Error {
	return field.Invalid(s.path, s.value, fmt.Sprintf("NVLink domains for a part of a graph need Grove v0.1.0-alpha.9 or later, and this one is older (topology dialect %s): remove the annotation, set %s: %s on the whole graph, or update Grove",
		v1alpha1.DialectPackDomain, metadata.AnnotationAutoMNNVL, mnnvlDisabled))
}

// refuseGroupsOfDisabled refuses to name a group in a graph that opted out.
func (m *mnnvlPlanner) refuseGroupsOfDisabled() {
	own, ofPods := m.allGroups()
	for _, s := range append(own, ofPods...) {
		if s.value != mnnvlNoGroup {
			m.out.errs = append(m.out.errs, contradicts(s, m.wish.graph))
		}
	}
}

// keepGroups of a live set, which Grove refuses to change wherever they stand. A scaling group keeps what it has: a set
// that was created while groups were only passed on has them on the cliques alone, to the same effect.
func (m *mnnvlPlanner) keepGroups(set *grovev1alpha1.PodCliqueSet) {
	const key = metadata.AnnotationMNNVLGroup
	p := m.plan.Grove
	if observed := set.Annotations[key]; p.MNNVLGroup != observed {
		s, _ := ofGraph(m.graph, key)
		m.change(s.path, s.value, fmt.Sprintf(noChange+"; it was %q: "+recreate, observed))
		p.MNNVLGroup = observed
	}
	ofCliques, ofScalingGroups := groupsOf(set)
	wanted := p.MNNVLGroups
	p.MNNVLGroups = nil
	for _, name := range m.graph.ServiceNames() {
		service := m.graph.Spec.Services[name]
		lower := names.Lower(name)
		clique, own := pod.WorkloadAnnotations(m.graph, name)[key], wanted[name]
		if own != "" && (clique != "" || !pod.IsMultinode(&service)) {
			clique = own
		}
		before := cmp.Or(ofCliques[lower], ofScalingGroups[lower])
		if clique != ofCliques[lower] || cmp.Or(clique, own) != before {
			m.changeGroup(name, before)
		}
		kept := ofScalingGroups[lower]
		if !pod.IsMultinode(&service) {
			kept = ofCliques[lower]
		}
		if kept != "" {
			if p.MNNVLGroups == nil {
				p.MNNVLGroups = map[string]string{}
			}
			p.MNNVLGroups[name] = kept
		}
	}
}

// changeGroup refuses another group of a service than before, where the user changed it.
func (m *mnnvlPlanner) changeGroup(name, before string) {
	group, wish := ofService(m.graph, name, metadata.AnnotationMNNVLGroup), m.wish.services[name]
	switch {
	case group.value == "" && wish.value == mnnvlDisabled:
		m.change(wish.path, wish.value, noChange+"; the pods of the service were created with an NVLink domain: "+recreate)
	case group.value == "" && before == mnnvlNoGroup:
		m.change(wish.path, wish.value, fmt.Sprintf(noChange+"; it was %q: "+recreate, mnnvlDisabled))
	default:
		m.change(group.path, group.value, fmt.Sprintf(noChange+"; it was %q: "+recreate, before))
	}
}

// groupsOf the services of a set, by lower-cased name: on their cliques, and on their scaling groups.
func groupsOf(set *grovev1alpha1.PodCliqueSet) (ofCliques, ofScalingGroups map[string]string) {
	ofCliques, ofScalingGroups = map[string]string{}, map[string]string{}
	for _, clique := range set.Spec.Template.Cliques {
		ofCliques[serviceOfClique(clique.Name, set)] = clique.Annotations[metadata.AnnotationMNNVLGroup]
	}
	for _, group := range set.Spec.Template.ScalingGroups {
		ofScalingGroups[group.Name] = group.Annotations[metadata.AnnotationMNNVLGroup]
	}
	return ofCliques, ofScalingGroups
}
