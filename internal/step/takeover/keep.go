package takeover

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Keep what is fixed of the adopted objects in those that are desired, and mark them. The steps that compose them build them as if
// the graph were new. Keep returns the keys of these objects.
func Keep(call *step.Call) map[string]bool {
	live, keys := call.Request.GetObserved().GetResources(), keysOf(call)
	if len(keys) == 0 {
		return nil
	}
	pods := labelsOfPods(live)
	for key := range keys {
		change(call, key, func(wanted, live *structpb.Struct) *structpb.Struct {
			return tree.WithText(merge(wanted, live, pods), metadata.AdoptFromOperator, metadata.AnnotationAdoptedFrom, "metadata", "annotations")
		})
	}
	return keys
}

// KeepUnchanged keeps everything of adopted workloads whose pods stay as they are, except for the number of replicas: an adoption changes nothing.
func KeepUnchanged(call *step.Call, keys map[string]bool) {
	for key := range keys {
		change(call, key, unchanged)
	}
}

func unchanged(wanted, live *structpb.Struct) *structpb.Struct {
	var pods string
	var fields []string
	switch observed.Listed(wanted).Pods {
	case kinds.PodTemplate:
		pods, fields = "template", []string{"minReadySeconds", "progressDeadlineSeconds"}
	case kinds.LeaderWorkerTemplate:
		pods, fields = "leaderWorkerTemplate", []string{"startupPolicy", "rolloutStrategy", "networkConfig"}
	default:
		return wanted
	}
	if !tree.Equal(tree.At(wanted, "spec", pods), tree.At(live, "spec", pods)) {
		return wanted
	}
	return withFields(wanted, live, fields, "spec")
}

// keysOf the adopted objects that are observed: those that were adopted before, and those that this call adopts.
func keysOf(call *step.Call) map[string]bool {
	keys := map[string]bool{}
	for _, l := range call.Plan.Lost {
		if l.Adopted {
			keys[l.Key] = true
		}
	}
	for key, r := range call.Request.GetObserved().GetResources() {
		if IsAdopted(r.GetResource()) {
			keys[key] = true
		}
	}
	return keys
}

// change a desired object, if it is observed as well.
func change(call *step.Call, key string, to func(wanted, live *structpb.Struct) *structpb.Struct) {
	wanted, live := call.Response.GetDesired().GetResources()[key], call.Request.GetObserved().GetResources()[key].GetResource()
	if wanted != nil && live != nil {
		response.Replace(call.Response, key, to(wanted.GetResource(), live))
	}
}

// merge is a desired object with what is fixed of the live one. pods are the labels of those that run.
func merge(desired, live *structpb.Struct, pods []*structpb.Struct) *structpb.Struct {
	kind := observed.Listed(desired)
	for _, fixed := range kind.Fixed {
		path := strings.Split(fixed, ".")
		desired = withFields(desired, live, path[len(path)-1:], path[:len(path)-1]...)
	}
	switch {
	case kind.Pods == kinds.CliqueTemplates:
		return cliqueSet(desired, live)
	case kind.Pods == kinds.LeaderWorkerTemplate:
		return podTemplate(podTemplate(desired, live, "spec", "leaderWorkerTemplate", "leaderTemplate"), live, "spec", "leaderWorkerTemplate", "workerTemplate")
	case kind.Pods == kinds.PodTemplate:
		return podTemplate(desired, live, "spec", "template")
	case kind.Kind == "Service":
		return service(desired, live, pods)
	default:
		return desired
	}
}

// podTemplate of a workload, for pods that others know as they know those of the live one.
func podTemplate(desired, live *structpb.Struct, path ...string) *structpb.Struct {
	if tree.At(desired, path...) == nil {
		return desired
	}
	return withIdentity(desired, live, slices.Concat(path, []string{"metadata", "labels"}), slices.Concat(path, []string{"spec"}))
}

// withFields of the live object at a path, as they are: one that the live object does not have is left out.
func withFields(desired, live *structpb.Struct, fields []string, path ...string) *structpb.Struct {
	for _, field := range fields {
		desired = tree.With(desired, tree.At(live, path...).GetFields()[field], field, path...)
	}
	return desired
}

// component selects the pods that run, and leads to their ports. A Service without an address cannot be given one.
func service(desired, live *structpb.Struct, pods []*structpb.Struct) *structpb.Struct {
	const none = "None"
	if selector := reaching(tree.At(live, "spec", "selector"), pods); selector != nil {
		desired = tree.With(desired, structpb.NewStructValue(selector), "selector", "spec")
	}
	if tree.Text(live, "clusterIP", "spec") == none {
		return tree.WithText(desired, none, "clusterIP", "spec")
	}
	if tree.Text(desired, "clusterIP", "spec") == none {
		return tree.With(desired, nil, "clusterIP", "spec")
	}
	return desired
}

// cliqueSet is a PodCliqueSet with the pods and the numbers of replicas that are desired, and all else as it is: Grove refuses other
// cliques, and the order of the cliques is part of the hash by which it decides whether pods are replaced.
// https://github.com/ai-dynamo/grove/blob/main/operator/internal/controller/podcliqueset/reconcilespec.go
func cliqueSet(desired, live *structpb.Struct) *structpb.Struct {
	wanted, is := tree.At(desired, "spec", "template"), tree.At(live, "spec", "template")
	template := is
	template = tree.With(template, elements(is, wanted, "cliques", func(clique, from *structpb.Struct) *structpb.Struct {
		merged := withFields(clique, from, []string{"labels", "annotations"})
		merged = withFields(merged, from, []string{"podSpec", "replicas"}, "spec")
		return withIdentity(merged, clique, []string{"labels"}, []string{"spec", "podSpec"})
	}), "cliques")
	template = tree.With(template, elements(is, wanted, "podCliqueScalingGroups", func(group, from *structpb.Struct) *structpb.Struct {
		return withFields(group, from, []string{"replicas"})
	}), "podCliqueScalingGroups")
	return tree.With(desired, structpb.NewStructValue(template), "template", "spec")
}

// elements of a live list, each with what is desired of the one of its name. Those that are desired and not live follow; Grove says
// what it thinks of them.
func elements(live, desired *structpb.Struct, list string, merge func(live, desired *structpb.Struct) *structpb.Struct) *structpb.Value {
	wanted := map[string]*structpb.Struct{}
	for _, value := range desired.GetFields()[list].GetListValue().GetValues() {
		wanted[tree.Text(value.GetStructValue(), "name")] = value.GetStructValue()
	}
	var values []*structpb.Value
	for _, value := range live.GetFields()[list].GetListValue().GetValues() {
		name := tree.Text(value.GetStructValue(), "name")
		if from, ok := wanted[name]; ok {
			value = structpb.NewStructValue(merge(value.GetStructValue(), from))
			delete(wanted, name)
		}
		values = append(values, value)
	}
	for _, value := range desired.GetFields()[list].GetListValue().GetValues() {
		if _, left := wanted[tree.Text(value.GetStructValue(), "name")]; left {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return structpb.NewListValue(&structpb.ListValue{Values: values})
}
