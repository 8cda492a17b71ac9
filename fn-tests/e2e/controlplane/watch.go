package controlplane

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

// Watch objects of a kind in a namespace until the context ends: those that there are, and every version from then on. The API
// server ends watches that it cannot serve in time; then it watches again.
func (c *Client) Watch(ctx context.Context, apiVersion, kind, namespace string, seen func(*unstructured.Unstructured)) error {
	resource, err := c.resource(apiVersion, kind, namespace)
	if err != nil {
		return err
	}
	watch, err := resource.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", kind, err)
	}
	go func() {
		for {
			for event := range watch.ResultChan() {
				if object, ok := event.Object.(*unstructured.Unstructured); ok {
					seen(object)
				}
			}
			for watch, err = resource.Watch(ctx, metav1.ListOptions{}); err != nil; watch, err = resource.Watch(ctx, metav1.ListOptions{}) {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Second):
				}
			}
		}
	}()
	return nil
}

// Scale an object through its scale subresource.
func (c *Client) Scale(ctx context.Context, ref Ref, replicas int64) error {
	return c.patch(ctx, ref, map[string]any{"spec": map[string]any{"replicas": replicas}}, "scale")
}

// ScaleVersion scales an object if it still has a version.
func (c *Client) ScaleVersion(ctx context.Context, ref Ref, version string, replicas int64) error {
	return c.patch(ctx, ref, map[string]any{
		"metadata": map[string]any{"resourceVersion": version}, "spec": map[string]any{"replicas": replicas},
	}, "scale")
}

// As is a client with the permissions of a service account.
func (c *ControlPlane) As(namespace, account string) (*Client, error) {
	u := serviceAccount(namespace, account)
	return c.AsUser(u.name, u.groups...)
}

// AsUser is a client with the permissions of a person, who is in these groups.
func (c *ControlPlane) AsUser(name string, groups ...string) (*Client, error) {
	config := rest.CopyConfig(c.admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: groups}
	return newClient(config)
}
