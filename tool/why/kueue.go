package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

const (
	kindWorkload = "Workload"

	// gateKueue is on pods that wait for quota, and labelJob of a Workload is the UID of the pod that it is for.
	// https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/controller/constants/constants.go
	gateKueue = "kueue.x-k8s.io/admission"
	labelJob  = "kueue.x-k8s.io/job-uid"

	// keyGroup on pods is the name of their common Workload: an annotation, or a label before Kueue v0.18.
	keyGroup = "kueue.x-k8s.io/pod-group-name"
)

// isHeldByKueue reports whether a pod waits for quota.
func (p *pod) isHeldByKueue() bool {
	return slices.ContainsFunc(p.Spec.SchedulingGates, func(g corev1.PodSchedulingGate) bool { return g.Name == gateKueue })
}

// group of pods for which there is one Workload, by its name. Empty if the pod has a Workload of its own.
func (p *pod) group() string { return cmp.Or(p.Annotations[keyGroup], p.Labels[keyGroup]) }

// onKueue adds the Workloads of pods that wait for quota.
func (c *collector) onKueue() error {
	var groups, alone []string
	for i := range c.facts.Objects {
		pod, ok := podOf(&c.facts.Objects[i])
		switch {
		case !ok || !pod.isHeldByKueue():
		case pod.group() != "":
			groups = append(groups, pod.group())
		default:
			alone = append(alone, string(pod.UID))
		}
	}
	query := preview.Query{APIVersion: "kueue.x-k8s.io/v1beta2", Kind: kindWorkload, Namespace: c.namespace}
	slices.Sort(groups)
	if len(groups) > 0 {
		query.Names = slices.Compact(groups)
		if err := c.add(query); err != nil {
			return err
		}
	}
	slices.Sort(alone)
	if len(alone) > 0 {
		query.Names, query.Labels = nil, labelJob+" in ("+strings.Join(alone, ",")+")"
		return c.add(query)
	}
	return nil
}

// workloadOf a pod, of those of Kueue. nil if it was not read, or if there is none.
func workloadOf(p *pod, objects []unstructured.Unstructured) *unstructured.Unstructured {
	for i := range objects {
		o := &objects[i]
		if o.GetKind() != kindWorkload {
			continue
		}
		owned := slices.ContainsFunc(o.GetOwnerReferences(), func(owner metav1.OwnerReference) bool { return owner.UID == p.UID })
		if owned || o.GetName() == p.group() {
			return o
		}
	}
	return nil
}

// findWith the Workloads among objects what keeps a pod from being ready. nil if it is ready, or if nobody waits for it.
func (p *pod) findWith(e events, gangs gangs, objects []unstructured.Unstructured) *finding {
	f := p.findingOf(e, gangs)
	if f != nil && p.isHeldByKueue() {
		return held(p, objects)
	}
	return f
}

// held is a pod that waits for quota, in the words of Kueue.
func held(p *pod, objects []unstructured.Unstructured) *finding {
	found := workloadOf(p, objects)
	if found == nil {
		return &finding{code: OverQuota, what: fmt.Sprintf("Kueue holds it in LocalQueue %s until there is quota, and has no Workload for it yet", oneLine(p.Labels["kueue.x-k8s.io/queue-name"]))}
	}
	queue, _, _ := unstructured.NestedString(found.Object, "spec", "queueName")
	said, next := "", []string{"describe", "workloads.kueue.x-k8s.io", found.GetName()}
	for _, c := range conditionsOf(found).Status.Conditions {
		if c.Type == "Finished" && c.Status == "True" {
			// Kueue takes such a Workload for one whose pods have ended, and admits no more of them.
			what := fmt.Sprintf("Kueue holds it for ever, because its Workload %s is finished (%s): %s", found.GetName(), oneLine(c.Reason), brief(c.Message))
			return &finding{code: OverQuota, what: what, next: next}
		}
		if c.Type == "QuotaReserved" && c.Status == "False" || c.Type == "Admitted" && c.Status == "False" && c.Reason != "NoReservation" {
			said = fmt.Sprintf(" (%s): %s", oneLine(c.Reason), brief(c.Message))
			break
		}
	}
	what := fmt.Sprintf("Kueue holds it in LocalQueue %s until there is quota%s", oneLine(queue), said)
	return &finding{code: OverQuota, what: what, next: next}
}
