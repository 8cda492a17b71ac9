package e2e

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// groveFinalizers are the finalizers of Grove, by kind.
var groveFinalizers = map[string]string{
	"PodCliqueSet": "grove.io/podcliqueset.grove.io",
	"PodClique":    "grove.io/podclique.grove.io",
}

// actOnPods creates the pods of PodCliques, and deletes objects as Grove does since v0.1.0-alpha.9: it removes its finalizers immediately,
// and leaves the objects that a PodCliqueSet owns to Kubernetes' garbage collector.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliqueset/reconciledelete.go
func (o *operators) actOnPods(ctx context.Context) {
	for kind, finalizer := range groveFinalizers {
		objects, err := o.client.List(ctx, grove, kind, "", "")
		if err != nil {
			continue
		}
		for i := range objects {
			object := &objects[i]
			_ = o.finalize(ctx, object, finalizer)
			if kind == "PodClique" && object.GetDeletionTimestamp() == nil {
				_ = o.pods(ctx, object)
			}
		}
	}
}

// finalize an object: it has the finalizer until it is deleted. As with Grove, the patch fails if the object has changed.
func (o *operators) finalize(ctx context.Context, object *unstructured.Unstructured, finalizer string) error {
	before := object.GetFinalizers()
	isDeleted, has := object.GetDeletionTimestamp() != nil, slices.Contains(before, finalizer)
	if isDeleted != has {
		return nil
	}
	after := slices.DeleteFunc(slices.Clone(before), func(f string) bool { return f == finalizer })
	if !isDeleted {
		after = append(after, finalizer)
	}
	return o.client.Patch(ctx, controlplane.RefOf(object), map[string]any{"metadata": map[string]any{
		"resourceVersion": object.GetResourceVersion(), "finalizers": after,
	}})
}

// pods of a PodClique.
func (o *operators) pods(ctx context.Context, clique *unstructured.Unstructured) error {
	spec, _, err := unstructured.NestedMap(clique.Object, "spec", "podSpec")
	if err != nil {
		return err
	}
	replicas, _, _ := unstructured.NestedInt64(clique.Object, "spec", "replicas")
	for i := range replicas {
		pod := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec}}
		pod.SetName(fmt.Sprintf("%s-%d", clique.GetName(), i))
		pod.SetNamespace(clique.GetNamespace())
		pod.SetLabels(map[string]string{"nvidia.com/dynamo-graph-deployment-name": clique.GetLabels()["app.kubernetes.io/part-of"]})
		pod.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(clique, clique.GroupVersionKind())})
		if _, err := o.client.Create(ctx, pod); err != nil && !errors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}
