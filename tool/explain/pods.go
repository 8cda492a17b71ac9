package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/crossplane/function-sdk-go/errors"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// pods of a graph, as its workloads describe them.
type pods struct {
	// of each component, by name.
	byComponent map[string]*podsOf

	// place of all pods of the graph. nil if there is none.
	place *Place
}

// podsOf a component.
type podsOf struct {
	workload Workload

	// replicas, each of which has all roles, and how many of them are in the gang of the graph. grouped says that each further replica is a
	// gang of its own.
	replicas, least int32
	grouped         bool

	roles     []Role
	templates []corev1.PodTemplateSpec
	place     *Place
}

// perReplica is the number of pods of a replica.
func (p *podsOf) perReplica() int32 {
	var n int32
	for _, role := range p.roles {
		n += role.Pods
	}
	return n
}

// together is the number of pods of a replica that a gang needs.
func (p *podsOf) together() int32 {
	var n int32
	for _, role := range p.roles {
		n += role.least
	}
	return n
}

// pods of the workloads.
func (d *describer) pods() (*pods, error) {
	all := &pods{byComponent: map[string]*podsOf{}}
	for i := range d.objects {
		o := &d.objects[i]
		var err error
		switch kinds.Of(o.GetAPIVersion(), o.GetKind()).Pods {
		case kinds.CliqueTemplates:
			err = decoded(o, all.ofPodCliqueSet)
		case kinds.LeaderWorkerTemplate:
			err = decoded(o, all.ofLeaderWorkerSet)
		case kinds.PodTemplate:
			err = decoded(o, all.ofDeployment)
		case kinds.NoPods:
		}
		if err != nil {
			return nil, err
		}
	}
	for _, component := range all.byComponent {
		slices.SortFunc(component.workload.Names, byNumber)
	}
	return all, nil
}

// byNumber orders names by the number at their end.
func byNumber(a, b string) int {
	nameA, numberA := numbered(a)
	nameB, numberB := numbered(b)
	return cmp.Or(strings.Compare(nameA, nameB), cmp.Compare(numberA, numberB))
}

// numbered is a name without the number at its end, and the number. It is -1 if there is none.
func numbered(name string) (base string, number int) {
	i := strings.LastIndex(name, "-")
	if number, err := strconv.Atoi(name[i+1:]); err == nil && i >= 0 {
		return name[:i], number
	}
	return name, -1
}

// decoded object of a type.
func decoded[T any](o *unstructured.Unstructured, use func(*T)) error {
	object := new(T)
	if err := preview.Decode(o, object); err != nil {
		return errors.Wrapf(err, "cannot decode %s %q", o.GetKind(), o.GetName())
	}
	use(object)
	return nil
}

// ofPodCliqueSet are the pods of its cliques. A scaling group runs all cliques of a component.
func (p *pods) ofPodCliqueSet(set *grovev1alpha1.PodCliqueSet) {
	template := &set.Spec.Template
	p.place = placeOf(template.TopologyConstraint, eachGraph)
	for i := range template.Cliques {
		clique := &template.Cliques[i]
		component := p.component(clique.Labels)
		component.templates = append(component.templates, templateOf(clique))
		group := slices.IndexFunc(template.ScalingGroups, func(g grovev1alpha1.ScalingGroup) bool { return slices.Contains(g.CliqueNames, clique.Name) })
		if group < 0 {
			component.workload = Workload{Kind: grovev1alpha1.KindPodClique, Names: []string{set.Name + "-0-" + clique.Name}}
			component.replicas, component.least = clique.Spec.Replicas, clique.Spec.MinAvailable
			component.roles = []Role{{Name: clique.Name, Pods: 1, least: 1}}
			component.place = placeOf(clique.TopologyConstraint, eachComponent)
			continue
		}
		g := &template.ScalingGroups[group]
		component.workload = Workload{Kind: grovev1alpha1.KindPodCliqueScalingGroup, Names: []string{set.Name + "-0-" + g.Name}}
		component.replicas, component.least, component.grouped = g.Replicas, g.MinAvailable, true
		role := Role{Name: clique.Name, Pods: clique.Spec.Replicas, least: clique.Spec.MinAvailable}
		if len(clique.Spec.StartsAfter) > 0 {
			role.After = clique.Spec.StartsAfter[0]
		}
		component.roles = append(component.roles, role)
		component.place = placeOf(g.TopologyConstraint, eachReplica)
	}
}

// ofLeaderWorkerSet are the pods of some replicas of a component.
func (p *pods) ofLeaderWorkerSet(set *lwsv1.LeaderWorkerSet) {
	template := &set.Spec.LeaderWorkerTemplate
	component := p.component(template.WorkerTemplate.Labels)
	component.workload.Kind = set.Kind
	component.workload.Names = append(component.workload.Names, set.Name)
	component.replicas += ptr.Deref(set.Spec.Replicas, 1)
	workers := ptr.Deref(template.Size, 1) - 1
	component.roles = []Role{{Name: "leader", Pods: 1, least: 1}, {Name: "worker", Pods: workers, least: workers}}
	component.templates = []corev1.PodTemplateSpec{*template.LeaderTemplate, template.WorkerTemplate}
}

// ofDeployment are the pods of a component.
func (p *pods) ofDeployment(deployment *appsv1.Deployment) {
	component := p.component(deployment.Spec.Template.Labels)
	component.workload = Workload{Kind: deployment.Kind, Names: []string{deployment.Name}}
	component.replicas, component.roles = ptr.Deref(deployment.Spec.Replicas, 1), []Role{{Name: deployment.Name, Pods: 1}}
	component.templates = []corev1.PodTemplateSpec{deployment.Spec.Template}
}

// component whose pods have labels.
func (p *pods) component(labels map[string]string) *podsOf {
	name := labels[metadata.LabelComponent]
	if p.byComponent[name] == nil {
		p.byComponent[name] = &podsOf{}
	}
	return p.byComponent[name]
}

func templateOf(clique *grovev1alpha1.Clique) corev1.PodTemplateSpec {
	template := corev1.PodTemplateSpec{Spec: clique.Spec.PodSpec}
	template.Labels, template.Annotations = clique.Labels, clique.Annotations
	return template
}

// placeOf a constraint, in any dialect of Grove.
func placeOf(c *grovev1alpha1.TopologyConstraint, each string) *Place {
	if c == nil {
		return nil
	}
	place := &Place{Topology: c.TopologyName, Required: c.PackDomain, Each: each}
	if c.Pack != nil {
		place.Required, place.Preferred = c.Pack.Required, c.Pack.Preferred
	}
	return place
}
