package why

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// A finding is what is wrong with an object.
type finding struct {
	code Code

	// what is wrong, as a clause.
	what string

	// container that it is about, and whether its log is that of the run before. Empty if it is about the pod. pod is only needed of objects
	// that are none.
	container, pod string
	previous       bool

	// next are the arguments of kubectl that show more. nil means those that describe the object.
	next []string
}

// pod as far as it tells why it is not ready.
type pod struct {
	corev1.Pod

	unreadable error
}

// podOf an object. ok is false if it is no pod.
func podOf(object *unstructured.Unstructured) (p *pod, ok bool) {
	if object.GetKind() != kindPod || object.GetAPIVersion() != "v1" {
		return nil, false
	}
	p = &pod{}
	if err := preview.Decode(object, &p.Pod); err != nil {
		p = &pod{unreadable: err}
		p.Name, p.Namespace, p.UID, p.Labels = object.GetName(), object.GetNamespace(), object.GetUID(), object.GetLabels()
		p.OwnerReferences = object.GetOwnerReferences()
	}
	return p, true
}

func (p *pod) condition(conditionType corev1.PodConditionType) corev1.PodCondition {
	for _, c := range p.Status.Conditions {
		if c.Type == conditionType {
			return c
		}
	}
	return corev1.PodCondition{}
}

func (p *pod) isReady() bool {
	return p.condition(corev1.PodReady).Status == corev1.ConditionTrue && p.DeletionTimestamp == nil
}

// isRunning reports whether nothing outside the pod keeps it from running.
func (p *pod) isRunning() bool { return p.isReady() || p.Status.Phase == corev1.PodRunning }

// claims for volumes that the pod mounts.
func (p *pod) claims() []string {
	var claims []string
	for i := range p.Spec.Volumes {
		if claim := p.Spec.Volumes[i].PersistentVolumeClaim; claim != nil {
			claims = append(claims, claim.ClaimName)
		}
	}
	return claims
}

// gang of the pod: that of Grove, KAI, Volcano or Kubernetes. Empty if it is scheduled alone.
func (p *pod) gang() (kind, name string) {
	if name = p.Labels[labelGang]; name != "" {
		return kindPodGang, name
	}
	for _, annotation := range []string{"scheduling.k8s.io/group-name", annotationGroup} {
		if name = p.Annotations[annotation]; name != "" {
			return kindPodGroup, name
		}
	}
	if group := p.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil {
		return kindPodGroup, *group.PodGroupName
	}
	return "", ""
}

// findingOf a pod is what keeps it from being ready: nil if it is ready, or if nobody waits for it.
func (p *pod) findingOf(e events, gangs gangs) *finding {
	switch {
	case p.unreadable != nil:
		return &finding{code: Unknown, what: "it cannot be read: " + brief(p.unreadable.Error())}
	case p.isReady():
		return nil
	case p.isOnLostNode(e):
		return &finding{code: NodeLost, what: "its node " + p.Spec.NodeName + " no longer reports to the cluster"}
	case p.DeletionTimestamp != nil:
		return &finding{code: Starting, what: "it is being deleted"}
	case p.Status.Phase == corev1.PodSucceeded:
		return &finding{code: PodFailed, what: "all its containers have ended, and none has failed"}
	case p.Status.Phase == corev1.PodFailed && p.Status.Reason != "":
		return &finding{code: PodFailed, what: brief(p.Status.Reason + ": " + p.Status.Message)}
	case p.Spec.NodeName == "":
		return p.unscheduled(e, gangs)
	}
	if f := p.container(e); f != nil {
		return f
	}
	return &finding{code: Starting, what: "it is not ready yet"}
}

// isOnLostNode reports whether the node of a pod no longer reports. Kubernetes then marks its pods as not ready, and leaves their containers
// as they were last seen.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/controller/util/node/controller_utils.go
func (p *pod) isOnLostNode(e events) bool {
	if p.Spec.NodeName == "" || len(p.Spec.ReadinessGates) > 0 || p.Status.Phase != corev1.PodRunning {
		return false
	}
	_, reported := e.last(p.UID, "NodeNotReady")
	containers := p.condition(corev1.ContainersReady).Status == corev1.ConditionTrue
	for i := range p.Status.ContainerStatuses {
		containers = containers && p.Status.ContainerStatuses[i].Ready
	}
	return containers && p.condition(corev1.PodReady).Status == corev1.ConditionFalse || reported && p.DeletionTimestamp != nil
}

// Words of schedulers.
// https://github.com/kubernetes/kubernetes/tree/v1.36.3/pkg/scheduler/framework/plugins
var (
	insufficient = regexp.MustCompile(`(?:(\d+) )?(?:[Ii]nsufficient|[Nn]ode(?:-group)?(?:\(s\))? didn't have enough (?:resources?|of mig profile):) ` +
		`([A-Za-z0-9._/-]*[A-Za-z0-9](?: cores| memory)?)`)
	topological = regexp.MustCompile(`(?i)topolog`)
)

// absences are the words of schedulers about objects that a pod refers to and that do not exist. The first group of each pattern is the name,
// or the names with spaces between them.
func absences() []absence {
	return []absence{
		{regexp.MustCompile(`persistentvolumeclaim "([^"]+)" not found`), kindClaim, "persistentvolumeclaims"},
		// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/scheduler/k8s_internal/predicates/config_maps.go
		{regexp.MustCompile(`Missing required configmaps: \[([^\]]+)\]`), "ConfigMap", "configmaps"},
		// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/scheduler/cache/cluster_info/cluster_info.go
		{regexp.MustCompile(`Queue '([^']+)' does not exist`), "Queue", "queues.scheduling.run.ai"},
		{regexp.MustCompile(`resourceclaim(?:\.resource\.k8s\.io)? "([^"]+)" not found`), "ResourceClaim", "resourceclaims"},
		// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go
		{regexp.MustCompile(`device class ([a-z0-9.-]+) does not exist`), "DeviceClass", "deviceclasses"},
	}
}

