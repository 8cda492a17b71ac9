package groveoperator

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// createClique with more labels than those of its template.
func (t *turn) createClique(ctx context.Context, set, owner *object, name string, c cliqueTemplate, labels map[string]string) error {
	all := map[string]string{labelTemplateHash: c.hash}
	maps.Copy(all, c.labels)
	maps.Copy(all, labels)
	return t.create(ctx, set, owner, kindClique, name, all, c.annotations, c.spec)
}

// retemplate gives a clique other pods. It keeps its number of replicas, which those who scale it have set.
func (t *turn) retemplate(ctx context.Context, clique *object, c cliqueTemplate) error {
	labels := map[string]any{labelTemplateHash: c.hash}
	for name, value := range c.labels {
		labels[name] = value
	}
	annotations := map[string]any{}
	for name := range clique.GetAnnotations() {
		annotations[name] = nil
	}
	for name, value := range c.annotations {
		annotations[name] = value
	}
	// A list of a merge patch replaces the one before, but a map does not.
	podSpec, _ := c.spec["podSpec"].(map[string]any)
	before, _, _ := unstructured.NestedMap(clique.Object, "spec", "podSpec")
	after := maps.Clone(podSpec)
	for field := range before {
		if _, there := after[field]; !there {
			after[field] = nil
		}
	}
	return t.client.Patch(ctx, refOf(clique), map[string]any{
		"metadata": map[string]any{"labels": labels, "annotations": annotations},
		"spec":     map[string]any{"podSpec": after},
	})
}

// clique makes one step with a PodClique. Its pods are replaced one by one, unless a scaling group replaces it as a whole.
func (t *turn) clique(ctx context.Context, set, clique *object) error {
	pods := t.pods[clique.GetUID()]
	if !isGrouped(clique) {
		if wrote, err := t.update(ctx, set, clique, pods); wrote || err != nil {
			return err
		}
	}
	if err := t.scale(ctx, clique, pods); err != nil {
		return err
	}
	return t.reportClique(ctx, set, clique, pods)
}

func isGrouped(clique *object) bool { return clique.GetLabels()[labelGroup] != "" }

// update pods of another template: those that are not ready at once, the others one by one, as long as enough are ready. wrote is true if
// it wrote the status. A new clique, and one whose template stays the same while that of others changes, begins an update, too, and ends
// it with the next step.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podclique/components/pod/rollingupdate.go
func (t *turn) update(ctx context.Context, set, clique *object, pods []*corev1.Pod) (wrote bool, err error) {
	if waits(set) {
		return false, nil
	}
	hash := clique.GetLabels()[labelTemplateHash]
	progress, updating := progressOf(clique)
	if progress == nil || !isOf(clique, generationOf(set)) {
		start := startOf(generationOf(set))
		start["podTemplateHash"], start["readyPodsSelectedToUpdate"] = hash, nil
		return true, t.report(ctx, clique, map[string]any{"updateProgress": start, "updatedReplicas": int64(0)})
	}
	if !updating {
		return false, nil
	}
	w := workOf(pods, hash)
	for _, pod := range w.oldUnready {
		if err := t.deletePod(ctx, pod); err != nil {
			return false, err
		}
	}
	current := textAt(progress, "readyPodsSelectedToUpdate", "current")
	completed, _, _ := unstructured.NestedStringSlice(progress, "readyPodsSelectedToUpdate", "completed")
	if current != "" && !w.isDone(current, len(completed)) {
		// Its deletion may have failed. The real operator would not try again.
		if pod := w.stays[current]; pod != nil {
			return false, t.deletePod(ctx, pod)
		}
		return false, nil
	}
	if len(w.oldReady) > 0 {
		if numberAt(clique.Object, "status", "readyReplicas") < minAvailable(clique) {
			return false, nil
		}
		return true, t.replace(ctx, clique, w.oldReady[0], current, completed)
	}
	return true, t.report(ctx, clique, map[string]any{"updateProgress": map[string]any{"updateEndedAt": now(), "readyPodsSelectedToUpdate": nil}})
}

