package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	conflicts "k8s.io/client-go/util/retry"
)

// manager is the field manager of objects that the tests apply, like a user's kubectl.
const manager = "kubectl"

// A Ref names an object.
type Ref struct {
	APIVersion, Kind, Namespace, Name string
}

// RefOf an object.
func RefOf(object *unstructured.Unstructured) Ref {
	return Ref{APIVersion: object.GetAPIVersion(), Kind: object.GetKind(), Namespace: object.GetNamespace(), Name: object.GetName()}
}

// String is how messages name the object.
func (r Ref) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// A Client of the API server, for objects of any kind.
type Client struct {
	dynamic  dynamic.Interface
	mapper   *restmapper.DeferredDiscoveryRESTMapper
	warnings *warnings
}

func newClient(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	collected := &warnings{}
	config.WarningHandler = collected
	config.QPS, config.Burst = 500, 1000
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client: %w", err)
	}
	discoverer, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client: %w", err)
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discoverer))
	return &Client{dynamic: objects, mapper: mapper, warnings: collected}, nil
}

func (c *Client) resource(apiVersion, kind, namespace string) (dynamic.ResourceInterface, error) {
	gvk := schema.FromAPIVersionAndKind(apiVersion, kind)
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		// It may have been installed after the mapper was filled.
		c.mapper.Reset()
		mapping, err = c.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot find kind %s: %w", kind, err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return c.dynamic.Resource(mapping.Resource).Namespace(namespace), nil
	}
	return c.dynamic.Resource(mapping.Resource), nil
}

// Get an object.
func (c *Client) Get(ctx context.Context, ref Ref) (*unstructured.Unstructured, error) {
	resource, err := c.resource(ref.APIVersion, ref.Kind, ref.Namespace)
	if err != nil {
		return nil, err
	}
	return resource.Get(ctx, ref.Name, metav1.GetOptions{})
}

// List objects of a kind. If namespace is empty, of all namespaces.
func (c *Client) List(ctx context.Context, apiVersion, kind, namespace, labels string) ([]unstructured.Unstructured, error) {
	resource, err := c.resource(apiVersion, kind, namespace)
	if err != nil {
		return nil, err
	}
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: labels})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Create an object as `kubectl create --validate=strict` does, and `kubectl apply` if there is none yet. Unlike Apply, it drops nulls,
// which some real manifests contain.
func (c *Client) Create(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.create(ctx, object)
}

// DryRunCreate is Create without a lasting effect.
func (c *Client) DryRunCreate(ctx context.Context, object *unstructured.Unstructured) error {
	_, err := c.create(ctx, object, metav1.DryRunAll)
	return err
}

func (c *Client) create(ctx context.Context, object *unstructured.Unstructured, dryRun ...string) (*unstructured.Unstructured, error) {
	resource, err := c.resource(object.GetAPIVersion(), object.GetKind(), object.GetNamespace())
	if err != nil {
		return nil, err
	}
	return resource.Create(ctx, object, metav1.CreateOptions{
		DryRun: dryRun, FieldManager: manager, FieldValidation: metav1.FieldValidationStrict,
	})
}

// Replace an object as `kubectl replace` does: fields that the manifest does not have are removed, except for the status.
func (c *Client) Replace(ctx context.Context, object *unstructured.Unstructured) error {
	resource, err := c.resource(object.GetAPIVersion(), object.GetKind(), object.GetNamespace())
	if err != nil {
		return err
	}
	return conflicts.RetryOnConflict(conflicts.DefaultRetry, func() error {
		live, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		replacement := object.DeepCopy()
		replacement.SetResourceVersion(live.GetResourceVersion())
		_, err = resource.Update(ctx, replacement, metav1.UpdateOptions{FieldManager: manager + "-replace", FieldValidation: metav1.FieldValidationStrict})
		return err
	})
}

// Apply an object as `kubectl apply --server-side --validate=strict` does.
func (c *Client) Apply(ctx context.Context, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.apply(ctx, object, metav1.PatchOptions{})
}

// DryRun is Apply without a lasting effect, with another field manager.
func (c *Client) DryRun(ctx context.Context, object *unstructured.Unstructured) error {
	_, err := c.apply(ctx, object, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: manager + "-dry-run"})
	return err
}

// applyStatus of an object as one of several field managers.
func (c *Client) applyStatus(ctx context.Context, object *unstructured.Unstructured) error {
	_, err := c.apply(ctx, object, metav1.PatchOptions{FieldManager: manager + "-status"}, "status")
	return err
}

func (c *Client) apply(
	ctx context.Context, object *unstructured.Unstructured, o metav1.PatchOptions, subresources ...string,
) (*unstructured.Unstructured, error) {
	resource, err := c.resource(object.GetAPIVersion(), object.GetKind(), object.GetNamespace())
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %s: %w", RefOf(object), err)
	}
	if o.FieldManager == "" {
		o.FieldManager = manager
	}
	o.Force, o.FieldValidation = new(true), metav1.FieldValidationStrict
	return resource.Patch(ctx, object.GetName(), types.ApplyPatchType, data, o, subresources...)
}

// Patch fields of an object, as `kubectl patch --type=merge` does.
func (c *Client) Patch(ctx context.Context, ref Ref, patch map[string]any) error {
	return c.patch(ctx, ref, patch)
}

// PatchStatus of an object, as its controller would.
func (c *Client) PatchStatus(ctx context.Context, ref Ref, status map[string]any) error {
	return c.patch(ctx, ref, map[string]any{"status": status}, "status")
}

// PatchJSON changes an object with operations, as `kubectl patch --type=json` does.
func (c *Client) PatchJSON(ctx context.Context, ref Ref, operations ...map[string]any) error {
	return c.patchAs(ctx, ref, types.JSONPatchType, operations)
}

func (c *Client) patch(ctx context.Context, ref Ref, patch map[string]any, subresources ...string) error {
	return c.patchAs(ctx, ref, types.MergePatchType, patch, subresources...)
}

func (c *Client) patchAs(ctx context.Context, ref Ref, patchType types.PatchType, patch any, subresources ...string) error {
	resource, err := c.resource(ref.APIVersion, ref.Kind, ref.Namespace)
	if err != nil {
		return err
	}
	data, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("cannot encode a patch of %s: %w", ref, err)
	}
	_, err = resource.Patch(ctx, ref.Name, patchType, data, metav1.PatchOptions{}, subresources...)
	return err
}

// Delete an object.
func (c *Client) Delete(ctx context.Context, ref Ref) error {
	return c.DeleteWith(ctx, ref, metav1.DeleteOptions{})
}

// DeleteWith deletes an object with options.
func (c *Client) DeleteWith(ctx context.Context, ref Ref, options metav1.DeleteOptions) error {
	resource, err := c.resource(ref.APIVersion, ref.Kind, ref.Namespace)
	if err != nil {
		return err
	}
	return resource.Delete(ctx, ref.Name, options)
}

// Warnings that the API server has sent since the last call.
func (c *Client) Warnings() []string { return c.warnings.take() }

// warnings collects the warnings of the API server.
type warnings struct {
	mutex    sync.Mutex
	messages []string
}

// HandleWarningHeader is called by the client for every warning.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.messages = append(w.messages, text)
}

func (w *warnings) take() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	messages := w.messages
	w.messages = nil
	return messages
}
