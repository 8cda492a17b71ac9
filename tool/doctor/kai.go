package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// Versions of KAI and Grove from which on gangs are made otherwise.
const (
	// skipsGraphs is the first KAI whose pod grouper skips graphs of every version of their API. Those before only know v1alpha1, and graphs
	// are stored at v1beta1. https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/pkg/podgrouper/podgrouper/hub/hub.go
	skipsGraphs = "v0.17.0"

	// Grove creates the PodGroups of KAI itself, and KAI's pod grouper leaves them alone.
	groveGroups, kaiLeaves = "v0.1.0-alpha.13", "v0.15.0"
)

// podGrouper of KAI, which makes gangs of what owns pods. If it may read graphs but does not know to skip them, it takes each graph for a
// workload of an unknown kind, whose pods need no gang.
func podGrouper(f *Facts) Finding {
	groupers := f.runs(imageGrouper)
	if len(groupers) == 0 {
		return skipped("No pod grouper of KAI runs.")
	}
	account := groupers[0].Namespace + "/" + groupers[0].Spec.Template.Spec.ServiceAccountName
	kind, resource := f.composite()
	if slices.ContainsFunc(f.Refused[GrouperAccess], func(a preview.Access) bool { return a.Resource == resource }) {
		return ok("KAI's pod grouper may not read graphs, and makes gangs of their workloads.")
	}
	version := f.versionOf(compatibility.KAI)
	if later(compatibility.Grove, f.versionOf(compatibility.Grove), groveGroups) && later(compatibility.KAI, version, kaiLeaves) {
		return ok("Grove makes the gangs of graphs itself.")
	}
	if kind == kindGraph && later(compatibility.KAI, version, skipsGraphs) {
		return ok(fmt.Sprintf("KAI %s makes gangs of the workloads of graphs.", version))
	}
	permission := fmt.Sprintf("the permission to read %s.%s from ServiceAccount %s, which the chart of KAI does not give", resource, group, account)
	remedy := fmt.Sprintf("Remove %s.", permission)
	if kind == kindGraph {
		remedy = fmt.Sprintf("Upgrade KAI to %s or later, or remove %s.", skipsGraphs, permission)
	}
	const found = "The pod grouper of KAI %s may read %ss, a kind that it does not know. Graphs lose gangs and topology silently, and become ready all the same."
	return problem(fmt.Sprintf(found, version, kind), remedy)
}

// staleness is how long KAI lets a gang run that has lost a pod. It counts a negative duration as endless.
// https://github.com/kai-scheduler/KAI-Scheduler/blob/v0.17.0/docs/staleness-grace-period/README.md
func staleness(f *Facts) Finding {
	const flag = "--default-staleness-grace-period"
	schedulers := f.beside(f.runs(imageGrouper), imageScheduler)
	switch {
	case len(schedulers) == 0:
		return skipped("No scheduler of KAI runs.")
	case len(f.defaultQueues()) == 0:
		return skipped("The policy of the platform does not use KAI.")
	}
	for i := range schedulers {
		value, given := schedulers[i].flag(flag)
		if period, err := time.ParseDuration(value); !given || err != nil || period >= 0 {
			return warning(fmt.Sprintf("Deployment %s of KAI has no %s=-1s. It removes all pods of a gang that has lacked a pod for %s.", schedulers[i].Name, flag, cmp.Or(value, "1m")),
				"Set scheduler.args.default-staleness-grace-period=-1s in the chart of KAI: see docs/install.md#what-the-cluster-needs.")
		}
	}
	return ok("KAI keeps the pods of a gang that lacks a pod.")
}

// later reports whether a version is another version or later. A version that cannot be compared is not.
func later(product compatibility.Product, version, than string) bool {
	older, err := compatibility.Older(product, version, than)
	return err == nil && !older
}

// queue for graphs that do not name one.
func queue(f *Facts) Finding {
	if !f.serves(kaiVersion, kindQueue) {
		return skipped("KAI is not installed.")
	}
	names := f.defaultQueues()
	if len(names) == 0 {
		return skipped("The policy of the platform does not use KAI.")
	}
	for _, name := range names {
		i := slices.IndexFunc(f.Queues, func(q Queue) bool { return q.Name == name })
		if i < 0 {
			return problem(fmt.Sprintf("Queue %s does not exist, so graphs that do not name a queue are refused.", name), createQueue(name))
		}
		parent := f.Queues[i].Spec.ParentQueue
		if parent != "" && !slices.ContainsFunc(f.Queues, func(q Queue) bool { return q.Name == parent }) {
			return problem(fmt.Sprintf("Queue %s has parent %s, which does not exist.", name, parent), fmt.Sprintf("Create Queue %s.", parent))
		}
	}
	return ok(fmt.Sprintf("Queue %s exists for graphs that do not name a queue.", names[0]))
}

// createQueue is how to create a default queue. queue.yaml has that of the default policy.
func createQueue(name string) string {
	if name == new(v1alpha1.KAI).QueueOrDefault() {
		return "kubectl apply --server-side -f queue.yaml"
	}
	return fmt.Sprintf("Create Queue %s, or set kai.queue in the policy of the platform to another queue.", name)
}

// defaultQueues of the policies of the platform, or before there are any, of the one that will be installed.
func (f *Facts) defaultQueues() []string {
	var names []string
	for _, p := range f.policies() {
		if p.KAI.Mode != v1alpha1.ModeDisabled && !slices.Contains(names, p.KAI.QueueOrDefault()) {
			names = append(names, p.KAI.QueueOrDefault())
		}
	}
	return names
}
