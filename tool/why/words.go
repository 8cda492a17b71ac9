package why

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Schedulers write to all pods of a gang why one of them has no place. So the pod to which something is written is often not the pod that it
// is about: the words name that pod or its clique, or are those that are written to that pod itself.

// A saying is what a scheduler says of a gang, or of one of its pods.
type saying struct {
	// pod or clique without a place. Both are empty if the words name neither.
	pod, clique string

	// cause is why it has no place. Empty if the words only say that a gang waits.
	cause string

	// alone says that no other pod was found to have no place, even if it has errors of its own: they may be about the nodes that it does not fit.
	alone bool
}

// pattern of a saying. Its groups are fields of the saying.
type pattern struct {
	*regexp.Regexp

	alone bool
}

// patterns of what schedulers say of gangs: the first that fits counts. All else is about the pod to which it is written.
// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/scheduler/actions/common/allocate.go
// https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/scheduler/api/job_info.go
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/scheduler/schedule_one_podgroup.go
var patterns = []pattern{ //nolint:gochecknoglobals // It never changes.
	{regexp.MustCompile(`Resources were not found for pod \S+/(?P<pod>\S+) due to: (?P<cause>.*)`), true},
	{regexp.MustCompile(`Resources were found for \d+ pods.*? sub-group (?P<clique>\S+) requires .*? due to: (?P<cause>.*)`), true},
	{regexp.MustCompile(`Resources were found for \d+ pods while .*? due to: (?P<cause>.*)`), true},
	{regexp.MustCompile(`(?P<cause>topology \S+, requirement .*? couldn't be satisfied for job <[^>]*>, subgroup (?P<clique>[^\s:]+).*)`), false},

	{regexp.MustCompile(`pod group is not ready, .*?Origin reason is (?P<pod>[^\s:]+): (?P<cause>.*)`), false},
	{regexp.MustCompile(`pod group is not ready, .*?Origin reason is: (?P<cause>.*)`), false},
	{regexp.MustCompile(`pod group is not ready, |can possibly be assigned to \S+, once .*minAvailable is satisfied`), false},

	{regexp.MustCompile(`failed to schedule other pod from a pod group: (?P<cause>.*)`), false},
	{regexp.MustCompile(`waiting for minCount pods from a gang|pod group is waiting for preemption|waiting for the preemption for this pod group`), false},
}

var (
	// listed is how each of the errors begins that KAI lists of a gang.
	listed = regexp.MustCompile(`Resources were (?:not )?found for |topology \S+, requirement |(?:\d+ )?node-group\(s\) didn't `)

	// nodePool is how the words of KAI begin about a gang that may only be in one pool of nodes.
	nodePool = regexp.MustCompile(`^Node-Pool '[^']*': `)
)

// sayingsIn the words of a scheduler. None if they are about the pod to which they are written.
func sayingsIn(words string) []saying {
	var found []saying
	for _, part := range parts(words) {
		if said, ok := sayingIn(part); ok {
			found = append(found, said)
		}
	}
	return found
}

// parts of the words of a scheduler, each of one error.
func parts(words string) []string {
	starts := listed.FindAllStringIndex(words, -1)
	if len(starts) == 0 {
		return []string{words}
	}
	all := make([]string, len(starts))
	for i := range slices.Backward(starts) {
		all[i] = words[starts[i][0]:]
		words = words[:starts[i][0]]
	}
	return all
}

func sayingIn(words string) (said saying, ok bool) {
	for _, p := range patterns {
		match := p.FindStringSubmatch(words)
		if match == nil {
			continue
		}
		group := func(name string) string {
			if i := p.SubexpIndex(name); i >= 0 {
				return match[i]
			}
			return ""
		}
		return saying{pod: group("pod"), clique: group("clique"), cause: ended(group("cause")), alone: p.alone}, true
	}
	return saying{}, false
}

// ended words are in one line, and end with one period at most.
func ended(words string) string {
	words = oneLine(words)
	if trimmed := strings.TrimRight(words, ". "); trimmed != words {
		return trimmed + "."
	}
	return words
}

// words of the scheduler to a pod. Empty if it has said nothing.
func (p *pod) words(e events) string {
	scheduled := p.condition(corev1.PodScheduled)
	words := scheduled.Message
	if scheduled.Reason == corev1.PodReasonSchedulingGated {
		// The gates are gone, and the condition stays until a scheduler has looked at the pod.
		words = ""
	}
	if event, ok := e.last(p.UID, "FailedScheduling", "Unschedulable", "QueueDoesNotExist"); ok && words == "" {
		words = event.Message
	}
	return nodePool.ReplaceAllString(oneLine(words), "")
}

