package controlplane

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const volcanoNamespace = "volcano-system"

func volcanoUsers() []user {
	return []user{serviceAccount(volcanoNamespace, "volcano-scheduler"), serviceAccount(volcanoNamespace, "volcano-controllers")}
}

// installVolcano installs the CustomResourceDefinitions and the permissions of Volcano, as its manifest for users has them.
// https://volcano.sh/en/docs/installation/
func (c *ControlPlane) installVolcano(ctx context.Context) error {
	built, err := buildTools(ctx, c.options.Root, "volcano-scheduler", "volcano-controllers")
	if err != nil {
		return err
	}
	maps.Copy(c.tools, built)
	source, err := moduleSource(ctx, c.options.Root, "hack/tools/volcano", "volcano.sh/volcano")
	if err != nil {
		return err
	}
	objects, err := volcanoManifest(source)
	if err != nil {
		return err
	}
	// The programs run as processes, without the webhooks.
	needed := []string{"CustomResourceDefinition", "Namespace", "ServiceAccount", "ConfigMap", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"}
	installed := slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return !slices.Contains(needed, o.GetKind()) })
	slices.SortStableFunc(installed, func(a, b *unstructured.Unstructured) int {
		return cmp.Compare(slices.Index(needed, a.GetKind()), slices.Index(needed, b.GetKind()))
	})
	for _, object := range installed {
		if _, err := c.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot install %s of Volcano: %w", RefOf(object), err)
		}
		if err := c.keepVolcanoConfig(object); err != nil {
			return err
		}
	}
	for _, object := range installed {
		if object.GetKind() == "CustomResourceDefinition" {
			if err := c.Await(ctx, RefOf(object), "Established"); err != nil {
				return err
			}
		}
	}
	return nil
}

// volcanoManifest are the objects that users install, from the source of Volcano.
func volcanoManifest(source string) ([]*unstructured.Unstructured, error) {
	data, err := os.ReadFile(filepath.Join(source, "installer/volcano-development.yaml"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the manifest of Volcano: %w", err)
	}
	objects, err := harness.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("cannot read the manifest of Volcano: %w", err)
	}
	return objects, nil
}

// keepVolcanoConfig writes the configuration of the scheduler to a file: that of its manifest, with the plugin that packs by HyperNodes, which
// platforms add.
// https://volcano.sh/en/docs/network_topology_aware_scheduling/
func (c *ControlPlane) keepVolcanoConfig(object *unstructured.Unstructured) error {
	config, found, err := unstructured.NestedString(object.Object, "data", "volcano-scheduler.conf")
	if !found || err != nil {
		return err
	}
	config = strings.TrimRight(config, "\n") + "\n  - name: network-topology-aware\n"
	return writeFiles(c.folder, map[string][]byte{"volcano.yaml": []byte(config)})
}

// startVolcano starts the scheduler with the flags of its manifest.
func (c *ControlPlane) startVolcano(ctx context.Context) (*Process, error) {
	return c.startOfVolcano(ctx, "volcano-scheduler", "--scheduler-conf="+filepath.Join(c.folder, "volcano.yaml"), "--schedule-period=1s",
		"--kube-api-qps=2000", "--kube-api-burst=2000", "--node-worker-threads=20", "--cache-dumper=false")
}

// startVolcanoControllers starts the controllers with the flags of their manifest.
func (c *ControlPlane) startVolcanoControllers(ctx context.Context) (*Process, error) {
	return c.startOfVolcano(ctx, "volcano-controllers", "--kube-api-qps=50", "--kube-api-burst=100",
		"--worker-threads=3", "--worker-threads-for-gc=5", "--worker-threads-for-podgroup=5")
}

func (c *ControlPlane) startOfVolcano(ctx context.Context, name string, flags ...string) (*Process, error) {
	var health, metrics int
	if err := c.takePorts(&health, &metrics); err != nil {
		return nil, err
	}
	process, err := c.start(program{
		name: name, path: c.tools[name],
		args: slices.Concat(flags, []string{
			"--kubeconfig=" + c.kubeconfig(serviceAccount(volcanoNamespace, name)), "--leader-elect=false", "--logtostderr",
			"--enable-healthz=true", "--healthz-address=" + address(health), "--enable-metrics=true", "--listen-address=" + address(metrics),
		}),
		// By default, its socket for the level of logs is in a folder that any user of the machine can make first.
		env: []string{"KUBE_POD_NAMESPACE=" + volcanoNamespace, "HELM_RELEASE_NAME=volcano", "DEBUG_SOCKET_DIR=" + c.folder},
	})
	if err != nil {
		return nil, err
	}
	return process, await(ctx, name+" to be healthy", process, func(ctx context.Context) error {
		return probe(ctx, http.DefaultClient, "http://"+address(health)+"/healthz")
	})
}
