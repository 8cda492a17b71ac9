package kubelet

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// heartbeat is the interval at which a kubelet renews the lease of its node, and leaseDuration is how long a lease is valid. Both are
// defaults of the kubelet.
// https://kubernetes.io/docs/concepts/architecture/leases/#node-heartbeats
const (
	heartbeat     = 10 * time.Second
	leaseDuration = 40
)

// A Node of a cluster.
type Node struct {
	Name   string
	Labels map[string]string
	// Resources in addition to a large number of processors and memory, such as nvidia.com/gpu.
	Resources map[corev1.ResourceName]int64
}

// register a node, as its kubelet does when it starts. The API server taints a new node as not ready, and the node lifecycle
// controller removes the taint.
func (k *Kubelet) register(ctx context.Context, n Node) error {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("4k"),
		corev1.ResourceMemory:           resource.MustParse("1Pi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Pi"),
		corev1.ResourcePods:             resource.MustParse("1k"),
	}
	for name, quantity := range n.Resources {
		capacity[name] = *resource.NewQuantity(quantity, resource.DecimalSI)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}
	node, err := k.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if kerrors.IsAlreadyExists(err) {
		node, err = k.client.CoreV1().Nodes().Get(ctx, n.Name, metav1.GetOptions{})
	}
	if err != nil {
		return fmt.Errorf("cannot register node %s: %w", n.Name, err)
	}
	node.Status.Capacity, node.Status.Allocatable = capacity, capacity
	if _, err := k.client.CoreV1().Nodes().UpdateStatus(ctx, node, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("cannot report the resources of node %s: %w", n.Name, err)
	}
	return k.reportReady(ctx, n.Name)
}

// reportReady tells the control plane that a node is ready.
func (k *Kubelet) reportReady(ctx context.Context, name string) error {
	now := time.Now().UTC().Format(time.RFC3339)
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"",`+
		`"lastHeartbeatTime":%[1]q,"lastTransitionTime":%[1]q}]}}`, now)
	if _, err := k.heartbeats.CoreV1().Nodes().PatchStatus(ctx, name, []byte(patch)); err != nil {
		return fmt.Errorf("cannot report node %s as ready: %w", name, err)
	}
	return nil
}

// renew the lease of a node. As a kubelet, it writes the lease that it wrote last, and reads it only if that fails.
// https://github.com/kubernetes/component-helpers/blob/v0.36.3/apimachinery/lease/controller.go
func (k *Kubelet) renew(ctx context.Context, name string) error {
	k.mutex.Lock()
	lease := k.leases[name]
	delete(k.leases, name)
	k.mutex.Unlock()
	lease, err := k.writeLease(ctx, name, lease)
	if err != nil {
		return err
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.leases[name] = lease
	return nil
}

// writeLease of a node, which is nil if it has to be read or created first.
func (k *Kubelet) writeLease(ctx context.Context, name string, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	leases := k.heartbeats.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	now := metav1.NowMicro()
	if lease == nil {
		var err error
		lease, err = leases.Get(ctx, name, metav1.GetOptions{})
		if kerrors.IsNotFound(err) {
			return leases.Create(ctx, &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec:       coordinationv1.LeaseSpec{HolderIdentity: &name, LeaseDurationSeconds: new(int32(leaseDuration)), RenewTime: &now},
			}, metav1.CreateOptions{})
		}
		if err != nil {
			return nil, err
		}
	}
	lease.Spec.RenewTime = &now
	return leases.Update(ctx, lease, metav1.UpdateOptions{})
}

// isAlive renews the lease of a node. If the control plane has marked the node as not ready, it also reports the node as ready.
func (k *Kubelet) isAlive(ctx context.Context, name string) error {
	if err := k.renew(ctx, name); err != nil {
		return fmt.Errorf("cannot renew the lease of node %s: %w", name, err)
	}
	node, err := k.registered.Get(name)
	if kerrors.IsNotFound(err) {
		// The nodes have not been listed yet.
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot get node %s: %w", name, err)
	}
	ready := func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	}
	if slices.ContainsFunc(node.Status.Conditions, ready) {
		return nil
	}
	return k.reportReady(ctx, name)
}

// heartbeatClient is without limits, and gives up in time for the next heartbeat, as that of a kubelet.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/cmd/kubelet/app/server.go
func heartbeatClient(config *rest.Config) (kubernetes.Interface, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Timeout = -1, heartbeat
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot create a client for heartbeats: %w", err)
	}
	return client, nil
}

// beat for a node until the context is done. A failed request is repeated at the next beat.
func (k *Kubelet) beat(ctx context.Context, name string) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		if !k.isLost(name) {
			_ = k.isAlive(ctx, name)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
