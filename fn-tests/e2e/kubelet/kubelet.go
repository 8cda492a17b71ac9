// Package kubelet simulates the kubelets of a cluster: pods that are bound to a node start after a while, and take some time to terminate. As in
// a cluster, they wait for Secrets and ConfigMaps that do not exist, and fail if their image says so. No containers run.
package kubelet

import (
	"context"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

// workers that update the status of pods concurrently.
const workers = 4

// Options of the kubelets.
type Options struct {
	Nodes []Node
	// Start is the time from the binding of a pod until its containers are ready. Stop is the time that they take to terminate,
	// which is limited by the grace period of the pod.
	Start, Stop time.Duration
}

// A Kubelet simulates the kubelets of all nodes of a cluster.
type Kubelet struct {
	client kubernetes.Interface
	events record.EventBroadcaster
	// heartbeats is the client of all that keeps nodes ready. It does not wait for the updates of pods.
	heartbeats kubernetes.Interface
	nodes      map[string]bool
	pods       corev1listers.PodLister
	// registered are the nodes as the API server has them.
	registered corev1listers.NodeLister
	queue      workqueue.TypedRateLimitingInterface[cache.ObjectName]

	mutex       sync.Mutex
	start, stop time.Duration
	lost        map[string]bool
	// leases of the nodes, as they were when they were last written.
	leases map[string]*coordinationv1.Lease
}

// Run the kubelets until the context is done. They register their nodes before Run returns, and wait returns when they have stopped.
func Run(ctx context.Context, config *rest.Config, o Options) (k *Kubelet, wait func(), err error) {
	config = rest.CopyConfig(config)
	// The limits are those of all nodes together.
	config.QPS, config.Burst = 500, 1000
	// As the kubelet does, because it is less work for the API server than JSON.
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot create a client: %w", err)
	}
	heartbeats, err := heartbeatClient(config)
	if err != nil {
		return nil, nil, err
	}
	k = &Kubelet{
		client:     client,
		events:     record.NewBroadcaster(record.WithContext(ctx)),
		heartbeats: heartbeats,
		nodes:      map[string]bool{},
		queue:      workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
		start:      o.Start, stop: o.Stop,
		lost: map[string]bool{}, leases: map[string]*coordinationv1.Lease{},
	}
	for _, n := range o.Nodes {
		k.nodes[n.Name] = true
		if err := k.renewAndRegister(ctx, n); err != nil {
			return nil, nil, err
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods()
	k.pods, k.registered = informer.Lister(), factory.Core().V1().Nodes().Lister()
	seen := func(object any) {
		if name, err := cache.DeletionHandlingObjectToName(object); err == nil {
			k.queue.Add(name)
		}
	}
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: seen, UpdateFunc: func(_, after any) { seen(after) }}); err != nil {
		return nil, nil, fmt.Errorf("cannot watch pods: %w", err)
	}
	factory.Start(ctx.Done())
	k.events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})

	var all sync.WaitGroup
	for name := range k.nodes {
		all.Go(func() { k.beat(ctx, name) })
	}
	for range workers {
		all.Go(func() { k.work(ctx) })
	}
	all.Go(func() {
		<-ctx.Done()
		k.queue.ShutDown()
	})
	return k, func() {
		all.Wait()
		k.events.Shutdown()
		factory.Shutdown()
	}, nil
}

func (k *Kubelet) renewAndRegister(ctx context.Context, n Node) error {
	if err := k.renew(ctx, n.Name); err != nil {
		return fmt.Errorf("cannot renew the lease of node %s: %w", n.Name, err)
	}
	return k.register(ctx, n)
}

// Take these times from now on: see Options.
func (k *Kubelet) Take(start, stop time.Duration) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.start, k.stop = start, stop
}

func (k *Kubelet) durations() (start, stop time.Duration) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.start, k.stop
}

// Lose a node, as if it were disconnected from the network, until Find. The controllers of Kubernetes handle its pods.
func (k *Kubelet) Lose(node string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	k.lost[node] = true
}

// Find a lost node: its kubelet updates the status of the node and of its pods again.
func (k *Kubelet) Find(ctx context.Context, node string) error {
	if err := k.renew(ctx, node); err != nil {
		return fmt.Errorf("cannot renew the lease of node %s: %w", node, err)
	}
	if err := k.reportReady(ctx, node); err != nil {
		return err
	}
	k.mutex.Lock()
	delete(k.lost, node)
	k.mutex.Unlock()
	pods, err := k.pods.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("cannot list pods: %w", err)
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == node {
			k.queue.Add(cache.MetaObjectToName(pod))
		}
	}
	return nil
}

func (k *Kubelet) isLost(node string) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.lost[node]
}

func (k *Kubelet) work(ctx context.Context) {
	for {
		name, shutDown := k.queue.Get()
		if shutDown {
			return
		}
		again, err := k.sync(ctx, name)
		switch {
		case err != nil:
			k.queue.AddRateLimited(name)
		case again > 0:
			k.queue.Forget(name)
			k.queue.AddAfter(name, again)
		default:
			k.queue.Forget(name)
		}
		k.queue.Done(name)
	}
}

// sync writes the status that a pod would have by now. again is the time of the next sync. It is zero if none is needed.
func (k *Kubelet) sync(ctx context.Context, name cache.ObjectName) (again time.Duration, err error) {
	pod, err := k.pods.Pods(name.Namespace).Get(name.Name)
	if kerrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil || !k.nodes[pod.Spec.NodeName] || k.isLost(pod.Spec.NodeName) {
		return 0, err
	}
	start, stop := k.durations()
	if pod.DeletionTimestamp != nil {
		return k.end(ctx, pod, stop)
	}
	if again := time.Until(boundAt(pod).Add(start)); again > 0 {
		return again, nil
	}
	l := lookAt(pod, time.Since(boundAt(pod).Add(start)), k.find(ctx))
	k.tell(pod, l.events)
	if equality.Semantic.DeepEqual(pod.Status, l.status) {
		return l.again, nil
	}
	pod = pod.DeepCopy()
	pod.Status = l.status
	_, err = k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	if kerrors.IsNotFound(err) {
		return 0, nil
	}
	return l.again, err
}

// boundAt is the time at which the scheduler bound a pod.
func boundAt(pod *corev1.Pod) time.Time {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time
		}
	}
	return pod.CreationTimestamp.Time
}

// end a pod that is being deleted, when its containers have terminated.
func (k *Kubelet) end(ctx context.Context, pod *corev1.Pod, stop time.Duration) (again time.Duration, err error) {
	var grace time.Duration
	if seconds := pod.DeletionGracePeriodSeconds; seconds != nil {
		grace = time.Duration(*seconds) * time.Second
	}
	deleted := pod.DeletionTimestamp.Add(-grace)
	if again := time.Until(deleted.Add(min(grace, stop))); again > 0 {
		return again, nil
	}
	err = k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
	})
	if kerrors.IsNotFound(err) || kerrors.IsConflict(err) {
		return 0, nil
	}
	return 0, err
}
