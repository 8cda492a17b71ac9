package playground

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/groveoperator"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
)

const (
	configuration = "configuration-dynamo"

	// gpusPerNode of the simulated nodes.
	gpusPerNode = 8

	// podStart is the time until a pod is ready, and podStop the time until it has ended.
	podStart, podStop = 3 * time.Second, time.Second
)

// grove is the version of the definitions of Grove.
const grove = "grove-v0.1.0-alpha.12-rc1"

// start the cluster. It must be ended even if this fails.
func (p *Playground) start(ctx context.Context, o controlplane.Options) error {
	o.CRDs, o.Packages, o.Configuration, o.Logf = definitions.Platform(grove), p.built.packages, configuration, p.sayf
	o.CrossplaneFlags = slices.Concat(crossplane.Flags(), o.CrossplaneFlags)
	var err error
	if p.ControlPlane, err = controlplane.Start(ctx, o); err != nil {
		return fmt.Errorf("cannot start the control plane: %w", err)
	}
	if err := p.prepare(ctx); err != nil {
		return err
	}
	if p.workloads, err = p.StartWorkloads(ctx, podStart, podStop, gpusPerNode); err != nil {
		return fmt.Errorf("cannot start what runs pods: %w", err)
	}
	p.Grove = groveoperator.NewOperator(p.Client).Run(ctx)
	return nil
}

// prepare what graphs expect: a namespace, queues, a topology and a checkpoint.
func (p *Playground) prepare(ctx context.Context) error {
	if err := p.CreateNamespace(ctx, Namespace); err != nil {
		return fmt.Errorf("cannot create namespace %s: %w", Namespace, err)
	}
	objects, err := Objects()
	if err != nil {
		return err
	}
	return Create(ctx, p.Client, objects...)
}

// open the cluster to terminals: write how kubectl reaches it.
func (p *Playground) open(kubeconfig string) error {
	data, err := os.ReadFile(p.Kubeconfig())
	if err != nil {
		return fmt.Errorf("cannot read the kubeconfig: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(kubeconfig), 0o750); err != nil {
		return fmt.Errorf("cannot make a folder for the kubeconfig: %w", err)
	}
	if err := os.WriteFile(kubeconfig, data, 0o600); err != nil { //nolint:gosec // The user says where.
		return fmt.Errorf("cannot write the kubeconfig: %w", err)
	}
	p.Entrance = fmt.Sprintf("export KUBECONFIG='%s' PATH='%s:%s':$PATH", kubeconfig, filepath.Dir(p.built.kubectl), filepath.Dir(p.built.program))
	return nil
}

// end the cluster, and remove its files.
func (p *Playground) end(ctx context.Context) {
	if p.ControlPlane == nil {
		return
	}
	if p.Grove != nil {
		p.Grove.Stop()
	}
	if p.workloads != nil {
		// What runs pods is gone with the cluster.
		_ = p.workloads.Stop(ctx)
	}
	if err := p.Stop(); err != nil {
		p.sayf("cannot stop: %v", err)
	}
	if p.kept {
		return
	}
	if err := p.Remove(); err != nil {
		p.sayf("cannot remove the files of the cluster: %v", err)
	}
}
