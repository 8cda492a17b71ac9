package recovery_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/recovery"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// deployedStatus is the status of a graph of one Deployment.
func deployedStatus() plantest.GraphChange {
	return plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{
		Orchestrator: string(graphplan.Deployment),
		Services: map[string]v1alpha1.ServiceStatus{"Frontend": {
			ComponentKind: v1alpha1.ComponentKindDeployment, ComponentName: "llama-frontend", ComponentNames: []string{"llama-frontend"}, Replicas: 1,
		}},
	})
}

// living is an object that a composite resource controls, composed under a key.
func living(apiVersion, kind, name, key, controller string) *metav1.PartialObjectMetadata {
	object := plantest.Named(apiVersion, kind, name)
	object.Namespace = "inference"
	object.Labels = map[string]string{"crossplane.io/composite": "llama"}
	object.Annotations = map[string]string{"crossplane.io/composition-resource-name": key}
	object.OwnerReferences = []metav1.OwnerReference{{UID: types.UID(controller), Controller: new(true)}}
	return object
}

func livingDeployment() *metav1.PartialObjectMetadata {
	return living("apps/v1", "Deployment", "llama-frontend", "deployment-frontend", "u1")
}

// lookup is what is looked up of a graph that has lost its references, and what is found.
type lookup struct {
	// Asked are the requirements, with the namespace in which they are looked up.
	Asked   []string
	Planned bool
	Found   []graphplan.LostObject
}

func lookedUp(of *whole.Outcome) lookup {
	out := lookup{Planned: of.Plan != nil}
	required := of.Response.GetRequirements()
	for _, asked := range []map[string]*fnv1.ResourceSelector{required.GetResources(), required.GetExtraResources()} { //nolint:staticcheck // All that some callers know.
		for name, selector := range asked {
			if strings.HasPrefix(name, "lost-") {
				out.Asked = append(out.Asked, name+" in "+selector.GetNamespace())
			}
		}
	}
	slices.Sort(out.Asked)
	if of.Plan != nil {
		out.Found = of.Plan.Lost
	}
	return out
}

// lostOf a graph of one Deployment is everything that is looked up: all objects of every kind that it may have, and of kinds that the cluster
// serves, and the Deployment by its name.
func lostOf(served ...string) []string {
	asked := []string{"lost-deployment-llama-frontend in inference"}
	for _, k := range kinds.Composed() {
		if k.Served == kinds.Everywhere && !k.ByName {
			served = append(served, k.Kind)
		}
	}
	for _, kind := range served {
		asked = append(asked, "lost-"+strings.ToLower(kind)+" in inference")
	}
	slices.Sort(asked)
	return asked
}

