package immutable

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// byKueue is why the fields below cannot change.
func byKueue(was string) message.Text {
	return message.Format("%s, because Kueue refuses it for LeaderWorkerSets in a queue; it was %s: %s", subject.NoChange, was, subject.PutBack)
}

// nothing is what a field was that did not exist.
const nothing = "not set"

// UnderKueue refuses changes of pods that the webhook of Kueue refuses in the LeaderWorkerSets of a queue, which decide where pods can run and
// which quota they need. The plan has the hashes of what the user has written.
//
// Only what the pods of the graph have and the live ones lack is refused here. Functions of the platform may have added more to those, so a
// field that is gone from the graph is left to Kueue.
// https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/util/pod/pod.go#L147
func UnderKueue(f *subject.Facts, p *graphplan.Plan) subject.Outcome {
	if p.KueueQueue == "" || p.Orchestrator != graphplan.LeaderWorkerSet {
		return subject.Outcome{}
	}
	before := f.Observed.Recorded()
	var errs message.List
	for _, name := range pod.MultinodeComponents(f.Graph) {
		// Pods only change when the user changes them.
		if was, now := before[name].Written, p.Components[name].Written; was == "" || now == "" || was.Same(now) {
			continue
		}
		errs = append(errs, changedUnderKueue(f, p, name)...)
	}
	return subject.Refused(subject.ImmutableChange, errs...)
}

// changedUnderKueue compares the pods of a component with those of its first LeaderWorkerSet.
func changedUnderKueue(f *subject.Facts, p *graphplan.Plan, name string) message.List {
	for i := range f.Graph.Component(name).Sets() {
		key := names.KeyLeaderWorkerSet(name, i)
		if !f.Observed.Has(key) {
			continue
		}
		live := &lwsv1.LeaderWorkerSet{}
		// One that cannot be read is left to the API server.
		if err := require.Into(f.Observed.Object(key), live); err != nil {
			return nil
		}
		builder := gang.Builder{Graph: f.Graph, Plan: p}
		was, now := live.Spec.LeaderWorkerTemplate, builder.Build(name, i).LeaderWorkerSet.Spec.LeaderWorkerTemplate
		path := graph.ComponentPath(name)
		errs := changedPods(path, &was.WorkerTemplate.Spec, &now.WorkerTemplate.Spec)
		if was.LeaderTemplate != nil && now.LeaderTemplate != nil {
			errs = append(errs, changedPods(path, &was.LeaderTemplate.Spec, &now.LeaderTemplate.Spec)...)
		}
		return distinct(errs)
	}
	return nil
}

// distinct errors: leader and workers have most fields in common.
func distinct(errs message.List) message.List {
	slices.SortStableFunc(errs, func(a, b *message.Message) int { return strings.Compare(a.Field, b.Field) })
	return slices.CompactFunc(errs, func(a, b *message.Message) bool { return a.Field == b.Field })
}

// changedPods compares the fields of pods that Kueue does not let change.
func changedPods(path *field.Path, was, now *corev1.PodSpec) message.List {
	extra := graph.PodPath(path)
	var errs message.List
	for _, key := range slices.Sorted(maps.Keys(now.NodeSelector)) {
		if value, ok := was.NodeSelector[key]; !ok || value != now.NodeSelector[key] {
			errs = append(errs, keptByKueue(extra.Child("nodeSelector").Key(key), now.NodeSelector[key], value, ok))
		}
	}
	errs = append(errs, addedTo(extra.Child("tolerations"), was.Tolerations, now.Tolerations)...)
	errs = append(errs, addedTo(extra.Child("topologySpreadConstraints"), was.TopologySpreadConstraints, now.TopologySpreadConstraints)...)
	errs = append(errs, addedTo(extra.Child("resourceClaims"), was.ResourceClaims, now.ResourceClaims)...)
	if now.Affinity != nil && !equality.Semantic.DeepEqual(was.Affinity, now.Affinity) {
		errs = append(errs, forbiddenByKueue(extra.Child("affinity")))
	}
	if now.RuntimeClassName != nil && !equality.Semantic.DeepEqual(was.RuntimeClassName, now.RuntimeClassName) {
		errs = append(errs, keptByKueue(extra.Child("runtimeClassName"), *now.RuntimeClassName, ptr.Deref(was.RuntimeClassName, ""), was.RuntimeClassName != nil))
	}
	errs = append(errs, changedContainers(extra.Child("initContainers"), was.InitContainers, now.InitContainers)...)
	return append(errs, changedContainers(extra.Child("containers"), was.Containers, now.Containers)...)
}

// changedContainers compares their number, requests and ports.
func changedContainers(list *field.Path, was, now []corev1.Container) message.List {
	var errs message.List
	for _, container := range now {
		i := slices.IndexFunc(was, func(c corev1.Container) bool { return c.Name == container.Name })
		if i < 0 {
			if len(now) > len(was) {
				errs = append(errs, keptByKueue(list, container.Name, "", false))
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(container.Resources.Requests)) {
			amount := container.Resources.Requests[name]
			if before, ok := was[i].Resources.Requests[name]; !ok || before.Cmp(amount) != 0 {
				errs = append(errs, keptByKueue(amountPath(list.Key(container.Name).Child("resources", "requests"), name), amount.String(), before.String(), ok))
			}
		}
		errs = append(errs, addedTo(list.Key(container.Name).Child("ports"), withProtocol(was[i].Ports), withProtocol(container.Ports))...)
	}
	return errs
}

// amountPath is where a graph has an amount of a resource.
func amountPath(resources *field.Path, name corev1.ResourceName) *field.Path {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory:
		return resources.Child(string(name))
	default:
		return resources.Key(string(name))
	}
}

// withProtocol has ports as the API server stores them.
func withProtocol(ports []corev1.ContainerPort) []corev1.ContainerPort {
	all := slices.Clone(ports)
	for i := range all {
		if all[i].Protocol == "" {
			all[i].Protocol = corev1.ProtocolTCP
		}
	}
	return all
}

// addedTo a list: what the live pods do not have. An error about the whole list is enough.
func addedTo[T any](path *field.Path, was, now []T) message.List {
	for i := range now {
		if !slices.ContainsFunc(was, func(before T) bool { return equality.Semantic.DeepEqual(before, now[i]) }) {
			return message.List{forbiddenByKueue(path)}
		}
	}
	return nil
}

// keptByKueue refuses a value.
func keptByKueue(path *field.Path, now, was string, there bool) *message.Message {
	if !there {
		was = nothing
	}
	return message.Invalid(path, now, "%s", byKueue(was))
}

// forbiddenByKueue refuses a change of a field whose value is too long for a message.
func forbiddenByKueue(path *field.Path) *message.Message {
	return message.Forbidden(path, "%s", byKueue("something else"))
}
