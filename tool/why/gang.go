package why

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

const (
	// labelGang of Grove on pods is the name of their PodGang.
	labelGang = "grove.io/podgang"

	// annotationGroup of KAI on pods is the name of their PodGroup.
	annotationGroup = "pod-group-name"

	// reasonNoRoom is that of Volcano's events about a PodGroup, and noQuota is how the message begins if its queue has no quota left for it.
	// https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/scheduler/plugins/proportion/proportion.go
	reasonNoRoom = "Unschedulable"
	noQuota      = "queue resource quota insufficient"
)

// gang of pods that are scheduled together.
type gang struct {
	kind, name string

	// native says that it is a PodGroup of Kubernetes itself, and judged that its scheduler has written its condition.
	native, judged bool

	// uid and queue of a PodGroup of Volcano, and whether Volcano has not looked for nodes for it yet.
	uid     types.UID
	queue   string
	pending bool

	// words of its scheduler. Empty if it says nothing.
	words string

	// within is the topology domain into which the gang has to be packed. Empty if it may be anywhere.
	within string

	// groups are the PodGroups of KAI that pods of a PodGang are in, sorted. There should be one.
	groups []string

	// blamed are the pods that have no place, by name. Others only wait for them.
	blamed map[string]blame
}

// gangs of a graph by kind and name.
type gangs map[[2]string]gang

func gangsOf(objects []unstructured.Unstructured, e events) gangs {
	all := gangs{}
	for i := range objects {
		o := &objects[i]
		if o.GetKind() != kindPodGang && o.GetKind() != kindPodGroup {
			continue
		}
		g := gang{kind: o.GetKind(), name: o.GetName(), native: schedulingv1beta1.Has(o.GetAPIVersion()), within: within(o), words: wordsOf(o)}
		g.judged = slices.ContainsFunc(conditionsOf(o).Status.Conditions, func(c metav1.Condition) bool { return c.Type == schedulingv1beta1.ConditionScheduled })
		g.uid = o.GetUID()
		g.queue, _, _ = unstructured.NestedString(o.Object, "spec", "queue")
		phase, _, _ := unstructured.NestedString(o.Object, "status", "phase")
		g.pending = phase == "Pending"
		all[[2]string{g.kind, g.name}] = g
		if g.kind == kindPodGang {
			continue
		}
		// KAI groups the pods of a PodGang, and says in its own object why they have no place.
		for _, owner := range o.GetOwnerReferences() {
			controller := [2]string{owner.Kind, owner.Name}
			if base := all[controller]; owner.Kind == kindPodGang && g.words != "" {
				base.kind, base.name, base.words = owner.Kind, owner.Name, g.words
				all[controller] = base
			}
		}
	}
	all.addGroups(objects)
	all.hear(objects, e)
	return all
}

// addGroups of KAI to the gangs of the pods that are in them.
func (g gangs) addGroups(objects []unstructured.Unstructured) {
	for i := range objects {
		labels, group := objects[i].GetLabels(), objects[i].GetAnnotations()[annotationGroup]
		if objects[i].GetKind() != kindPod || labels[labelGang] == "" || group == "" || objects[i].GetDeletionTimestamp() != nil {
			continue
		}
		owner := [2]string{kindPodGang, labels[labelGang]}
		found := g.gangOf(owner[0], owner[1])
		if index, exists := slices.BinarySearch(found.groups, group); !exists {
			found.groups = slices.Insert(found.groups, index, group)
			g[owner] = found
		}
	}
}

// split is a gang whose pods are in several PodGroups of KAI, so that new ones wait for peers that never come. It happens when Grove starts
// to create the PodGroups itself, or no longer does, while KAI's pod grouper has made those of the pods that run. nil if there is one
// PodGroup, or none.
func (g *gang) split(p *pod) *finding {
	if len(g.groups) < 2 {
		return nil
	}
	return &finding{
		code: GangSplit,
		what: fmt.Sprintf("it is in PodGroup %s, and other pods of %s %s are in another: the gang is from before Grove's backend for KAI was changed. "+
			"The command moves all of them to one PodGroup, and restarts no pod", p.Annotations[annotationGroup], g.kind, g.name),
		next: []string{
			"annotate", "pods", "--selector=" + labelGang + "=" + g.name, annotationGroup + "=" + g.name, "kai.scheduler/skip-podgrouper=true", "--overwrite",
		},
	}
}