// A speaker is a pod of a gang that waits for a node.
type speaker struct {
	*pod

	words string
}

// isOf reports whether the pod is of a clique, or of a replica of a scaling group.
func (s *speaker) isOf(clique string) bool {
	replica := s.Labels["grove.io/podcliquescalinggroup"] + "-" + s.Labels["grove.io/podcliquescalinggroup-replica-index"]
	return s.Labels["grove.io/podclique"] == clique || replica == clique
}

// hear what the scheduler says to the pods of gangs, and find out which of them have no place.
func (g gangs) hear(objects []unstructured.Unstructured, e events) {
	speakers := map[[2]string][]speaker{}
	for i := range objects {
		p, ok := podOf(&objects[i])
		if !ok || p.unreadable != nil || p.Spec.NodeName != "" || len(p.Spec.SchedulingGates) > 0 || p.DeletionTimestamp != nil {
			continue
		}
		if kind, name := p.gang(); name != "" {
			speakers[[2]string{kind, name}] = append(speakers[[2]string{kind, name}], speaker{pod: p, words: p.words(e)})
		}
	}
	for of, pods := range speakers {
		found := g.gangOf(of[0], of[1])
		found.blame(pods)
		g[of] = found
	}
}

// blame the pods that have no place, of all that wait.
func (g *gang) blame(pods []speaker) {
	own, said := map[string]string{}, sayingsIn(g.words)
	for i := range pods {
		s := &pods[i]
		about := sayingsIn(s.words)
		if len(about) == 0 && s.words != "" && !s.fits() {
			own[s.Name] = s.words
		}
		// All pods of a gang may be told the same.
		said = append(said, slices.DeleteFunc(about, func(s saying) bool { return slices.Contains(said, s) })...)
	}
	blamed, alone := map[string]string{}, false
	for _, of := range said {
		for _, name := range of.blames(pods, own) {
			words, has := own[name]
			if !has {
				words = of.cause
			}
			blamed[name], alone = words, alone || of.alone
		}
	}
	if !alone {
		maps.Copy(blamed, own)
	}
	g.blamed = map[string]blame{}
	for i := range pods {
		if words, is := blamed[pods[i].Name]; is {
			g.blamed[pods[i].Name] = blame{words: words, component: component(pods[i].Labels)}
		}
	}
}

// blame of a pod that has no place.
type blame struct{ words, component string }

// blames are the names of the pods that a saying is about, given what was written to pods about themselves.
func (s *saying) blames(pods []speaker, own map[string]string) []string {
	if s.cause == "" {
		return nil
	}
	var all, speaking, same []string
	for i := range pods {
		p := &pods[i]
		switch {
		case s.pod != "" && s.pod != p.Name, s.clique != "" && !p.isOf(s.clique):
			continue
		case ended(own[p.Name]) == s.cause:
			same = append(same, p.Name)
			fallthrough
		case own[p.Name] != "":
			speaking = append(speaking, p.Name)
		}
		all = append(all, p.Name)
	}
	switch {
	case len(same) > 0:
		return same
	case len(speaking) > 0:
		return speaking
	case s.pod != "" || s.clique != "":
		return all
	default:
		return nil
	}
}

// fits reports whether a scheduler has found a node for a pod, and waits for its gang: Volcano says so in the reason.
func (p *pod) fits() bool {
	switch p.condition(corev1.PodScheduled).Reason {
	case "", corev1.PodReasonUnschedulable, corev1.PodReasonSchedulingGated, corev1.PodReasonSchedulerError, reasonBindingError:
		return false
	default:
		return true
	}
}

// reasonBindingError is that of KAI for a pod that it cannot bind to its node.
const reasonBindingError = "BindingError"

// waits is a pod that only waits for others of its gang. nil if it has no place itself, or if the words do not tell.
func (g *gang) waits(p *pod, words string) *finding {
	if _, blamed := g.blamed[p.Name]; blamed {
		return nil
	}
	f := &finding{code: WaitingForGang, what: "it waits for the rest of its gang" + g.in() + ": ", next: g.next()}
	if len(g.blamed) > 0 {
		names := slices.Sorted(maps.Keys(g.blamed))
		f.what += "the scheduler has no node for pod " + names[0]
		if of := g.blamed[names[0]].component; of != "" {
			f.what += " of " + of
		}
		if others := len(names) - 1; others > 0 {
			f.what += fmt.Sprintf(", nor for %d of the others", others)
		}
		return f
	}
	said := sayingsIn(words)
	if p.fits() || len(said) > 0 && !slices.ContainsFunc(said, func(s saying) bool { return s.pod == "" && s.cause != "" }) {
		f.what += brief(words)
		return f
	}
	return nil
}
