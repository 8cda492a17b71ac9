package playground

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/examples/cluster"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Namespace of the examples.
const Namespace = "inference"

// Objects that the examples expect in a cluster: queues, topologies and checkpoints. Those of Kueue are left out, which only the control plane of its
// own suite has.
func Objects() ([]*unstructured.Unstructured, error) {
	data, err := cluster.Files.ReadFile("all.yaml")
	if err != nil {
		return nil, fmt.Errorf("cannot read what the examples expect of a cluster: %w", err)
	}
	objects, err := harness.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("cannot read what the examples expect of a cluster: %w", err)
	}
	return slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return o.GroupVersionKind().Group == "kueue.x-k8s.io" }), nil
}

// Create objects with their status.
func Create(ctx context.Context, client *controlplane.Client, objects ...*unstructured.Unstructured) error {
	for _, object := range objects {
		// The API server creates these itself, for every group that it serves.
		if object.GetKind() == "APIService" {
			continue
		}
		status, reported := object.Object["status"].(map[string]any)
		unstructured.RemoveNestedField(object.Object, "status")
		ref := controlplane.RefOf(object)
		if _, err := client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot apply %s: %w", ref, err)
		}
		if !reported {
			continue
		}
		if err := client.PatchStatus(ctx, ref, status); err != nil {
			return fmt.Errorf("cannot report the status of %s: %w", ref, err)
		}
	}
	return nil
}
