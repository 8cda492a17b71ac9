// Package cluster measures a Configuration on a real control plane: how long many graphs take that are created at once, and what
// they cost, then and at rest.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const (
	// Namespace of the graphs.
	Namespace = "inference"
	// creators create graphs at once.
	creators = 10
	// patience is how long a graph may take, on a busy machine.
	patience = 2 * time.Minute
	// settling is how long a graph counts as changed after its last change, and a little more: Crossplane calls again every 30
	// seconds until then.
	settling = 6*time.Minute + 30*time.Second
)

// Options of a measurement.
type Options struct {
	// ControlPlane to start, with the Configuration that is measured.
	ControlPlane controlplane.Options
	// Fixtures are what the graphs expect in the cluster.
	Fixtures []*unstructured.Unstructured
	// Graph that is created, and Count of it.
	Graph *unstructured.Unstructured
	Count int
	// Rest is how long the graphs are measured at rest. Zero leaves it out.
	Rest time.Duration
	// Progressf says what is being done.
	Progressf func(format string, arguments ...any)
}

// A Result of a measurement.
type Result struct {
	// Workloads is the time until all PodCliqueSets exist, and Synced that until all graphs are synced.
	Workloads, Synced time.Duration
	// Created is what was done until then, and Rest what at rest.
	Created, Rest Work
}

// Work that was done in a time.
type Work struct {
	controlplane.Counts

	// Functions together, Crossplane, and the API server with etcd.
	Functions, Crossplane, Kubernetes controlplane.Usage
}

// Measure graphs on a control plane of their own, so that times and peaks are theirs.
func Measure(ctx context.Context, o Options) (result Result, err error) {
	o.Progressf("starting a control plane with %s", o.ControlPlane.Configuration)
	c, err := controlplane.Start(ctx, o.ControlPlane)
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, c.Logs(10))
		}
		err = errors.Join(err, c.Stop(), c.Remove())
	}()
	if err != nil {
		return result, err
	}
	m := &measurement{Options: o, c: c}
	if err := m.prepare(ctx); err != nil {
		return result, err
	}
	if err := m.idle(ctx); err != nil {
		return result, err
	}
	o.Progressf("creating %d graphs", o.Count)
	if result.Created, err = m.during(ctx, func() error { return m.create(ctx, &result) }); err != nil || o.Rest == 0 {
		return result, err
	}
	o.Progressf("waiting for the graphs to be ready and at rest")
	if err := m.settle(ctx); err != nil {
		return result, err
	}
	o.Progressf("watching the graphs at rest for %s", o.Rest)
	result.Rest, err = m.during(ctx, func() error { return sleep(ctx, o.Rest) })
	return result, err
}

// A measurement on a control plane that runs.
type measurement struct {
	Options

	c *controlplane.ControlPlane
}

// prepare what the graphs expect.
func (m *measurement) prepare(ctx context.Context) error {
	if err := m.c.CreateNamespace(ctx, Namespace); err != nil {
		return err
	}
	for _, object := range m.Fixtures {
		// The API server makes these itself, for every group that it serves. It has no Kueue.
		if object.GetKind() == "APIService" || object.GroupVersionKind().Group == "kueue.x-k8s.io" {
			continue
		}
		if _, err := m.c.Client.Apply(ctx, object); err != nil {
			return fmt.Errorf("cannot create %s: %w", controlplane.RefOf(object), err)
		}
	}
	return nil
}

// create the graphs and wait until all of them are synced.
func (m *measurement) create(ctx context.Context, result *Result) error {
	workloads, err := m.watch(ctx, podCliqueSets, "PodCliqueSet", func(*unstructured.Unstructured) bool { return true })
	if err != nil {
		return err
	}
	synced, err := m.watch(ctx, m.Graph.GetAPIVersion(), m.Graph.GetKind(), is("Synced"))
	if err != nil {
		return err
	}
	begin := time.Now()
	creating, inTime := errgroup.WithContext(ctx)
	creating.SetLimit(creators)
	for i := range m.Count {
		creating.Go(func() error {
			graph := m.Graph.DeepCopy()
			graph.SetNamespace(Namespace)
			graph.SetName(fmt.Sprintf("g%d", i))
			_, err := m.c.Client.Create(inTime, graph)
			return err
		})
	}
	if err := creating.Wait(); err != nil {
		return fmt.Errorf("cannot create a graph: %w", err)
	}
	if err := m.await(ctx, workloads); err != nil {
		return fmt.Errorf("not all graphs have a PodCliqueSet: %w", err)
	}
	result.Workloads = workloads.last.Sub(begin)
	if err := m.await(ctx, synced); err != nil {
		return fmt.Errorf("not all graphs are synced: %w", err)
	}
	result.Synced = synced.last.Sub(begin)
	return nil
}

// during something, this is what was done. Memory is the peak since the start.
func (m *measurement) during(ctx context.Context, do func() error) (Work, error) {
	before, err := m.now(ctx)
	if err != nil {
		return Work{}, err
	}
	if err := do(); err != nil {
		return Work{}, err
	}
	work, err := m.now(ctx)
	if err != nil {
		return Work{}, err
	}
	work.Reconciles -= before.Reconciles
	work.Calls -= before.Calls
	work.Requests -= before.Requests
	work.Changes -= before.Changes
	work.Events -= before.Events
	work.Functions.CPU -= before.Functions.CPU
	work.Crossplane.CPU -= before.Crossplane.CPU
	work.Kubernetes.CPU -= before.Kubernetes.CPU
	return work, nil
}

// now is what was done since the start.
func (m *measurement) now(ctx context.Context) (work Work, err error) {
	if work.Counts, err = m.c.Counts(ctx); err != nil {
		return work, err
	}
	err = m.readUsage(&work)
	return work, err
}

// readUsage of the processes since their start.
func (m *measurement) readUsage(work *Work) (err error) {
	var functions []*controlplane.Process
	for _, process := range m.c.Functions() {
		functions = append(functions, process)
	}
	if work.Functions, err = usage(functions...); err != nil {
		return err
	}
	if work.Crossplane, err = usage(m.c.Crossplane()); err != nil {
		return err
	}
	work.Kubernetes, err = usage(m.c.Named("kube-apiserver"), m.c.Named("etcd"))
	return err
}

// usage of processes together.
func usage(processes ...*controlplane.Process) (controlplane.Usage, error) {
	var all controlplane.Usage
	for _, process := range processes {
		used, err := process.Usage()
		if err != nil {
			return all, err
		}
		all.CPU += used.CPU
		all.PeakRSS += used.PeakRSS
	}
	return all, nil
}

func sleep(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}
