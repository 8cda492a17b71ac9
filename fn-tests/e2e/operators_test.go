package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

const grove = "grove.io/v1alpha1"

// operators play those of Grove, LWS and Kubernetes' Deployments in a cluster with as many nodes as anybody wants: they make
// what Grove makes of a PodCliqueSet, and report every pod ready.
type operators struct {
	client *controlplane.Client

	mutex  sync.Mutex
	paused bool
	ended  chan struct{}
	stop   func()
}

func newOperators(client *controlplane.Client) *operators {
	return &operators{client: client, ended: make(chan struct{}), stop: func() {}}
}

// start the operators. They begin paused.
func (o *operators) start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	o.stop = func() {
		cancel()
		<-o.ended
	}
	o.paused = true
	go func() {
		defer close(o.ended)
		for ctx.Err() == nil {
			if !o.isPaused() {
				o.act(ctx)
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
}

// work or pause.
func (o *operators) work(yes bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.paused = !yes
}

func (o *operators) isPaused() bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.paused
}

// act once on everything. What fails is tried again with the next turn; tests see what never succeeds.
func (o *operators) act(ctx context.Context) {
	for _, kind := range []struct {
		apiVersion, kind string
		act              func(context.Context, *unstructured.Unstructured) error
	}{
		{grove, "PodCliqueSet", o.podCliqueSet},
		{grove, "PodClique", o.podClique},
		{grove, "PodCliqueScalingGroup", o.scalingGroup},
		{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", o.leaderWorkerSet},
		{"apps/v1", "Deployment", o.deployment},
	} {
		objects, err := o.client.List(ctx, kind.apiVersion, kind.kind, "", "")
		if err != nil {
			continue
		}
		for i := range objects {
			if objects[i].GetDeletionTimestamp() == nil {
				_ = kind.act(ctx, &objects[i])
			}
		}
	}
}

// podCliqueSet makes the PodCliques and scaling groups that are not there yet: their replicas count only then.
func (o *operators) podCliqueSet(ctx context.Context, set *unstructured.Unstructured) error {
	cliques, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	if err != nil {
		return err
	}
	groups, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "podCliqueScalingGroups")
	if err != nil {
		return err
	}
	var grouped []string
	for _, value := range groups {
		group, _ := value.(map[string]any)
		names, _, _ := unstructured.NestedStringSlice(group, "cliqueNames")
		grouped = append(grouped, names...)
		spec := map[string]any{"cliqueNames": group["cliqueNames"], "replicas": orOne(group["replicas"])}
		if err := o.child(ctx, set, "PodCliqueScalingGroup", fmt.Sprint(group["name"]), spec); err != nil {
			return err
		}
	}
	for _, value := range cliques {
		clique, _ := value.(map[string]any)
		name := fmt.Sprint(clique["name"])
		if slices.Contains(grouped, name) {
			continue
		}
		spec, _ := clique["spec"].(map[string]any)
		if err := o.child(ctx, set, "PodClique", name, spec); err != nil {
			return err
		}
	}
	replicas, _, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
	// The levels that a graph is packed by exist as far as Grove is concerned.
	levels := condition("TopologyLevelsUnavailable", "AllClusterTopologyLevelsAvailable")
	levels["status"] = "False"
	return o.report(ctx, set, map[string]any{
		"replicas": replicas, "availableReplicas": replicas, "updatedReplicas": replicas, "conditions": []any{levels},
	})
}

// child of a PodCliqueSet.
func (o *operators) child(ctx context.Context, set *unstructured.Unstructured, kind, name string, spec map[string]any) error {
	child := &unstructured.Unstructured{Object: map[string]any{"apiVersion": grove, "kind": kind, "spec": spec}}
	child.SetName(set.GetName() + "-0-" + name)
	child.SetNamespace(set.GetNamespace())
	child.SetLabels(map[string]string{
		"app.kubernetes.io/managed-by":        "grove-operator",
		"app.kubernetes.io/part-of":           set.GetName(),
		"grove.io/podcliqueset-replica-index": "0",
	})
	child.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(set, set.GroupVersionKind())})
	if _, err := o.client.Get(ctx, controlplane.RefOf(child)); !errors.IsNotFound(err) {
		return err
	}
	_, err := o.client.Apply(ctx, child)
	return err
}

func (o *operators) podClique(ctx context.Context, clique *unstructured.Unstructured) error {
	replicas, _, _ := unstructured.NestedInt64(clique.Object, "spec", "replicas")
	return o.report(ctx, clique, map[string]any{
		"replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "scheduledReplicas": replicas,
		"hpaPodSelector": "app.kubernetes.io/name=" + clique.GetName(),
	})
}

func (o *operators) scalingGroup(ctx context.Context, group *unstructured.Unstructured) error {
	replicas, _, _ := unstructured.NestedInt64(group.Object, "spec", "replicas")
	return o.report(ctx, group, map[string]any{
		"replicas": replicas, "updatedReplicas": replicas, "availableReplicas": replicas, "scheduledReplicas": replicas,
		"selector": "app.kubernetes.io/name=" + group.GetName(),
	})
}

func (o *operators) leaderWorkerSet(ctx context.Context, set *unstructured.Unstructured) error {
	replicas, found, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
	if !found {
		replicas = 1
	}
	return o.report(ctx, set, map[string]any{
		"replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
		"conditions": []any{condition("Available", "AllGroupsReady")},
	})
}

func (o *operators) deployment(ctx context.Context, deployment *unstructured.Unstructured) error {
	replicas, found, _ := unstructured.NestedInt64(deployment.Object, "spec", "replicas")
	if !found {
		replicas = 1
	}
	return o.report(ctx, deployment, map[string]any{
		"replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
		"conditions": []any{condition("Available", "MinimumReplicasAvailable")},
	})
}

// report a status, unless it is reported already.
func (o *operators) report(ctx context.Context, object *unstructured.Unstructured, status map[string]any) error {
	status["observedGeneration"] = object.GetGeneration()
	reported, _, _ := unstructured.NestedMap(object.Object, "status")
	for field, value := range status {
		if field == "conditions" {
			continue
		}
		if fmt.Sprint(reported[field]) != fmt.Sprint(value) {
			return o.client.PatchStatus(ctx, controlplane.RefOf(object), status)
		}
	}
	return nil
}

func condition(conditionType, reason string) map[string]any {
	return map[string]any{
		"type": conditionType, "status": "True", "reason": reason, "message": "",
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
}

func orOne(replicas any) any {
	if replicas == nil {
		return int64(1)
	}
	return replicas
}
