package retain

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	workloads "github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

const kindLeaderWorkerSet = "LeaderWorkerSet"

// workload of the graph that is in the cluster.
type workload struct {
	kind, name string
	templates  []template

	// replacing is true if the workload may have pods that its templates do not describe: it is replacing pods of an earlier
	// template, or it is being deleted.
	replacing bool
}

// refers reports whether any template of the workload refers to an object.
func (w *workload) refers(does func(*template) bool) bool {
	return slices.ContainsFunc(w.templates, func(t template) bool { return does(&t) })
}

func workloadOf(object *structpb.Struct) (workload, error) {
	w := workload{
		kind:      object.GetFields()["kind"].GetStringValue(),
		name:      tree.Name(object),
		replacing: !workloads.RolledOut(object),
	}
	var err error
	w.templates, err = templatesOf(object)
	return w, err
}

// observed workloads of the graph.
func (k *Keeper) observed() ([]workload, error) {
	if k.read {
		return k.workloads, nil
	}
	resources := k.call.Request.GetObserved().GetResources()
	for _, key := range slices.Sorted(maps.Keys(resources)) {
		w, err := workloadOf(resources[key].GetResource())
		if err != nil {
			return nil, err
		}
		if len(w.templates) > 0 {
			k.workloads = append(k.workloads, w)
		}
	}
	k.read = true
	return k.workloads, nil
}

// terminating are the LeaderWorkerSets of replicas that the graph no longer has. Crossplane has started to delete them and no longer
// observes them, but they exist until their pods are gone. resolved is false until Crossplane has looked them up. Other workloads
// are only deleted together with their graph. The kind is required only if it is installed, because Crossplane fails otherwise.
func (k *Keeper) terminating() (sets []workload, resolved bool, err error) {
	if k.call.Plan.Orchestrator != graphplan.LeaderWorkerSet {
		return nil, true, nil
	}
	objects, resolved := k.list(lwsv1.GroupVersion.String(), kindLeaderWorkerSet)
	for _, object := range objects {
		w, err := workloadOf(object)
		if err != nil {
			return nil, false, err
		}
		if !k.isObserved(w) {
			sets = append(sets, w)
		}
	}
	return sets, resolved, nil
}

func (k *Keeper) isObserved(w workload) bool {
	return slices.ContainsFunc(k.workloads, func(o workload) bool { return o.kind == w.kind && o.name == w.name })
}

// list the objects of a kind that have the label of the graph.
func (k *Keeper) list(apiVersion, kind string) (objects []*structpb.Struct, resolved bool) {
	g := k.call.Graph
	return k.requirements.List(require.AnswersIn(k.call.Request), require.Objects{
		Name: "leaving-" + strings.ToLower(kind), APIVersion: apiVersion, Kind: kind, Namespace: g.Namespace,
		Labels: map[string]string{metadata.LabelGraphName: g.Name},
	})
}