// TestReferencesLost shows what is looked up when the references of a graph are lost, and that nothing is decided before.
func TestReferencesLost(t *testing.T) {
	withRef := plantest.WithReferences(plantest.ReferenceTo("apps/v1", "Deployment", "llama-frontend"))
	xr := plantest.Graph(plantest.Frontend, deployedStatus())
	found := graphplan.LostObject{Key: "deployment-frontend", APIVersion: "apps/v1", Kind: "Deployment", Name: "llama-frontend"}

	whole.Table(t, map[string]whole.Row[lookup]{
		"AtRest": {
			Reason:  "With all references there, nothing is looked up.",
			Request: plantest.Request(xr, withRef, plantest.WithGroups(), plantest.WithObserved("deployment-frontend", livingDeployment())),
			Want:    lookup{Planned: true},
		},
		"Deleted": {
			Reason:  "What Crossplane refers to and does not observe is not there.",
			Request: plantest.Request(xr, withRef, plantest.WithGroups()),
			Want:    lookup{Planned: true},
		},
		"Lost": {
			Reason:  "A workload that the status names is looked up by its name, all others by the label of the graph.",
			Request: plantest.Request(xr, plantest.WithGroups()),
			Want:    lookup{Asked: lostOf()},
		},
		"FirstCall": {
			Reason:  "Kinds that every cluster serves are looked up together with the API groups, to save a call.",
			Request: plantest.Request(xr),
			Want:    lookup{Asked: lostOf()},
		},
		"Invalid": {
			Reason:  "An invalid graph is not refused before its lost objects are looked up, because a refusal would end the lookup.",
			Request: plantest.Request(xr, plantest.WithMistake("Frontend", "componentTyp", "frontend"), plantest.WithGroups()),
			Want:    lookup{Asked: lostOf()},
		},
		"Served": {
			Reason:  "Kinds of installed groups are looked up too, and no others.",
			Request: plantest.Request(xr, plantest.WithGroups("grove", "lws", "volcano"), plantest.WithServed("resource-nvidia")),
			Want:    lookup{Asked: lostOf("PodCliqueSet", "LeaderWorkerSet", "PodGroup", "ComputeDomain", "Usage")},
		},
		"Found": {
			Reason:  "A lost object that is found by name is in the plan, for the later steps.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithLost(map[string]any{"lost-deployment-llama-frontend": livingDeployment()})),
			Want:    lookup{Asked: lostOf(), Planned: true, Found: []graphplan.LostObject{found}},
		},
		"FoundByLabel": {
			Reason:  "A lost object that is found by label is in the plan as well.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithLost(map[string]any{"lost-deployment": livingDeployment()})),
			Want:    lookup{Asked: lostOf(), Planned: true, Found: []graphplan.LostObject{found}},
		},
		"Gone": {
			Reason:  "A graph of which nothing is left is planned as a new one, on the orchestrator that it had.",
			Request: plantest.Request(xr, plantest.WithGroups("grove"), plantest.WithLost(nil)),
			Want:    lookup{Asked: lostOf("PodCliqueSet"), Planned: true},
		},
		"OfAnotherGraph": {
			Reason: "An object with another controller is not the graph's.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithLost(map[string]any{
				"lost-deployment": living("apps/v1", "Deployment", "llama-frontend", "deployment-frontend", "u2"),
			})),
			Want: lookup{Asked: lostOf(), Planned: true},
		},
		"OfAnotherStep": {
			Reason:  "What another step of the Composition composes is for that step to look after.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithLost(map[string]any{"lost-configmap": living("v1", "ConfigMap", "settings", "settings", "u1")})),
			Want:    lookup{Asked: lostOf(), Planned: true},
		},
		"OlderCrossplane": {
			Reason:  "A caller that advertises no capabilities gets the requirements in the older field, and is not asked for schemas.",
			Request: plantest.Request(xr, plantest.WithGroups(), plantest.WithoutCapabilities()),
			Want:    lookup{Asked: lostOf()},
		},
	}, lookedUp)
}