// lacksQuota is a gang that Volcano does not look for nodes for, because its queue has no quota left. nil if that is not why it waits.
func (g *gang) lacksQuota(e events) *finding {
	event, ok := e.last(g.uid, reasonNoRoom)
	if !g.pending || !ok || !strings.HasPrefix(event.Message, noQuota) {
		return nil
	}
	return &finding{
		code: OverQuota,
		what: fmt.Sprintf("queue %s has no quota left%s: %s", oneLine(g.queue), g.in(), brief(event.Message)),
		next: []string{"describe", "queues.scheduling.volcano.sh", g.queue},
	}
}

// gate of Kubernetes that is off or stands alone if the pods of a gang wait like this one for long, as the end of a clause. Empty if there is none. spoke
// says that the scheduler has said something about the pod itself. The scheduler writes about a gang right after it has written about its pods.
func (g *gang) gate(p *pod, spoke bool) string {
	if p.Spec.SchedulingGroup == nil {
		return ""
	}
	switch {
	case !g.native && !spoke:
		return fmt.Sprintf("; while %s is not served and feature gate %s is on, the scheduler places no pod at all", schedulingv1beta1.APIVersion, schedulingv1beta1.GateGangs)
	case g.native && spoke && !g.judged:
		return fmt.Sprintf("; if PodGroup %s gets no condition, feature gate %s is off in the scheduler, which then places pods one by one", g.name, schedulingv1beta1.GateGangs)
	default:
		return ""
	}
}

// wordsOf the scheduler about a gang.
func wordsOf(object *unstructured.Unstructured) string {
	decoded := conditionsOf(object)
	for _, c := range append(decoded.Status.SchedulingConditions, decoded.Status.Conditions...) {
		unschedulable := strings.HasPrefix(c.Type, "Unschedulable") && c.Status == "True"
		notScheduled := strings.HasSuffix(c.Type, "Scheduled") && c.Status == "False"
		if (unschedulable || notScheduled) && c.Message != "" {
			return brief(c.Message)
		}
	}
	return ""
}

// within is the topology domain of a gang: of Grove, of KAI, of Volcano or of Kubernetes.
func within(object *unstructured.Unstructured) string {
	for _, path := range [][]string{
		{"spec", "topologyConstraint", "packConstraint", "required"},
		{"spec", "topologyConstraint", "requiredTopologyLevel"},
		{"spec", "networkTopology", "highestTierName"},
	} {
		if key, _, _ := unstructured.NestedString(object.Object, path...); key != "" {
			return "one " + oneLine(key)
		}
	}
	group := schedulingv1beta1.PodGroup{}
	if err := preview.Decode(object, &group); err == nil && group.Spec.TopologyKey() != "" {
		return "one " + oneLine(group.Spec.TopologyKey())
	}
	if tier, ok, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "networkTopology", "highestTierAllowed"); ok {
		return oneLine(fmt.Sprintf("one HyperNode of tier %v", tier))
	}
	return ""
}

// gangOf is the gang of a kind and name. A gang that was not read has nothing else.
func (g gangs) gangOf(kind, name string) gang {
	if found, ok := g[[2]string{kind, name}]; ok {
		return found
	}
	return gang{kind: kind, name: name}
}

// in is the gang as the end of a clause. Empty if the pod is scheduled alone.
func (g *gang) in() string {
	if g.name == "" {
		return ""
	}
	text := fmt.Sprintf(" for all pods of %s %s", g.kind, g.name)
	if g.within != "" {
		text += " within " + g.within
	}
	return text
}

// next are the arguments of kubectl that describe the gang. nil if there is none.
func (g *gang) next() []string {
	if g.name == "" {
		return nil
	}
	if g.native {
		// Another scheduler may have a kind of this name.
		return []string{"describe", "podgroups.scheduling.k8s.io", g.name}
	}
	return []string{"describe", strings.ToLower(g.kind), g.name}
}
