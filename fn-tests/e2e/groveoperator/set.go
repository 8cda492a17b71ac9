package groveoperator

import (
	"context"
	"errors"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// set makes one step with a PodCliqueSet of one replica, and with all that was created for it.
func (t *turn) set(ctx context.Context, set *object) error {
	tpl, err := templateOf(set)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range tpl.cliques {
		if !c.inGroup {
			errs = append(errs, t.standalone(ctx, set, c))
		}
	}
	for _, g := range tpl.groups {
		errs = append(errs, t.group(ctx, set, g))
	}
	return errors.Join(append(errs, t.reportSet(ctx, set, tpl))...)
}

// standalone is a clique that a set creates itself.
func (t *turn) standalone(ctx context.Context, set *object, c cliqueTemplate) error {
	name := set.GetName() + "-0-" + c.name
	clique := t.cliques[key(set.GetNamespace(), name)]
	switch {
	case clique == nil:
		return t.createClique(ctx, set, set, name, c, nil)
	case clique.GetDeletionTimestamp() != nil:
		return nil
	case clique.GetLabels()[labelTemplateHash] != c.hash:
		return t.retemplate(ctx, clique, c)
	default:
		return t.clique(ctx, set, clique)
	}
}

// reportSet reports the status of a set. An update to other templates begins with two writes: that it has begun, and that it has come
// to the replica.
func (t *turn) reportSet(ctx context.Context, set *object, tpl template) error {
	progress, updating := progressOf(set)
	known := generationOf(set)
	switch {
	case known == "":
		return t.report(ctx, set, map[string]any{"currentGenerationHash": tpl.hash, "updatedReplicas": int64(0), "availableReplicas": int64(0)})
	case known != tpl.hash:
		return t.reportUpdating(ctx, set, map[string]any{
			"currentGenerationHash": tpl.hash, "updatedReplicas": int64(0),
			"updateProgress": map[string]any{"updateStartedAt": now(), "updateEndedAt": nil, "currentlyUpdating": nil},
		})
	case updating && progress["currentlyUpdating"] == nil:
		return t.reportUpdating(ctx, set, map[string]any{"updateProgress": map[string]any{
			"currentlyUpdating": []any{map[string]any{"replicaIndex": int64(0), "updateStartedAt": now()}},
		}})
	}
	replicas := numberAt(set.Object, "spec", "replicas")
	count := t.childrenOf(set, tpl)
	// For Grove, all levels of the topology constraints of all graphs exist.
	levels := Condition(set, "TopologyLevelsUnavailable", "False", "AllClusterTopologyLevelsAvailable", "")
	status := map[string]any{"replicas": replicas, "availableReplicas": int64(0), "updatedReplicas": replicas, "conditions": []any{levels}}
	if count.available {
		status["availableReplicas"] = replicas
	}
	if updating {
		status["updatedReplicas"] = int64(0)
		status["updateProgress"] = map[string]any{
			"totalPodCliquesCount": count.cliques, "updatedPodCliquesCount": count.updatedCliques,
			"totalPodCliqueScalingGroupsCount": count.groups, "updatedPodCliqueScalingGroupsCount": count.updatedGroups,
		}
		if count.cliques != count.updatedCliques || count.groups != count.updatedGroups {
			return t.reportUpdating(ctx, set, status)
		}
		status["updatedReplicas"] = replicas
		status["updateProgress"] = map[string]any{"updateEndedAt": now(), "currentlyUpdating": nil}
	}
	return t.report(ctx, set, status)
}

// children of a set.
type children struct {
	cliques, updatedCliques, groups, updatedGroups int64
	// available is true if enough pods of all are ready.
	available bool
}

func (t *turn) childrenOf(set *object, tpl template) children {
	c := children{available: true}
	// add a child, whose status has the number of its ready pods or replicas in a field.
	add := func(live *object, ready string) (updated int64) {
		if live == nil {
			c.available = false
			return 0
		}
		c.available = c.available && numberAt(live.Object, "status", ready) >= minAvailable(live)
		return one(isUpdated(live, tpl.hash))
	}
	child := func(name string) string { return key(set.GetNamespace(), set.GetName()+"-0-"+name) }
	for _, clique := range tpl.cliques {
		if !clique.inGroup {
			c.cliques++
			c.updatedCliques += add(t.cliques[child(clique.name)], "readyReplicas")
		}
	}
	for _, group := range tpl.groups {
		c.groups++
		c.updatedGroups += add(t.groups[child(group.name)], "availableReplicas")
	}
	return c
}

// isUpdated reports whether all pods of a clique or a group have been updated to the templates.
func isUpdated(o *object, generation string) bool {
	_, updating := progressOf(o)
	return !updating && generationSeen(o) == generation
}

func minAvailable(o *object) int64 { return orOne(specOf(o)["minAvailable"]) }

func specOf(o *object) map[string]any {
	spec, _ := o.Object["spec"].(map[string]any)
	return spec
}

// requiredOf the status of a kind are fields that no status is without.
func requiredOf(kind string) []string {
	switch kind {
	case kindClique:
		return []string{"readyReplicas", "scheduleGatedReplicas", "scheduledReplicas", "updatedReplicas"}
	case kindGroup:
		return []string{"availableReplicas", "scheduledReplicas", "updatedReplicas"}
	default:
		return []string{"availableReplicas", "updatedReplicas"}
	}
}

// report fields of the status of an object, with its generation.
func (t *turn) report(ctx context.Context, o *object, status map[string]any) error {
	status["observedGeneration"] = o.GetGeneration()
	return t.reportUpdating(ctx, o, status)
}

// reportUpdating reports fields of the status of an object with the generation that was observed before. From v0.1.0-alpha.12 on, the generation
// of a set only rises when the last of its pods has been updated.
func (t *turn) reportUpdating(ctx context.Context, o *object, status map[string]any) error {
	if o.Object["status"] == nil {
		for _, field := range requiredOf(o.GetKind()) {
			if status[field] == nil {
				status[field] = int64(0)
			}
		}
	}
	return Report(ctx, t.client, o, status)
}

// create an object for a set, owned by another one.
func (t *turn) create(ctx context.Context, set, owner *object, kind, name string, labels, annotations map[string]string, spec map[string]any) error {
	o := &object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec}}
	o.SetName(name)
	o.SetNamespace(set.GetNamespace())
	all := map[string]string{labelManagedBy: manager, labelPartOf: set.GetName(), labelReplicaIndex: "0"}
	maps.Copy(all, labels)
	o.SetLabels(all)
	o.SetAnnotations(annotations)
	o.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())})
	_, err := t.client.Create(ctx, o)
	return err
}

func refOf(o *object) controlplane.Ref { return controlplane.RefOf(o) }
