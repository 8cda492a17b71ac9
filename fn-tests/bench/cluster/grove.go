package cluster

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// podCliqueSets are of this version of Grove's API.
const podCliqueSets = "grove.io/v1alpha1"

// settle plays Grove until all graphs are ready, and waits until they are at rest.
func (m *measurement) settle(ctx context.Context) error {
	ready, err := m.watch(ctx, m.Graph.GetAPIVersion(), m.Graph.GetKind(), is("Ready"))
	if err != nil {
		return err
	}
	sets, err := m.c.Client.List(ctx, podCliqueSets, "PodCliqueSet", Namespace, "")
	if err != nil {
		return err
	}
	// Graphs that are not ready are reconciled every 30 seconds. With a thousand of them, one request after the other would take an hour.
	running, inTime := errgroup.WithContext(ctx)
	running.SetLimit(creators)
	for i := range sets {
		running.Go(func() error { return m.run(inTime, &sets[i]) })
	}
	if err := running.Wait(); err != nil {
		return err
	}
	if err := m.await(ctx, ready); err != nil {
		return fmt.Errorf("not all graphs are ready: %w", err)
	}
	return sleep(ctx, settling)
}

// run the pods of a PodCliqueSet whose cliques are single nodes.
func (m *measurement) run(ctx context.Context, set *unstructured.Unstructured) error {
	cliques, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	if err != nil {
		return err
	}
	for _, value := range cliques {
		clique, _ := value.(map[string]any)
		spec, _ := clique["spec"].(map[string]any)
		child := &unstructured.Unstructured{Object: map[string]any{"apiVersion": podCliqueSets, "kind": "PodClique", "spec": spec}}
		child.SetNamespace(set.GetNamespace())
		child.SetName(fmt.Sprintf("%s-0-%s", set.GetName(), clique["name"]))
		child.SetLabels(map[string]string{"app.kubernetes.io/part-of": set.GetName(), "grove.io/podcliqueset-replica-index": "0"})
		child.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(set, set.GroupVersionKind())})
		live, err := m.c.Client.Apply(ctx, child)
		if err != nil {
			return fmt.Errorf("cannot create %s: %w", controlplane.RefOf(child), err)
		}
		replicas := spec["replicas"]
		if err := m.c.Client.PatchStatus(ctx, controlplane.RefOf(live), map[string]any{
			"observedGeneration": live.GetGeneration(), "replicas": replicas, "scheduledReplicas": replicas, "updatedReplicas": replicas,
			"readyReplicas": replicas,
		}); err != nil {
			return fmt.Errorf("cannot report on %s: %w", controlplane.RefOf(live), err)
		}
	}
	return m.c.Client.PatchStatus(ctx, controlplane.RefOf(set), map[string]any{
		"observedGeneration": set.GetGeneration(), "replicas": int64(1), "availableReplicas": int64(1), "updatedReplicas": int64(1),
	})
}
