package groveoperator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// group makes one step with a PodCliqueScalingGroup, each of whose replicas has a clique of each of its names. An update replaces the
// cliques of one replica after the other.
func (t *turn) group(ctx context.Context, set *object, g groupTemplate) error {
	name := set.GetName() + "-0-" + g.name
	live := t.groups[key(set.GetNamespace(), name)]
	if live == nil {
		return t.create(ctx, set, set, kindGroup, name, nil, nil, g.spec)
	}
	if live.GetDeletionTimestamp() != nil {
		return nil
	}
	replicas := t.replicasOf(live, g)
	if wrote, err := t.updateGroup(ctx, set, live, replicas); wrote || err != nil {
		return err
	}
	var errs []error
	for index, r := range replicas {
		for i, c := range g.cliques {
			if r.cliques[i] == nil {
				labels := map[string]string{labelGroup: name, labelGroupIndex: strconv.Itoa(index)}
				errs = append(errs, t.createClique(ctx, set, live, memberName(name, index, c), c, labels))
			} else if r.cliques[i].GetDeletionTimestamp() == nil {
				errs = append(errs, t.clique(ctx, set, r.cliques[i]))
			}
		}
	}
	return errors.Join(append(errs, t.deleteSurplus(ctx, live, len(replicas)), t.reportGroup(ctx, set, live, g, replicas))...)
}

func memberName(group string, index int, c cliqueTemplate) string {
	return fmt.Sprintf("%s-%d-%s", group, index, c.name)
}

// A groupReplica is a replica of a scaling group.
type groupReplica struct {
	// cliques in the order of the group's template. They are nil where there is none.
	cliques []*object
	// outdated are those of another template than that of the set.
	outdated []*object
	// current is true if all its cliques have the template of the set.
	current, scheduled, available bool
}

func (t *turn) replicasOf(group *object, g groupTemplate) []groupReplica {
	replicas := make([]groupReplica, numberAt(group.Object, "spec", "replicas"))
	for index := range replicas {
		r := groupReplica{current: true, scheduled: true, available: true}
		for _, c := range g.cliques {
			clique := t.cliques[key(group.GetNamespace(), memberName(group.GetName(), index, c))]
			r.cliques = append(r.cliques, clique)
			there := clique != nil && clique.GetDeletionTimestamp() == nil
			if there && clique.GetLabels()[labelTemplateHash] != c.hash {
				r.outdated = append(r.outdated, clique)
			}
			r.current = r.current && there && len(r.outdated) == 0
			r.scheduled = r.scheduled && there && numberAt(clique.Object, "status", "scheduledReplicas") >= minAvailable(clique)
			r.available = r.available && r.scheduled && numberAt(clique.Object, "status", "readyReplicas") >= minAvailable(clique)
		}
		replicas[index] = r
	}
	return replicas
}

// updateGroup deletes the cliques of a replica that have another template, once the replica before has been replaced.
// https://github.com/ai-dynamo/grove/blob/v0.1.0-alpha.12-rc1/operator/internal/controller/podcliquescalinggroup/components/podclique/rollingupdate.go
func (t *turn) updateGroup(ctx context.Context, set, group *object, replicas []groupReplica) (wrote bool, err error) {
	// Groups that their set has just created have nothing to update.
	if _, updating := progressOf(set); !updating || waits(set) {
		return false, nil
	}
	progress, updating := progressOf(group)
	if progress == nil || !isOf(group, generationOf(set)) {
		start := startOf(generationOf(set))
		start["readyReplicaIndicesSelectedToUpdate"] = nil
		return true, t.report(ctx, group, map[string]any{"updateProgress": start, "updatedReplicas": int64(0)})
	}
	if !updating {
		return false, nil
	}
	selected, selects := progress["readyReplicaIndicesSelectedToUpdate"].(map[string]any)
	current := numberAt(selected, "current")
	if selects && current < int64(len(replicas)) && (!replicas[current].current || !replicas[current].available) {
		// Their deletion may have failed.
		return false, t.deleteCliques(ctx, replicas[current].outdated)
	}
	next := slices.IndexFunc(replicas, func(r groupReplica) bool { return !r.current })
	if next < 0 {
		return true, t.report(ctx, group, map[string]any{"updateProgress": map[string]any{"updateEndedAt": now(), "readyReplicaIndicesSelectedToUpdate": nil}})
	}
	status := map[string]any{"current": int64(next)}
	if selects {
		completed, _, _ := unstructured.NestedSlice(selected, "completed")
		status["completed"] = append(completed, current)
	}
	if err := t.report(ctx, group, map[string]any{"updateProgress": map[string]any{"readyReplicaIndicesSelectedToUpdate": status}}); err != nil {
		return true, err
	}
	return true, t.deleteCliques(ctx, replicas[next].cliques)
}

func (t *turn) deleteCliques(ctx context.Context, cliques []*object) error {
	var errs []error
	for _, clique := range cliques {
		if clique != nil && clique.GetDeletionTimestamp() == nil {
			errs = append(errs, t.client.Delete(ctx, refOf(clique)))
		}
	}
	return errors.Join(errs...)
}

// deleteSurplus deletes the cliques of replicas that a group has no longer.
func (t *turn) deleteSurplus(ctx context.Context, group *object, replicas int) error {
	var surplus []*object
	for _, clique := range t.cliques {
		index, err := strconv.Atoi(clique.GetLabels()[labelGroupIndex])
		if err == nil && index >= replicas && clique.GetNamespace() == group.GetNamespace() && clique.GetLabels()[labelGroup] == group.GetName() {
			surplus = append(surplus, clique)
		}
	}
	return t.deleteCliques(ctx, surplus)
}

func (t *turn) reportGroup(ctx context.Context, set, group *object, g groupTemplate, replicas []groupReplica) error {
	var scheduled, available, updated int64
	for _, r := range replicas {
		scheduled += one(r.scheduled)
		available += one(r.available)
		updated += one(r.available && r.current)
	}
	status := map[string]any{
		"replicas": int64(len(replicas)), "scheduledReplicas": scheduled, "availableReplicas": available, "updatedReplicas": updated,
		"selector": labelGroup + "=" + group.GetName(),
	}
	_, updating := progressOf(group)
	if generation := generationOf(set); generation != "" && !updating && isOf(group, generation) && updated == int64(len(replicas)) {
		status["currentPodCliqueSetGenerationHash"] = generation
	}
	if updating {
		status["updateProgress"] = map[string]any{
			"totalPodCliquesCount": int64(len(replicas) * len(g.cliques)), "updatedPodCliquesCount": updated * int64(len(g.cliques)),
		}
	}
	least := minAvailable(group)
	status["conditions"] = []any{breached(group, updating, available >= least, found("available replicas", least, available))}
	return t.report(ctx, group, status)
}
