package ownership_test

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// A metaChange of the metadata of an object.
type metaChange func(*metav1.ObjectMeta)

// ownedBy an owner.
func ownedBy(apiVersion, kind, name string, uid types.UID, controller *bool) metaChange {
	return func(meta *metav1.ObjectMeta) {
		meta.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: controller}}
	}
}

// controlledBy a graph.
func controlledBy(apiVersion, name string, uid types.UID) metaChange {
	return ownedBy(apiVersion, "DynamoGraphDeployment", name, uid, new(true))
}

// Owners of objects.
func byGraph(meta *metav1.ObjectMeta) { controlledBy("nvidia.com/v1alpha1", "llama", "u1")(meta) }

func byEarlier(meta *metav1.ObjectMeta) { controlledBy("nvidia.com/v1alpha1", "llama", "u0")(meta) }

func byOther(meta *metav1.ObjectMeta) { controlledBy("nvidia.com/v1alpha1", "other", "u2")(meta) }

func byForeign(meta *metav1.ObjectMeta) { controlledBy("example.org/v1", "llama", "u2")(meta) }

func byUser(meta *metav1.ObjectMeta) { ownedBy("v1", "ConfigMap", "mine", "u3", nil)(meta) }

func beingDeleted(meta *metav1.ObjectMeta) {
	meta.DeletionTimestamp = new(metav1.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
}

// existing is an object of this version, kind and name, without an owner unless its metadata is changed.
func existing(apiVersion, kind, name string, changes ...metaChange) *metav1.PartialObjectMetadata {
	object := plantest.Named(apiVersion, kind, name)
	object.Namespace = "inference"
	for _, change := range changes {
		change(&object.ObjectMeta)
	}
	return object
}

// namesCase is a graph in a namespace with these objects and no others, and what its user is told.
type namesCase struct {
	reason  string
	req     *fnv1.RunFunctionRequest
	objects []any
	want    []plantest.Said
}

// taken names, for which a field is changed.
func taken(field string) []plantest.Said {
	return plantest.Refused(subject.NameTaken, rule.NameTaken, field)
}

// waiting for an object that is being deleted.
func waiting() []plantest.Said {
	return plantest.Refused(subject.AwaitsDeletion, rule.NotSupportedHere, "")
}

func compare(t *testing.T, cases map[string]namesCase) {
	t.Helper()
	whole.Table(t, whole.Rows(cases, func(tc namesCase) whole.Row[[]plantest.Said] {
		return whole.Row[[]plantest.Said]{Reason: tc.reason, Request: withNames(t, tc.req, tc.objects...), Want: tc.want}
	}), func(of *whole.Outcome) []plantest.Said { return of.Said })
}

// withNames is a request to which it is answered what is there under the names that step plan looks up.
func withNames(t testing.TB, req *fnv1.RunFunctionRequest, objects ...any) *fnv1.RunFunctionRequest {
	t.Helper()
	return whole.Answering(t, req, func(selector *fnv1.ResourceSelector) *fnv1.Resources {
		found := &fnv1.Resources{}
		for _, object := range objects {
			o := plantest.Struct(object)
			metadata := tree.At(o, "metadata").GetFields()
			if o.GetFields()["apiVersion"].GetStringValue() == selector.GetApiVersion() && o.GetFields()["kind"].GetStringValue() == selector.GetKind() &&
				metadata["name"].GetStringValue() == selector.GetMatchName() && metadata["namespace"].GetStringValue() == selector.GetNamespace() {
				found.Items = append(found.Items, &fnv1.Resource{Resource: o})
			}
		}
		return found
	})
}

// TestTakenNames shows whose an object is that has the name of one of the graph's, and what becomes of the graph.
func TestTakenNames(t *testing.T) {
	offGrove := func(options ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(plantest.Graph(plantest.Worker), append([]plantest.RequestOption{plantest.WithGroups()}, options...)...)
	}
	deployment := func(changes ...metaChange) any { return existing("apps/v1", "Deployment", "llama-worker", changes...) }
	compare(t, map[string]namesCase{
		"Free": {reason: "A graph whose names are free is accepted.", req: offGrove()},
		"Own": {
			reason:  "What the graph controls is its own, also when Crossplane does not observe it.",
			req:     offGrove(),
			objects: []any{deployment(byGraph)},
		},
		"OwnLeaving": {
			reason:  "An object of the graph's own that is being deleted is created again as soon as it is gone, and holds up nothing else.",
			req:     offGrove(),
			objects: []any{deployment(byGraph, beingDeleted)},
		},
		"Other": {
			reason:  "The object of another graph is never taken: both would run the pods of one.",
			req:     offGrove(),
			objects: []any{deployment(byOther)},
			want:    taken("spec.components[Worker]"),
		},
		"OtherSeveral": {
			reason:  "Objects that are in the way for one reason are named together.",
			req:     offGrove(),
			objects: []any{deployment(byOther), existing("v1", "Service", "llama-worker", byOther)},
			want:    taken("spec.components[Worker]"),
		},
		"Orphan": {
			reason:  "An object without a controller would be adopted, and deleted with the graph.",
			req:     offGrove(),
			objects: []any{deployment()},
			want:    taken("spec.components[Worker]"),
		},
		"OwnedNotControlled": {
			reason:  "Only one owner controls an object; others merely keep it.",
			req:     offGrove(),
			objects: []any{deployment(byUser)},
			want:    taken("spec.components[Worker]"),
		},
		"OtherLeaving": {
			reason:  "What is being deleted is waited for, whoever has it.",
			req:     offGrove(),
			objects: []any{deployment(byOther, beingDeleted)},
			want:    waiting(),
		},
		"GroupLeaving": {
			reason:  "A PodGroup of Kubernetes never goes while the controller manager knows no gangs. Nothing but its finalizer shows it.",
			req:     plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithGroups("lws", "scheduling")),
			objects: []any{existing("scheduling.k8s.io/v1beta1", "PodGroup", "llama-worker-0", byEarlier, beingDeleted)},
			want:    waiting(),
		},
		"Earlier": {
			reason:  "Kubernetes deletes the objects of an earlier graph of this name, which takes a while.",
			req:     offGrove(),
			objects: []any{deployment(byEarlier)},
			want:    waiting(),
		},
		"SameNameOfOtherKind": {
			reason:  "An owner of the same name may be of another API.",
			req:     offGrove(),
			objects: []any{deployment(byForeign)},
			want:    taken("spec.components[Worker]"),
		},
		"Observed": {
			reason:  "What is observed is not looked up, so that a graph at rest depends on nothing more.",
			req:     offGrove(plantest.WithObserved("deployment-worker", deployment(byGraph))),
			objects: []any{deployment(byOther)},
		},
		"LiveGraph": {
			reason: "A service that is added to a live graph is refused as an edit.",
			req: plantest.Request(plantest.Graph(plantest.Frontend, plantest.Worker), plantest.WithGroups(),
				plantest.WithObserved("deployment-frontend", existing("apps/v1", "Deployment", "llama-frontend", byGraph))),
			objects: []any{deployment(byOther)},
			want:    taken("spec.components[Worker]"),
		},
		"Graph": {
			reason:  "Some names come from the graph alone.",
			req:     offGrove(),
			objects: []any{existing("v1", "ServiceAccount", "llama-k8s-service-discovery", byOther)},
			want:    taken("metadata.name"),
		},
		"Everything": {
			reason:  "Names that are taken are told together with all other mistakes.",
			req:     plantest.Request(plantest.Graph(plantest.Worker, plantest.Changed("Worker", plantest.WithReplicas(-1))), plantest.WithGroups()),
			objects: []any{deployment(byOther)},
			want:    slices.Concat(taken("spec.components[Worker]"), plantest.Refused(subject.Mistake, rule.Replicas, "spec.components[Worker].replicas")),
		},
	})
}