// TestFindLost shows which objects are lost.
func TestFindLost(t *testing.T) {
	const set = "LeaderWorkerSet"
	withSetRef := plantest.WithReferences(plantest.ReferenceTo("leaderworkerset.x-k8s.io/v1", set, "llama-worker-0"))
	onSets := func(replicas int32, names ...string) plantest.GraphChange {
		return plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{
			Orchestrator: string(graphplan.LeaderWorkerSet),
			Services:     map[string]v1alpha1.ServiceStatus{"Worker": {ComponentKind: set, ComponentNames: names, Replicas: replicas}},
		})
	}
	refused := plantest.RunningOn("", metav1.Condition{Type: "Accepted", Status: metav1.ConditionFalse})
	onGrove := plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{
		Orchestrator: string(graphplan.Grove),
		Services: map[string]v1alpha1.ServiceStatus{"Worker": {
			ComponentKind: v1alpha1.ComponentKindPodCliqueScalingGroup, ComponentNames: []string{"llama-0-worker"},
		}},
	})
	toZero := plantest.Changed("Worker", plantest.WithReplicas(0))
	gang := map[string]any{"lost-podgroup": living("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-0", "podgroup-worker-0", "u1")}
	cases := map[string]struct {
		reason string
		graph  []plantest.GraphChange
		option plantest.RequestOption
		found  map[string]any
		want   []string
	}{
		"New":     {reason: "A graph without a status is new.", graph: []plantest.GraphChange{plantest.Multinode}, found: gang},
		"Refused": {reason: "A graph that has only been refused so far is new.", graph: []plantest.GraphChange{plantest.Multinode, refused}, found: gang},
		"OnGrove": {
			reason: "On Grove the status names what Grove makes, and the set has the name of the graph.",
			graph:  []plantest.GraphChange{plantest.Multinode, onGrove},
			found:  map[string]any{"lost-podcliqueset-llama": living("grove.io/v1alpha1", "PodCliqueSet", "llama", "podcliqueset", "u1")},
			want:   []string{"podcliqueset"},
		},
		"Replicas": {
			reason: "Everything that belongs to a lost replica is found with it.",
			graph:  []plantest.GraphChange{plantest.Multinode, onSets(2, "llama-worker-0", "llama-worker-1")},
			option: withSetRef,
			found: map[string]any{
				"lost-leaderworkerset-llama-worker-1": living("leaderworkerset.x-k8s.io/v1", set, "llama-worker-1", "leaderworkerset-worker-1", "u1"),
				"lost-podgroup":                       living("scheduling.volcano.sh/v1beta1", "PodGroup", "llama-worker-1", "podgroup-worker-1", "u1"),
			},
			want: []string{"leaderworkerset-worker-1", "podgroup-worker-1"},
		},
		"RemovedService": {
			reason: "A service that the spec does not have any more is lost like any other.",
			graph:  []plantest.GraphChange{plantest.Frontend, onSets(1, "llama-worker-0")},
			found:  gang,
			want:   []string{"podgroup-worker-0"},
		},
		"ScaledToNone": {
			reason: "The status of a service without replicas names the first one to come, which is not lost.",
			graph:  []plantest.GraphChange{plantest.Multinode, toZero, onSets(0, "llama-worker-0")},
			found:  gang,
		},
		"ScaledToNoneInTheReplace": {
			reason: "Replicas that run are lost though the spec wants none any more.",
			graph:  []plantest.GraphChange{plantest.Multinode, toZero, onSets(1, "llama-worker-0")},
			found:  gang,
			want:   []string{"podgroup-worker-0"},
		},
		"NoNamespace": {
			reason: "Without a namespace nothing can be looked up.",
			graph:  []plantest.GraphChange{plantest.Frontend, deployedStatus(), func(xr *v1alpha1.DynamoGraphDeployment) { xr.Namespace = "" }},
			found:  gang,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.Graph(tc.graph...), plantest.WithLost(tc.found))
			if tc.option != nil {
				tc.option(req)
			}
			g, _ := graph.Decode(req)
			state, err := observed.Of(req)
			if err != nil {
				t.Fatal(err)
			}
			seen := &subject.Seen{
				Graph: g, Input: &inputv1alpha1.Input{}, Observed: state, Memory: memory.Of(state, g),
				Cluster: subject.Cluster{Grove: true, LWS: true, Volcano: true}, Answers: require.AnswersIn(req),
			}
			found, _ := recovery.Find(req, seen)
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(found))); diff != "" {
				t.Errorf("%s\nFind(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFindSecret shows that the Secret of a graph is taken for observed too, and looked up only when others are.
func TestFindSecret(t *testing.T) {
	secret := living("v1", "Secret", "mpirun-ssh-key-llama", "ssh-secret", "u1")
	req := plantest.Request(plantest.Graph(plantest.Frontend), plantest.WithObject("lost-secret-mpirun-ssh-key-llama", secret))
	g, _ := graph.Decode(req)
	cases := map[string]struct {
		reason string
		found  lost.Objects
		secret string
		want   []string
		asked  bool
	}{
		"Lost":    {reason: "The Secret of a graph is lost when other objects are lost.", found: lost.Objects{}, secret: "mpirun-ssh-key-llama", want: []string{"ssh-secret"}, asked: true},
		"AtRest":  {reason: "The Secret of a graph is not looked up while nothing is lost.", secret: "mpirun-ssh-key-llama"},
		"Without": {reason: "No Secret is looked up for a graph that has none, because Crossplane would cache all Secrets of the cluster.", found: lost.Objects{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := &subject.Facts{Seen: &subject.Seen{Graph: g, Answers: require.AnswersIn(req)}}
			got, outcome := recovery.FindSecret(req, f, tc.found, tc.secret)
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(got))); diff != "" {
				t.Errorf("%s\nFindSecret(...): -want, +got:\n%s", tc.reason, diff)
			}
			if asked := len(outcome.Requirements) > 0; asked != tc.asked {
				t.Errorf("%s\nFindSecret(...): want asked %t, got %t", tc.reason, tc.asked, asked)
			}
		})
	}
}
