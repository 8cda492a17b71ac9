package controlplane

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
)

const (
	// Repository that the packages name, and that is rewritten to the local registry as for a mirror.
	Repository = "xpkg.crossplane.io/dynamo-crossplane"
	// version that the packages are pushed as.
	version = "v0.1.0"

	pkgV1 = "pkg.crossplane.io/v1"
)

// Package is how one of the packages is installed, such as configuration-dynamo.
func Package(name string) string { return Repository + "/" + name + ":" + version }

// startRegistry, to which only this run can push, and from which only this run can pull.
func (c *ControlPlane) startRegistry(ctx context.Context) error {
	var port int
	if err := c.takePorts(&port); err != nil {
		return err
	}
	c.registry = address(port)
	if err := c.writeLogin(); err != nil {
		return err
	}
	registry, err := c.start(program{
		name: "registry", path: c.tools["registry"], args: []string{"-address=" + c.registry, "-pushed=" + c.pushed()},
		env: []string{"REGISTRY_PASSWORD=" + c.secrets.of(registryPassword)},
	})
	if err != nil {
		return err
	}
	return await(ctx, "the registry to answer", registry, func(ctx context.Context) error {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", c.registry)
		if err != nil {
			return fmt.Errorf("cannot reach the registry: %w", err)
		}
		return connection.Close()
	})
}

// pushed is the file with the digests of what was pushed to the registry.
func (c *ControlPlane) pushed() string { return filepath.Join(c.folder, "pushed") }

// startRuntime runs every function that is installed.
func (c *ControlPlane) startRuntime(ctx context.Context) error {
	c.runtime = newRuntime(c)
	go c.runtime.run(ctx)
	return nil
}

// installPackages pushes the packages and installs the Configuration, which brings the functions.
func (c *ControlPlane) installPackages(ctx context.Context) error {
	if c.options.Configuration == "" {
		return nil
	}
	if _, err := run(ctx, c.options.Root, "env", c.registryEnvironment(), "hack/push.sh", c.options.Packages, c.mirror(), version); err != nil {
		return err
	}
	mirror := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "pkg.crossplane.io/v1beta1",
		"kind":       "ImageConfig",
		"metadata":   map[string]any{"name": "mirror"},
		"spec": map[string]any{
			"matchImages":  []any{map[string]any{"type": "Prefix", "prefix": Repository}},
			"rewriteImage": map[string]any{"prefix": c.mirror()},
		},
	}}
	if _, err := c.Client.Apply(ctx, mirror); err != nil {
		return fmt.Errorf("cannot apply %s: %w", RefOf(mirror), err)
	}
	if err := c.installConfiguration(ctx); err != nil {
		return err
	}
	return c.awaitPackages(ctx, Ref{APIVersion: pkgV1, Kind: "Configuration", Name: c.options.Configuration})
}

// installConfiguration applies the file with which users install a flavour. With the chain, the Configuration brings its functions.
func (c *ControlPlane) installConfiguration(ctx context.Context) error {
	files := map[string]string{"configuration-dynamo": "install.yaml", "configuration-dynamo-claims": "install-claims.yaml"}
	if file, ok := files[c.options.Configuration]; ok {
		path, err := filepath.Abs(filepath.Join(c.options.Packages, file))
		if err != nil {
			return fmt.Errorf("cannot find %s: %w", file, err)
		}
		return c.ApplyFile(ctx, path)
	}
	if err := c.ApplyFile(ctx, "package/rbac.yaml"); err != nil {
		return err
	}
	configuration := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": pkgV1,
		"kind":       "Configuration",
		"metadata":   map[string]any{"name": c.options.Configuration},
		"spec":       map[string]any{"package": Package(c.options.Configuration)},
	}}
	if _, err := c.Client.Apply(ctx, configuration); err != nil {
		return fmt.Errorf("cannot apply %s: %w", RefOf(configuration), err)
	}
	return nil
}

// awaitPackages waits for the Configuration and all functions to be installed and healthy, and their API to be served.
func (c *ControlPlane) awaitPackages(ctx context.Context, configuration Ref) error {
	if err := c.Await(ctx, configuration, "Installed", "Healthy"); err != nil {
		return err
	}
	functions, err := c.Client.List(ctx, pkgV1, "Function", "", "")
	if err != nil {
		return fmt.Errorf("cannot list functions: %w", err)
	}
	for i := range functions {
		if err := c.Await(ctx, RefOf(&functions[i]), "Installed", "Healthy"); err != nil {
			return err
		}
	}
	const apiextensions = "apiextensions.crossplane.io/v1"
	definitions, err := c.Client.List(ctx, apiextensions, "CompositeResourceDefinition", "", "")
	if err != nil {
		return fmt.Errorf("cannot list definitions: %w", err)
	}
	for i := range definitions {
		if err := c.Await(ctx, RefOf(&definitions[i]), "Established"); err != nil {
			return err
		}
		if err := c.awaitOwner(ctx, &definitions[i]); err != nil {
			return err
		}
	}
	return nil
}

// awaitOwner waits until objects of a defined kind may own others, for a user who may not do everything. The admission plugin
// that checks it looks for new kinds only now and then; until then Crossplane would try in vain.
func (c *ControlPlane) awaitOwner(ctx context.Context, definition *unstructured.Unstructured) error {
	group, _, err := unstructured.NestedString(definition.Object, "spec", "group")
	if err != nil {
		return err
	}
	kind, _, err := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	if err != nil {
		return err
	}
	config := rest.CopyConfig(c.admin)
	config.BearerToken = c.secrets.of(crossplaneUser().id)
	crossplane, err := newClient(config)
	if err != nil {
		return err
	}
	owned := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	owned.SetName("owned")
	owned.SetNamespace(namespace)
	owned.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: group + "/v1alpha1", Kind: kind, Name: "owner", UID: "owner", Controller: new(true), BlockOwnerDeletion: new(true),
	}})
	return await(ctx, kind+" to be known as an owner", nil, func(ctx context.Context) error { return crossplane.DryRun(ctx, owned) })
}

// mirror is where the packages are.
func (c *ControlPlane) mirror() string { return c.registry + "/dynamo-crossplane" }

// mirrored is the reference in the local registry of an image.
func (c *ControlPlane) mirrored(image string) string {
	return c.mirror() + strings.TrimPrefix(image, Repository)
}