// TestTakenByControllers shows names of objects that controllers make of what the chain composes.
func TestTakenByControllers(t *testing.T) {
	onLWS := func(changes ...plantest.GraphChange) *fnv1.RunFunctionRequest {
		return plantest.Request(plantest.Graph(changes...), plantest.WithGroups("lws", "volcano"), plantest.WithVolcanoQueue("Open"))
	}
	onGrove := func(changes ...plantest.GraphChange) *fnv1.RunFunctionRequest {
		return plantest.Request(plantest.Graph(changes...), plantest.WithGroups("grove"))
	}
	set := func(name, clique string) *grovev1alpha1.PodCliqueSet {
		neighbour := plantest.PodCliqueSet(plantest.Clique(clique))
		neighbour.Name, neighbour.Namespace = name, "inference"
		byOther(&neighbour.ObjectMeta)
		return neighbour
	}
	bySet := ownedBy("grove.io/v1alpha1", "PodCliqueSet", "llama", "u1", new(true))
	byReplica := ownedBy("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llama-worker-0", "u1", new(true))
	const lws = "leaderworkerset.x-k8s.io/v1"
	compare(t, map[string]namesCase{
		"GroveService": {
			reason:  "The headless Service of the graph is called like the Service of service 0 of another.",
			req:     onGrove(plantest.Frontend),
			objects: []any{existing("v1", "Service", "llama-0", byOther)},
			want:    taken("metadata.name"),
		},
		"GroveServiceOwn": {
			reason:  "The Service of the graph's own PodCliqueSet is the graph's.",
			req:     onGrove(plantest.Frontend),
			objects: []any{existing("v1", "Service", "llama-0", bySet)},
		},
		"GroveAccount": {
			reason:  "Grove's account of the graph may be called like that of a planner.",
			req:     onGrove(plantest.Frontend),
			objects: []any{existing("v1", "ServiceAccount", "llama", byOther)},
			want:    taken("metadata.name"),
		},
		"UsersAccount": {
			reason:  "Grove uses a ServiceAccount that the user made.",
			req:     onGrove(plantest.Frontend),
			objects: []any{existing("v1", "ServiceAccount", "llama")},
		},
		"GroveCliques": {
			reason:  "Clique 0-x of this graph and clique x of graph llama-0 are one PodClique.",
			req:     onGrove(plantest.Frontend, plantest.Renamed("Frontend", "0-x")),
			objects: []any{set("llama-0", "x")},
			want:    taken("metadata.name"),
		},
		"GroveOtherCliques": {
			reason:  "Neighbours whose cliques are called otherwise live side by side.",
			req:     onGrove(plantest.Frontend, plantest.Renamed("Frontend", "0-x")),
			objects: []any{set("llama-0", "y")},
		},
		"LWSService": {
			reason:  "The headless Service of a replica is called like the Service of another graph's service 0.",
			req:     onLWS(plantest.Multinode, plantest.Changed("Worker", plantest.WithReplicas(1))),
			objects: []any{existing("v1", "Service", "llama-worker-0", byOther)},
			want:    taken("spec.components[Worker]"),
		},
		"LWSServiceOwn": {
			reason:  "The headless Service of the graph's own replica is the graph's.",
			req:     onLWS(plantest.Multinode),
			objects: []any{existing(lws, "LeaderWorkerSet", "llama-worker-0", byGraph), existing("v1", "Service", "llama-worker-0", byReplica)},
		},
		"LWSWorkers": {
			reason:  "The StatefulSet of the workers of a replica is called like that of another graph's leaders.",
			req:     onLWS(plantest.Multinode),
			objects: []any{existing(lws, "LeaderWorkerSet", "llama-worker-1-0", byOther)},
			want:    taken("spec.components[Worker]"),
		},
		"LWSLeaders": {
			reason:  "The StatefulSet of a replica's leader has the same name as that of another LeaderWorkerSet's workers, whoever made them.",
			req:     onLWS(plantest.Multinode, plantest.Renamed("Worker", "0")),
			objects: []any{existing(lws, "LeaderWorkerSet", "llama-0")},
			want:    taken("spec.components[0]"),
		},
	})
}