// replace a ready pod: it is deleted once the status has its name.
func (t *turn) replace(ctx context.Context, clique *object, pod *corev1.Pod, current string, completed []string) error {
	selected := map[string]any{"current": pod.Name}
	if current != "" {
		completed = append(completed, current)
	}
	if len(completed) > 0 {
		selected["completed"] = anySlice(completed)
	}
	if err := t.report(ctx, clique, map[string]any{"updateProgress": map[string]any{"readyPodsSelectedToUpdate": selected}}); err != nil {
		return err
	}
	return t.deletePod(ctx, pod)
}

// work of an update.
type work struct {
	// oldReady and oldUnready are pods of another template that are not being deleted, oldest first.
	oldReady, oldUnready []*corev1.Pod
	// newReady is the number of ready pods of the template.
	newReady int
	// stays has the pods that are not being deleted, by name.
	stays map[string]*corev1.Pod
}

func workOf(pods []*corev1.Pod, hash string) work {
	w := work{stays: map[string]*corev1.Pod{}}
	for _, pod := range slices.SortedFunc(slices.Values(pods), oldestFirst) {
		isNew := pod.Labels[labelTemplateHash] == hash
		if isNew && isReady(pod) {
			w.newReady++
		}
		if pod.DeletionTimestamp != nil {
			continue
		}
		w.stays[pod.Name] = pod
		switch {
		case isNew:
		case isReady(pod):
			w.oldReady = append(w.oldReady, pod)
		default:
			w.oldUnready = append(w.oldUnready, pod)
		}
	}
	return w
}

// isDone reports whether the selected pod has been replaced: it is gone, and as many new pods are ready as were selected. If a scale-in
// deletes one of these, that never becomes true, and the update waits forever.
func (w work) isDone(selected string, completed int) bool {
	return w.stays[selected] == nil && w.newReady > completed
}

// reportClique reports the numbers of pods. Ready and scheduled pods count until they are gone, all pods until they are deleted.
func (t *turn) reportClique(ctx context.Context, set, clique *object, pods []*corev1.Pod) error {
	var replicas, ready, gated, scheduled, updated int64
	hash := clique.GetLabels()[labelTemplateHash]
	for _, pod := range pods {
		replicas += one(pod.DeletionTimestamp == nil)
		ready += one(isReady(pod))
		gated += one(len(pod.Spec.SchedulingGates) > 0)
		scheduled += one(pod.Spec.NodeName != "")
		updated += one(pod.Labels[labelTemplateHash] == hash)
	}
	status := map[string]any{
		"replicas": replicas, "readyReplicas": ready, "scheduleGatedReplicas": gated, "scheduledReplicas": scheduled, "updatedReplicas": updated,
	}
	_, updating := progressOf(clique)
	if generation := generationOf(set); generation != "" && !updating && isOf(clique, generation) && updated == replicas {
		status["currentPodCliqueSetGenerationHash"], status["currentPodTemplateHash"] = generation, hash
	}
	if !isGrouped(clique) {
		status["hpaPodSelector"] = labelClique + "=" + clique.GetName()
	}
	least := minAvailable(clique)
	isScheduled, reason := "True", "SufficientScheduledPods"
	if scheduled < least {
		isScheduled, reason = "False", "InsufficientScheduledPods"
	}
	// The conditions follow once Grove has observed the clique.
	if _, observed, _ := unstructured.NestedInt64(clique.Object, "status", "observedGeneration"); observed {
		status["conditions"] = []any{
			breached(clique, updating, scheduled >= least, found("scheduled pods", least, scheduled)),
			Condition(clique, "PodCliqueScheduled", isScheduled, reason, found("scheduled pods", least, scheduled)),
		}
	}
	if refused, is := t.refusals.all[clique.GetUID()]; is {
		status["lastErrors"] = refused.lastErrors
		return t.reportUpdating(ctx, clique, status)
	}
	return t.report(ctx, clique, status)
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

func anySlice[T any](values []T) []any {
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = value
	}
	return all
}
