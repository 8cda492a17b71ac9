package groveoperator

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// gate keeps pods from being scheduled until the gang that they belong to is complete.
const gate = "grove.io/podgang-pending-creation"

// scale creates the pods that a clique lacks, deletes those that it has too many, and lets those be scheduled that it has had for a turn.
func (t *turn) scale(ctx context.Context, clique *object, pods []*corev1.Pod) error {
	stay := slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil })
	var errs []error
	for _, pod := range stay {
		if len(pod.Spec.SchedulingGates) > 0 {
			errs = append(errs, t.client.Patch(ctx, podRef(pod), map[string]any{"spec": map[string]any{"schedulingGates": nil}}))
		}
	}
	lacks := orOne(specOf(clique)["replicas"]) - int64(len(stay))
	errs = append(errs, t.createPods(ctx, clique, max(lacks, 0)))
	if lacks < 0 {
		slices.SortFunc(stay, dispensableFirst)
		for _, pod := range stay[:-lacks] {
			errs = append(errs, t.deletePod(ctx, pod))
		}
	}
	return errors.Join(errs...)
}

// createPod of a clique, whose labels and annotations it gets.
func (t *turn) createPod(ctx context.Context, clique *object) error {
	spec, _, err := unstructured.NestedMap(clique.Object, "spec", "podSpec")
	if err != nil {
		return err
	}
	spec["schedulerName"] = corev1.DefaultSchedulerName
	spec["schedulingGates"] = []any{map[string]any{"name": gate}}
	pod := &object{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec}}
	pod.SetGenerateName(clique.GetName() + "-")
	pod.SetNamespace(clique.GetNamespace())
	labels := maps.Clone(clique.GetLabels())
	labels[labelClique] = clique.GetName()
	pod.SetLabels(labels)
	pod.SetAnnotations(clique.GetAnnotations())
	pod.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(clique, clique.GroupVersionKind())})
	_, err = t.client.Create(ctx, pod)
	return err
}

func (t *turn) deletePod(ctx context.Context, pod *corev1.Pod) error {
	if err := t.client.Delete(ctx, podRef(pod)); err != nil && !kerrors.IsNotFound(err) {
		return err
	}
	return nil
}

func podRef(pod *corev1.Pod) controlplane.Ref {
	return controlplane.Ref{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
}

func isReady(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func oldestFirst(a, b *corev1.Pod) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}

// dispensableFirst is the order in which a scale-in deletes pods: those that have no node, that are not ready, that are newer.
func dispensableFirst(a, b *corev1.Pod) int {
	return cmp.Or(
		cmp.Compare(one(a.Spec.NodeName != ""), one(b.Spec.NodeName != "")),
		cmp.Compare(one(isReady(a)), one(isReady(b))),
		oldestFirst(b, a),
	)
}
