package controlplane

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// CreateNamespace creates a namespace, with the objects that pods of the examples do not start without.
func (c *ControlPlane) CreateNamespace(ctx context.Context, name string) error {
	for _, object := range append([]*unstructured.Unstructured{namespaceObject(name)}, ExampleObjects(name)...) {
		if _, err := c.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot apply %s: %w", RefOf(object), err)
		}
	}
	return nil
}

// ExampleObjects are the Secret and the ConfigMap that the examples refer to, in a namespace. Claims for volumes are not among them: whoever
// tries an example with volumes creates its claims.
func ExampleObjects(namespace string) []*unstructured.Unstructured {
	of := func(kind, name, field, key, value string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, field: map[string]any{key: value}}}
		object.SetNamespace(namespace)
		object.SetName(name)
		return object
	}
	return []*unstructured.Unstructured{
		// Nothing is downloaded, so that no real token is needed.
		of("Secret", "hf-token", "stringData", "HF_TOKEN", "none"),
		of("ConfigMap", "trtllm-engine-config", "data", "engine.yaml", "{}\n"),
	}
}
