package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/groveoperator"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	configuration = "configuration-dynamo"

	// gpusPerNode of the simulated nodes.
	gpusPerNode = 8

	// podStart is the time until a pod is ready, and podStop the time until it has ended.
	podStart, podStop = 3 * time.Second, time.Second

	// turnPause is the time between two turns of the simulated operator.
	turnPause = 500 * time.Millisecond

	namespace = "inference"
)

// grove is the version of the definitions of Grove.
const grove = "grove-v0.1.0-alpha.12-rc1"

// cluster to try graphs in.
type cluster struct {
	*controlplane.ControlPlane

	workloads *controlplane.Workloads
}

// start a cluster. It must be ended even if this fails.
func start(ctx context.Context, root string, b built) (*cluster, error) {
	c := &cluster{}
	var err error
	c.ControlPlane, err = controlplane.Start(ctx, controlplane.Options{
		Machine: controlplane.NewMachine(1), Root: root, CRDs: definitions.Platform(grove), Packages: b.packages, Configuration: configuration,
		Logf: sayf,
	})
	if err != nil {
		return c, fmt.Errorf("cannot start the control plane: %w", err)
	}
	if err := c.prepare(ctx); err != nil {
		return c, err
	}
	c.workloads, err = c.StartWorkloads(ctx, podStart, podStop, gpusPerNode)
	if err != nil {
		return c, fmt.Errorf("cannot start what runs pods: %w", err)
	}
	go c.runGrove(ctx)
	return c, nil
}

// prepare what graphs expect: a namespace, queues, a topology and a checkpoint.
func (c *cluster) prepare(ctx context.Context) error {
	if err := c.CreateNamespace(ctx, namespace); err != nil {
		return fmt.Errorf("cannot create namespace %s: %w", namespace, err)
	}
	data, err := os.ReadFile("examples/cluster/all.yaml")
	if err != nil {
		return fmt.Errorf("cannot read what the examples expect of a cluster: %w", err)
	}
	objects, err := harness.Parse(data)
	if err != nil {
		return fmt.Errorf("cannot read what the examples expect of a cluster: %w", err)
	}
	for _, object := range objects {
		// The API server creates these itself.
		if object.GetKind() == "APIService" {
			continue
		}
		if err := c.create(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// create an object with its status.
func (c *cluster) create(ctx context.Context, object *unstructured.Unstructured) error {
	status, reported := object.Object["status"].(map[string]any)
	unstructured.RemoveNestedField(object.Object, "status")
	ref := controlplane.RefOf(object)
	if _, err := c.Client.Apply(ctx, object); err != nil {
		return fmt.Errorf("cannot apply %s: %w", ref, err)
	}
	if !reported {
		return nil
	}
	if err := c.Client.PatchStatus(ctx, ref, status); err != nil {
		return fmt.Errorf("cannot report the status of %s: %w", ref, err)
	}
	return nil
}

// runGrove has the simulated operator act until the context ends. What fails is tried again in the next turn.
func (c *cluster) runGrove(ctx context.Context) {
	operator := groveoperator.NewOperator(c.Client)
	for ctx.Err() == nil {
		_ = operator.Turn(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(turnPause):
		}
	}
}

// writeKubeconfig writes how kubectl reaches the cluster.
func (c *cluster) writeKubeconfig(path string) error {
	data, err := os.ReadFile(c.Kubeconfig())
	if err != nil {
		return fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("cannot make a folder for the kubeconfig: %w", err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil { //nolint:gosec // The user says where.
		return fmt.Errorf("cannot write the kubeconfig: %w", err)
	}
	return nil
}

// end the cluster, and remove its files.
func (c *cluster) end(ctx context.Context) {
	if c.ControlPlane == nil {
		return
	}
	if c.workloads != nil {
		// What runs pods is gone with the cluster.
		_ = c.workloads.Stop(ctx)
	}
	if err := c.Stop(); err != nil {
		sayf("cannot stop: %v", err)
	}
	if err := c.Remove(); err != nil {
		sayf("cannot remove the files of the cluster: %v", err)
	}
}
