package e2e

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/groveoperator"
)

const grove = "grove.io/v1alpha1"

// operators simulate that of Grove, which is not available as a module. Once they use nodes, they do what package groveoperator does. Until
// then they create the children of a PodCliqueSet, and report all pods as ready. Pods whose template changes are replaced, which takes some
// time.
type operators struct {
	*groveoperator.Loop

	client *controlplane.Client
	// rollouts by the object that the pods belong to.
	rollouts map[string]rollout

	// ofPods is the operator that uses nodes.
	ofPods *groveoperator.Operator
}

// rolloutTime is the time until new pods are ready.
const rolloutTime = time.Second

// A rollout of pods.
type rollout struct {
	template string
	end      time.Time
}

// startOperators, which are paused initially.
func startOperators(ctx context.Context, client *controlplane.Client) *operators {
	o := &operators{client: client, rollouts: map[string]rollout{}}
	o.Loop = groveoperator.Start(ctx, client, true, o.turn)
	return o
}

// useNodes has the operators create pods, and report what becomes of them.
func (o *operators) useNodes() {
	o.Do(func() { o.ofPods = groveoperator.NewOperator(o.client) })
}

// turn acts unless the operators are paused. What is deleted can go nevertheless.
func (o *operators) turn(ctx context.Context, paused bool) {
	// Failures are retried in the next turn. Tests detect operations that never succeed.
	switch {
	case paused && o.ofPods != nil:
		_ = o.ofPods.Finalize(ctx)
	case paused:
	case o.ofPods != nil:
		_ = o.ofPods.Turn(ctx)
	default:
		o.act(ctx)
	}
}

// act once on all objects, without nodes.
func (o *operators) act(ctx context.Context) {
	sets, err := o.client.List(ctx, grove, "PodCliqueSet", "", "")
	if err != nil {
		return
	}
	live, err := o.liveChildren(ctx)
	if err != nil {
		return
	}
	for i := range sets {
		if sets[i].GetDeletionTimestamp() == nil {
			_ = o.podCliqueSet(ctx, &sets[i], live)
		}
	}
}

// liveChildren are the PodCliques and scaling groups that exist. One list of a kind costs less than each object by itself.
func (o *operators) liveChildren(ctx context.Context) (map[controlplane.Ref]*unstructured.Unstructured, error) {
	live := map[controlplane.Ref]*unstructured.Unstructured{}
	for _, kind := range []string{"PodClique", "PodCliqueScalingGroup"} {
		objects, err := o.client.List(ctx, grove, kind, "", "")
		if err != nil {
			return nil, err
		}
		for i := range objects {
			live[controlplane.RefOf(&objects[i])] = &objects[i]
		}
	}
	return live, nil
}

// podCliqueSet creates missing PodCliques and scaling groups, whose replicas in the set only count then. It replaces the pods of those
// whose template has changed.
func (o *operators) podCliqueSet(ctx context.Context, set *unstructured.Unstructured, live map[controlplane.Ref]*unstructured.Unstructured) error {
	cliques, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	if err != nil {
		return err
	}
	groups, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "podCliqueScalingGroups")
	if err != nil {
		return err
	}
	updating := false
	for _, c := range childrenOf(cliques, groups) {
		rolls := o.rolls(set, c)
		updating = updating || rolls
		if err := o.child(ctx, set, c, rolls, live); err != nil {
			return err
		}
	}
	created := set.GetCreationTimestamp().UTC().Format(time.RFC3339)
	progress := map[string]any{"updateStartedAt": created, "updateEndedAt": created}
	if updating {
		progress["updateEndedAt"] = nil
	}
	replicas, _, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
	// For Grove, all levels of the graph's constraints exist.
	levels := groveoperator.Condition(set, "TopologyLevelsUnavailable", "False", "AllClusterTopologyLevelsAvailable", "")
	return o.report(ctx, set, map[string]any{
		"replicas": replicas, "availableReplicas": replicas, "updatedReplicas": replicas,
		"updateProgress": progress, "conditions": []any{levels},
	})
}

