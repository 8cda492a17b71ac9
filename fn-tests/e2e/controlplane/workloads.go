package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/kubelet"
)

// Workloads create the pods of Deployments and LeaderWorkerSets, bind them to nodes and run them. All of it is real, except for the
// kubelets.
type Workloads struct {
	// Kubelets of the nodes.
	Kubelets *kubelet.Kubelet

	controlPlane *ControlPlane
	processes    []*Process
	stop         func()
}

// workloadControllers create and delete pods, monitor nodes, and bind claims to volumes.
const workloadControllers = "deployment-controller,replicaset-controller,statefulset-controller," +
	"node-lifecycle-controller,taint-eviction-controller,pod-garbage-collector-controller,endpointslice-controller,resourcequota-controller," +
	"persistentvolume-binder-controller,persistentvolume-protection-controller"

// Racks, and nodes in each, of the cluster.
const (
	racks        = 4
	nodesPerRack = 16
)

// StartWorkloads starts the controllers of Deployments, ReplicaSets, StatefulSets and nodes, the operator of LeaderWorkerSets, a scheduler
// and kubelets, with their defaults. start is the time until a pod is ready, and stop the time until it ends. Each node has some GPUs.
func (c *ControlPlane) StartWorkloads(ctx context.Context, start, stop time.Duration, gpus int64) (*Workloads, error) {
	o := kubelet.Options{Nodes: nodes(racks, nodesPerRack, gpus), Start: start, Stop: stop}
	return c.startWorkloads(ctx, o, c.startWorkloadControllers, c.startScheduler, c.startLWS)
}

// startWorkloads starts kubelets, and other programs in order.
func (c *ControlPlane) startWorkloads(ctx context.Context, o kubelet.Options, programs ...func(context.Context) (*Process, error)) (*Workloads, error) {
	w := &Workloads{controlPlane: c, stop: func() {}}
	if err := w.startKubelets(ctx, o); err != nil {
		return w, err
	}
	if err := w.provision(ctx); err != nil {
		return w, err
	}
	for _, run := range programs {
		process, err := run(ctx)
		if err != nil {
			return w, err
		}
		w.processes = append(w.processes, process)
	}
	ctx, cancel := context.WithCancel(ctx)
	supervised, stopKubelets := make(chan struct{}), w.stop
	w.stop = func() {
		cancel()
		<-supervised
		stopKubelets()
	}
	go func() {
		defer close(supervised)
		w.supervise(ctx)
	}()
	return w, nil
}

// supervise the processes until the context ends: a process that ends is restarted, as in a cluster. The scheduler exits if a binding was
// stored although it seemed to fail, which happens when etcd is killed.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/scheduler/backend/cache/cache.go#L568
func (w *Workloads) supervise(ctx context.Context) {
	for ctx.Err() == nil {
		for i, process := range w.processes {
			if !process.Ended() {
				continue
			}
			// A failed start is retried.
			if again, err := w.controlPlane.start(process.program); err == nil {
				w.processes[i] = again
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(resync):
		}
	}
}

func (w *Workloads) startKubelets(ctx context.Context, o kubelet.Options) error {
	ctx, cancel := context.WithCancel(ctx)
	kubelets, wait, err := kubelet.Run(ctx, w.controlPlane.admin, o)
	if err != nil {
		cancel()
		return err
	}
	w.Kubelets = kubelets
	w.stop = func() {
		cancel()
		wait()
	}
	return nil
}

// nodes of the cluster, in racks.
func nodes(racks, inEach int, gpus int64) []kubelet.Node {
	var all []kubelet.Node
	for rack := range racks {
		for i := range inEach {
			name := fmt.Sprintf("node-%d-%d", rack, i)
			all = append(all, kubelet.Node{
				Name: name,
				Labels: map[string]string{
					corev1.LabelHostname: name, corev1.LabelTopologyZone: "zone-0",
					"topology.kubernetes.io/rack": fmt.Sprintf("rack-%d", rack),
				},
				Resources: map[corev1.ResourceName]int64{"nvidia.com/gpu": gpus, "rdma/ib": gpus},
			})
		}
	}
	return all
}

// Stop creating pods. Existing pods remain.
func (w *Workloads) Stop(ctx context.Context) error {
	w.stop()
	for _, process := range w.processes {
		process.Stop()
	}
	if err := w.controlPlane.removeLWSWebhooks(ctx); err != nil {
		return err
	}
	for _, ref := range w.controlPlane.webhooks {
		if err := w.controlPlane.Client.Delete(ctx, ref); err != nil {
			return fmt.Errorf("cannot remove the webhooks of Kueue: %w", err)
		}
	}
	return nil
}

// startWorkloadControllers starts a second controller manager, because other tests have no pods.
func (c *ControlPlane) startWorkloadControllers(context.Context) (*Process, error) {
	return c.start(program{name: "kube-controller-manager-workloads", path: c.tools["kube-controller-manager"], args: append([]string{
		"--kubeconfig=" + c.kubeconfig(adminUser()),
		"--controllers=" + workloadControllers + c.gangControllers(),
		"--leader-elect=false",
		"--secure-port=0",
	}, c.gangFlags()...)})
}

// startScheduler starts Kubernetes' scheduler, which also replaces the schedulers for gangs: most tests only need pods that run. Devices are
// ignored, because there are no drivers.
func (c *ControlPlane) startScheduler(context.Context) (*Process, error) {
	const ignored = "{multiPoint: {disabled: [{name: DynamicResources}, {name: NodeVolumeLimits}]}}"
	var config strings.Builder
	config.WriteString("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\n")
	fmt.Fprintf(&config, "clientConnection: {kubeconfig: %q}\nprofiles:\n", c.kubeconfig(adminUser()))
	for _, name := range []string{corev1.DefaultSchedulerName, "volcano", "kai-scheduler"} {
		fmt.Fprintf(&config, "- {schedulerName: %s, plugins: %s}\n", name, ignored)
	}
	if err := writeFiles(c.folder, map[string][]byte{"scheduler.yaml": []byte(config.String())}); err != nil {
		return nil, err
	}
	return c.start(program{
		name: "kube-scheduler", path: c.tools["kube-scheduler"],
		args: []string{"--config=" + filepath.Join(c.folder, "scheduler.yaml"), "--secure-port=0"},
	})
}
