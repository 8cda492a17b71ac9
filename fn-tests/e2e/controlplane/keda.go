package controlplane

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// kedaNamespace is the namespace of KEDA's default installation.
const kedaNamespace = "keda"

func kedaUser() user { return serviceAccount(kedaNamespace, "keda-operator") }

// StartKEDA installs the kinds and permissions of KEDA from the source that it is built from, and starts its operator with its defaults, but with
// certificates of ours. KEDA's metrics server does not run: whoever calls this serves the metrics that autoscalers read.
// https://keda.sh/docs/latest/deploy/
func (c *ControlPlane) StartKEDA(ctx context.Context) (*Process, error) {
	built, err := buildTools(ctx, c.options.Root, "keda")
	if err != nil {
		return nil, err
	}
	source, err := moduleSource(ctx, c.options.Root, "hack/tools/keda", "github.com/kedacore/keda/v2")
	if err != nil {
		return nil, err
	}
	if err := c.InstallCRDs(ctx, filepath.Join(source, "config/crd/bases")); err != nil {
		return nil, err
	}
	for _, file := range []string{"general/namespace.yaml", "rbac/role.yaml", "rbac/role_binding.yaml"} {
		if err := c.installKEDA(ctx, filepath.Join(source, "config", file)); err != nil {
			return nil, err
		}
	}
	var metrics, health, component int
	if err := c.takePorts(&metrics, &health, &component); err != nil {
		return nil, err
	}
	certificates := filepath.Join(c.folder, "keda")
	if err := c.authority.issue(certificates); err != nil {
		return nil, err
	}
	operator, err := c.start(program{
		name: "keda", path: built["keda"],
		args: []string{
			"--metrics-bind-address=" + address(metrics), "--health-probe-bind-address=" + address(health),
			"--metrics-service-bind-address=" + address(component), "--cert-dir=" + certificates,
		},
		env: []string{
			"KUBECONFIG=" + c.kubeconfig(kedaUser()), "POD_NAMESPACE=" + kedaNamespace, "WATCH_NAMESPACE=",
			// In a pod, a file of its service account says this.
			"KEDA_CLUSTER_OBJECT_NAMESPACE=" + kedaNamespace,
		},
	})
	if err != nil {
		return nil, err
	}
	return operator, await(ctx, "KEDA to be ready", operator, func(ctx context.Context) error {
		return probe(ctx, http.DefaultClient, "http://"+address(health)+"/readyz")
	})
}

// installKEDA installs the objects in a manifest of KEDA.
func (c *ControlPlane) installKEDA(ctx context.Context, manifest string) error {
	data, err := os.ReadFile(filepath.Clean(manifest))
	if err != nil {
		return fmt.Errorf("cannot read a manifest of KEDA: %w", err)
	}
	objects, err := harness.Parse(data)
	if err != nil {
		return fmt.Errorf("%s: %w", manifest, err)
	}
	for _, object := range objects {
		if _, err := c.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot install %s of KEDA: %w", RefOf(object), err)
		}
	}
	return nil
}