// groveChild is created by Grove for a clique or a scaling group.
type groveChild struct {
	kind, name string
	spec       map[string]any
	// template of the pods.
	template any
}

func childrenOf(cliques, groups []any) []groveChild {
	var children []groveChild
	templates := map[string]any{}
	for _, value := range cliques {
		clique, _ := value.(map[string]any)
		spec, _ := clique["spec"].(map[string]any)
		name := fmt.Sprint(clique["name"])
		templates[name] = []any{clique["annotations"], clique["labels"], spec["podSpec"]}
		children = append(children, groveChild{"PodClique", name, spec, templates[name]})
	}
	for _, value := range groups {
		group, _ := value.(map[string]any)
		names, _, _ := unstructured.NestedStringSlice(group, "cliqueNames")
		var template []any
		for _, name := range names {
			template = append(template, templates[name])
		}
		children = slices.DeleteFunc(children, func(c groveChild) bool { return c.kind == "PodClique" && slices.Contains(names, c.name) })
		spec := map[string]any{"cliqueNames": group["cliqueNames"], "replicas": orOne(group["replicas"])}
		children = append(children, groveChild{"PodCliqueScalingGroup", fmt.Sprint(group["name"]), spec, template})
	}
	return children
}

// child of a PodCliqueSet: create it, or write its status.
func (o *operators) child(
	ctx context.Context, set *unstructured.Unstructured, c groveChild, rolls bool, children map[controlplane.Ref]*unstructured.Unstructured,
) error {
	child := &unstructured.Unstructured{Object: map[string]any{"apiVersion": grove, "kind": c.kind, "spec": c.spec}}
	child.SetName(set.GetName() + "-0-" + c.name)
	child.SetNamespace(set.GetNamespace())
	child.SetLabels(map[string]string{
		"app.kubernetes.io/managed-by":        "grove-operator",
		"app.kubernetes.io/part-of":           set.GetName(),
		"grove.io/podcliqueset-replica-index": "0",
	})
	child.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(set, set.GroupVersionKind())})
	live := children[controlplane.RefOf(child)]
	if live == nil {
		var err error
		if live, err = o.client.Apply(ctx, child); err != nil {
			return err
		}
	}
	replicas, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	field := "availableReplicas"
	if c.kind == "PodClique" {
		field = "readyReplicas"
	}
	up := upWhile(!rolls, replicas)
	status := map[string]any{"replicas": replicas, "scheduledReplicas": replicas, "updatedReplicas": upWhile(!rolls, replicas), field: up}
	if c.kind == "PodClique" {
		status["hpaPodSelector"] = "app.kubernetes.io/name=" + live.GetName()
	} else {
		status["selector"] = "app.kubernetes.io/name=" + live.GetName()
	}
	return o.report(ctx, live, status)
}

// rolls reports whether pods of a child are still being replaced. Its first pods are ready immediately.
func (o *operators) rolls(set *unstructured.Unstructured, c groveChild) bool {
	pods, now := string(set.GetUID())+"/"+c.name, fmt.Sprint(c.template)
	r, known := o.rollouts[pods]
	if !known {
		r = rollout{template: now}
	}
	if r.template != now {
		r = rollout{template: now, end: time.Now().Add(rolloutTime)}
	}
	o.rollouts[pods] = r
	return time.Now().Before(r.end)
}

// upWhile is the number of available replicas: all or none.
func upWhile(up bool, replicas int64) int64 {
	if up {
		return replicas
	}
	return 0
}

// report a status, unless it has been reported.
func (o *operators) report(ctx context.Context, object *unstructured.Unstructured, status map[string]any) error {
	status["observedGeneration"] = object.GetGeneration()
	return groveoperator.Report(ctx, o.client, object, status)
}

func orOne(replicas any) any {
	if replicas == nil {
		return int64(1)
	}
	return replicas
}
