// Package groveoperator simulates the operator of Grove v0.1.0-alpha.12-rc1, which is not available as a module. It follows the rules of the
// real one where graphs can tell the difference: which objects and pods it creates, how it replaces pods after a change of their
// template, what a scale-in deletes, when finalizers go, and how often it writes the status of its objects. The scheduler of
// Kubernetes takes the part of KAI's.
// https://github.com/ai-dynamo/grove/tree/v0.1.0-alpha.12-rc1/operator/internal/controller
package groveoperator

import (
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const apiVersion = "grove.io/v1alpha1"

// Kinds of Grove.
const (
	kindSet    = "PodCliqueSet"
	kindGroup  = "PodCliqueScalingGroup"
	kindClique = "PodClique"
)

// Labels of what Grove creates.
const (
	labelManagedBy    = "app.kubernetes.io/managed-by"
	labelPartOf       = "app.kubernetes.io/part-of"
	labelReplicaIndex = "grove.io/podcliqueset-replica-index"
	labelClique       = "grove.io/podclique"
	labelGroup        = "grove.io/podcliquescalinggroup"
	labelGroupIndex   = "grove.io/podcliquescalinggroup-replica-index"
	labelTemplateHash = "grove.io/pod-template-hash"
)

// Finalizers of Grove.
const (
	setFinalizer    = "grove.io/podcliqueset.grove.io"
	cliqueFinalizer = "grove.io/podclique.grove.io"
)

// An Operator of a cluster.
type Operator struct {
	client   *controlplane.Client
	refusals *refusals
}

// NewOperator for the cluster of a client.
func NewOperator(client *controlplane.Client) *Operator {
	return &Operator{client: client, refusals: newRefusals()}
}

// Turn acts once on all PodCliqueSets of the cluster. It makes at most one step with each object: the next turn sees what it has led to.
// An error of one object does not keep the others from their step.
func (o *Operator) Turn(ctx context.Context) error {
	t, err := o.begin(ctx)
	if err != nil {
		return err
	}
	errs := []error{t.finalize(ctx)}
	for _, set := range t.sets {
		if set.GetDeletionTimestamp() == nil {
			errs = append(errs, t.set(ctx, set))
		}
	}
	return errors.Join(errs...)
}

// Finalize only removes the finalizers of what is being deleted.
func (o *Operator) Finalize(ctx context.Context) error {
	t, err := o.begin(ctx)
	if err != nil {
		return err
	}
	stays := func(o *object) bool { return o.GetDeletionTimestamp() == nil }
	t.sets = slices.DeleteFunc(t.sets, stays)
	maps.DeleteFunc(t.cliques, func(_ string, clique *object) bool { return stays(clique) })
	return t.finalize(ctx)
}

// begin a turn.
func (o *Operator) begin(ctx context.Context) (*turn, error) {
	t := &turn{
		client: o.client, refusals: o.refusals,
		groups: map[string]*object{}, cliques: map[string]*object{}, pods: map[types.UID][]*corev1.Pod{},
	}
	err := t.list(ctx)
	return t, err
}

type object = unstructured.Unstructured

// A turn of the operator, with what it found.
type turn struct {
	client   *controlplane.Client
	refusals *refusals
	sets     []*object
	// groups and cliques by namespace and name.
	groups, cliques map[string]*object
	// pods by the clique that they belong to.
	pods map[types.UID][]*corev1.Pod
}

// key of an object of its kind.
func key(namespace, name string) string { return namespace + "/" + name }

// list all objects of Grove, and all pods. One list of a kind costs less than each object by itself.
func (t *turn) list(ctx context.Context) error {
	for _, kind := range []string{kindSet, kindGroup, kindClique} {
		objects, err := t.client.List(ctx, apiVersion, kind, "", "")
		if err != nil {
			return err
		}
		for i := range objects {
			at := key(objects[i].GetNamespace(), objects[i].GetName())
			switch kind {
			case kindSet:
				t.sets = append(t.sets, &objects[i])
			case kindGroup:
				t.groups[at] = &objects[i]
			default:
				t.cliques[at] = &objects[i]
			}
		}
	}
	pods, err := t.client.List(ctx, "v1", "Pod", "", labelManagedBy+"="+manager)
	if err != nil {
		return err
	}
	for i := range pods {
		pod := &corev1.Pod{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(pods[i].Object, pod); err != nil {
			return err
		}
		for _, owner := range pod.OwnerReferences {
			t.pods[owner.UID] = append(t.pods[owner.UID], pod)
		}
	}
	return nil
}

// finalize sets and cliques as Grove does since v0.1.0-alpha.9: it removes its finalizers from what is being deleted immediately, and
// leaves the objects of a PodCliqueSet and the pods of a PodClique to the garbage collector of Kubernetes.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliqueset/reconciledelete.go
func (t *turn) finalize(ctx context.Context) error {
	var errs []error
	for _, set := range t.sets {
		errs = append(errs, t.finalizeOne(ctx, set, setFinalizer))
	}
	for _, clique := range t.cliques {
		errs = append(errs, t.finalizeOne(ctx, clique, cliqueFinalizer))
	}
	return errors.Join(errs...)
}

// finalizeOne object: it has its finalizer until it is deleted. As with Grove, the patch fails if the object has changed.
func (t *turn) finalizeOne(ctx context.Context, o *object, finalizer string) error {
	before := o.GetFinalizers()
	isDeleted, has := o.GetDeletionTimestamp() != nil, slices.Contains(before, finalizer)
	if isDeleted != has {
		return nil
	}
	after := slices.DeleteFunc(slices.Clone(before), func(f string) bool { return f == finalizer })
	if !isDeleted {
		after = append(after, finalizer)
	}
	return t.client.Patch(ctx, controlplane.RefOf(o), map[string]any{"metadata": map[string]any{
		"resourceVersion": o.GetResourceVersion(), "finalizers": after,
	}})
}
