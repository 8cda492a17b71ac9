package groveoperator

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

// A refusal of a pod of a clique, as Grove reports it.
type refusal struct {
	// generation of the clique, and when Grove tries again.
	generation int64
	until      time.Time
	// lastErrors of the clique. Grove does not take them back when it succeeds.
	lastErrors []any
}

// refusals of cliques by their UIDs. As with every controller, each pause is twice as long as the one before, up to 17 minutes.
type refusals struct {
	all    map[types.UID]refusal
	pauses workqueue.TypedRateLimiter[types.UID]
}

func newRefusals() *refusals {
	return &refusals{
		all:    map[types.UID]refusal{},
		pauses: workqueue.NewTypedItemExponentialFailureRateLimiter[types.UID](5*time.Millisecond, 1000*time.Second),
	}
}

// holds reports whether Grove waits before it tries again to create pods of a clique. A change of the clique is tried at once.
func (r *refusals) holds(clique *object) bool {
	last, refused := r.all[clique.GetUID()]
	return refused && last.generation == clique.GetGeneration() && time.Now().Before(last.until)
}

// add a refusal of a clique.
func (r *refusals) add(clique *object, err error) {
	r.all[clique.GetUID()] = refusal{
		generation: clique.GetGeneration(), until: time.Now().Add(r.pauses.When(clique.GetUID())),
		lastErrors: []any{map[string]any{"code": errCreatePod, "description": descriptionOf(clique, err), "observedAt": now()}},
	}
}

// forget the refusals of a clique that has all its pods.
func (r *refusals) forget(clique *object) {
	delete(r.all, clique.GetUID())
	r.pauses.Forget(clique.GetUID())
}

// errCreatePod is Grove's code of a pod that cannot be created.
const errCreatePod = "ERR_CREATE_POD"

// descriptionOf the error, as Grove wraps it.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podclique/components/pod/task.go
func descriptionOf(clique *object, err error) string {
	return fmt.Sprintf("failed to sync Pod: [Operation: Sync, Code: %s] message: failed to create Pod:  for PodClique %s/%s, cause: %v",
		errCreatePod, clique.GetNamespace(), clique.GetName(), err)
}

// eventOf an error. A pod that is not created has no name.
func eventOf(clique *object, err error) *corev1.Event {
	at := metav1.Now()
	return &corev1.Event{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{Namespace: clique.GetNamespace(), Name: fmt.Sprintf("%s.%x", clique.GetName(), at.UnixNano())},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: clique.GetAPIVersion(), Kind: clique.GetKind(), Namespace: clique.GetNamespace(), Name: clique.GetName(), UID: clique.GetUID(),
		},
		Type: corev1.EventTypeWarning, Reason: "PodCreateFailed", Message: fmt.Sprintf("Error creating pod : %v", err),
		Source: corev1.EventSource{Component: "podclique-controller"}, Count: 1, FirstTimestamp: at, LastTimestamp: at,
	}
}

// createPods that a clique lacks, one after the other, as Grove does until it has seen some succeed. The first that is refused ends that for a while.
func (t *turn) createPods(ctx context.Context, clique *object, lacks int64) error {
	if t.refusals.holds(clique) {
		return nil
	}
	for range lacks {
		if err := t.createPod(ctx, clique); err != nil {
			t.refusals.add(clique, err)
			event, err := runtime.DefaultUnstructuredConverter.ToUnstructured(eventOf(clique, err))
			if err == nil {
				_, err = t.client.Create(ctx, &object{Object: event})
			}
			return err
		}
	}
	t.refusals.forget(clique)
	return nil
}