// absence is how a scheduler says that an object of a kind does not exist, and the resource to look at.
type absence struct {
	pattern        *regexp.Regexp
	kind, resource string
}

// absent is the object that does not exist according to the words of a scheduler. nil if they are about something else.
func absent(words string) *finding {
	for _, a := range absences() {
		match := a.pattern.FindStringSubmatch(words)
		if match == nil {
			continue
		}
		names := strings.Fields(match[1])
		what := a.kind + " " + match[1] + " does not exist"
		if len(names) > 1 {
			what = a.kind + "s " + strings.Join(names, ", ") + " do not exist"
		}
		return &finding{code: ObjectMissing, what: what, next: []string{"get", a.resource}}
	}
	return nil
}

// unscheduled is why a pod has no node.
func (p *pod) unscheduled(e events, gangs gangs) *finding {
	if len(p.Spec.SchedulingGates) > 0 {
		return p.gated()
	}
	if event, ok := e.last(p.UID, "FailedResourceClaimCreation"); ok {
		return refusalOf("its ResourceClaim cannot be created: ", event.Message)
	}
	kind, name := p.gang()
	gang := gangs.gangOf(kind, name)
	words := p.words(e)
	gate := gang.gate(p, words != "")
	if words == "" {
		words = gang.words
	}
	if blame, is := gang.blamed[p.Name]; is {
		words = blame.words
	}
	waits := gang.waits(p, words)
	words, _, _ = strings.Cut(brief(words), " preemption: ")
	if f := absent(words); f != nil && waits == nil {
		return f
	}
	if f := cmp.Or(gang.split(p), gang.lacksQuota(e), waits); f != nil {
		return f
	}
	switch {
	case words == "":
		return &finding{code: Unschedulable, what: "scheduler " + p.Spec.SchedulerName + " has not said anything about it" + gang.in() + gate}
	case strings.HasPrefix(words, overLimit), strings.HasPrefix(words, beyondQuota):
		return p.overQuotaOfKAI(&gang, words)
	case strings.Contains(words, "unbound immediate PersistentVolumeClaims"):
		return &finding{code: Volume, what: "a PersistentVolumeClaim is not bound to a volume: " + words, next: append([]string{"describe", "persistentvolumeclaim"}, p.claims()...)}
	case slices.Contains([]string{corev1.PodReasonSchedulerError, reasonBindingError}, p.condition(corev1.PodScheduled).Reason):
		return &finding{code: Unschedulable, what: "its scheduler failed: " + words}
	default:
		return &finding{code: Unschedulable, what: lacking(words) + gang.in() + "; the scheduler says: " + words + gate}
	}
}

// How the words of KAI begin about gangs that the quota of their queue does not allow.
// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/apis/scheduling/v2alpha2/podgroup_types.go
const (
	overLimit   = "OverLimit: "
	beyondQuota = "NonPreemptibleOverQuota: "
)

// overQuotaOfKAI is a pod whose queue of KAI has no quota left for its gang.
func (p *pod) overQuotaOfKAI(gang *gang, words string) *finding {
	f := &finding{code: OverQuota, what: "its queue has no quota left" + gang.in() + ": " + words}
	if queue := p.Labels["kai.scheduler/queue"]; queue != "" {
		f.next = []string{"describe", "queues.scheduling.run.ai", queue}
	}
	return f
}

// lacking is what the words of a scheduler mean.
func lacking(words string) string {
	var resources []string
	nodes := map[string]int{}
	for _, match := range insufficient.FindAllStringSubmatch(words, -1) {
		if _, seen := nodes[match[2]]; !seen {
			resources = append(resources, match[2])
		}
		// Without a number it is 0.
		nodes[match[2]], _ = strconv.Atoi(match[1])
	}
	// What most nodes lack comes first.
	slices.SortStableFunc(resources, func(a, b string) int { return cmp.Compare(nodes[b], nodes[a]) })
	switch {
	case len(resources) > 0:
		return "no node has enough " + strings.Join(resources, " or ") + " left"
	case topological.MatchString(words):
		return "no topology domain has room"
	default:
		return "no node fits"
	}
}

// gated is why a pod is not handed to its scheduler yet. Grove opens the gate of a pod when its gang exists and, for replicas beyond the
// minimum, when the gang with the others is scheduled.
func (p *pod) gated() *finding {
	var gates []string
	for _, gate := range p.Spec.SchedulingGates {
		gates = append(gates, gate.Name)
	}
	_, name := p.gang()
	what := "it waits for scheduling gate " + strings.Join(gates, ", ")
	next := []string(nil)
	if name != "" {
		what += fmt.Sprintf(", until %s %s has all its pods", kindPodGang, name)
		next = []string{"describe", "podgang", name}
	}
	if base := p.Labels["grove.io/base-podgang"]; base != "" && base != name {
		what += fmt.Sprintf(" and %s %s is scheduled", kindPodGang, base)
		next = []string{"describe", "podgang", base}
	}
	return &finding{code: WaitingForGang, what: what, next: next}
}

// component of the graph that an object belongs to. Empty if its labels do not name one.
func component(labels map[string]string) string { return labels[metadata.LabelComponent] }
