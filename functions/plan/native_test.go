package plan_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
)

// setOfKubernetes names the PodGroup of the first replica.
func setOfKubernetes(changes ...plantest.SetChange) *lwsv1.LeaderWorkerSet {
	return plantest.SetOn("", "llama-worker-0", append([]plantest.SetChange{func(set *lwsv1.LeaderWorkerSet) {
		set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("llama-worker-0")}
	}}, changes...)...)
}

// nativeGroup is the PodGroup of the first replica, packed by a label unless it is empty.
func nativeGroup(key string) *schedulingv1beta1.PodGroup {
	group := &schedulingv1beta1.PodGroup{
		TypeMeta:   metav1.TypeMeta{APIVersion: schedulingv1beta1.APIVersion, Kind: schedulingv1beta1.Kind},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-0"},
		Spec: schedulingv1beta1.Spec{
			SchedulingPolicy: schedulingv1beta1.SchedulingPolicy{Gang: &schedulingv1beta1.Gang{MinCount: 2}}, PriorityClassName: "important",
		},
	}
	if key != "" {
		group.Spec.SchedulingConstraints = &schedulingv1beta1.SchedulingConstraints{Topology: []schedulingv1beta1.TopologyConstraint{{Key: key}}}
	}
	return group
}

// asksForGangs looks up whether Kubernetes serves gangs.
func asksForGangs() responseOption {
	return asksFor("apiservice-scheduling", "apiregistration.k8s.io/v1", "APIService", "v1beta1.scheduling.k8s.io")
}

// byKubernetes is the input of a platform that wants gangs of Kubernetes.
func byKubernetes() plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderKubernetes}})
}

// withPriority is a class of the pods of a service.
func withPriority(class string) plantest.ServiceChange {
	return func(s *v1alpha1.Service) { s.ExtraPodSpec.PriorityClassName = class }
}

// TestNativeGang shows when Kubernetes itself schedules the pods of new LeaderWorkerSets.
func TestNativeGang(t *testing.T) {
	const (
		unserved = "services Worker span several nodes, and lws.gangProvider is Kubernetes in the input of step plan, but the cluster does not serve PodGroups of scheduling.k8s.io/v1beta1; " +
			"let the platform turn on feature gate GenericWorkload and this API in Kubernetes 1.37 or later, or remove the setting"
		grouped = "spec.services[Worker].extraPodSpec.schedulingGroup: Forbidden: may not be set, because each replica of the service gets a PodGroup of its own; remove it"
		queued  = "metadata.annotations[scheduling.volcano.sh/queue-name]: has no effect, because the scheduler of Kubernetes, which has no queues, makes the gangs; remove the annotation"
	)
	xr := plantest.Graph(plantest.Multinode)
	native := conditioned("OrchestratorSelected", isTrue, "Selected",
		"LeaderWorkerSet runs the graph: Grove is not installed, LeaderWorkerSet is installed, and Kubernetes schedules gangs")
	compare(t, map[string]responseCase{
		"NothingElse": {
			reason: "Where neither Volcano nor KAI is installed, the gangs of Kubernetes are looked up and taken. They have no queue.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "scheduling")),
			want:   want(asksForGroups(), asksForGangs(), accepted(), native, noQueue(), gangPlan(steptest.ByKubernetes())),
		},
		"NotLookedUp": {
			reason: "While it is not known whether Kubernetes serves gangs, a graph is neither planned nor refused.",
			req:    plantest.Request(xr, plantest.WithGroups("lws")),
			want:   want(asksForGroups(), asksForGangs()),
		},
		"VolcanoFirst": {
			reason: "Volcano has queues, and is taken where it is installed, without another look.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano", "scheduling"), plantest.WithVolcanoQueue("Open")),
			want:   want(asksForGroups(), asksForVolcanoQueue("default"), accepted(), onLWS(), volcanoQueueFound("default"), gangPlan(byPodGroup())),
		},
		"Platform": {
			reason: "A platform may prefer the gangs of Kubernetes to Volcano and KAI.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano", "kai", "scheduling"), byKubernetes()),
			want:   want(asksForGroups(), asksForGangs(), accepted(), onLWS(), noQueue(), gangPlan(steptest.ByKubernetes())),
		},
		"PlatformUnserved": {
			reason: "A platform that asks for what its cluster does not serve is told so; Volcano is not what it asked for.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling"), byKubernetes()),
			want:   want(asksForGroups(), asksForGangs(), refusal("NotSupportedHere", unserved), conditioned("OrchestratorSelected", isFalse, "NoOrchestrator", unserved)),
		},
		"OwnGroup": {
			reason: "Pods are in one PodGroup.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", func(s *v1alpha1.Service) {
				s.ExtraPodSpec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("mine")}
			})), plantest.WithGroups("lws", "scheduling")),
			want: want(asksForGroups(), asksForGangs(), refusal("Invalid", grouped)),
		},
		"Queue": {
			reason: "A queue of Volcano is not ignored silently.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "scheduling")),
			want:   want(asksForGroups(), asksForGangs(), acceptedWith(queued), native, noQueue(), gangPlan(steptest.ByKubernetes()), warningResult(queued)),
		},
	})
}

// TestNativeGangIsSticky shows that gangs of Kubernetes stay what they are, and that no others become gangs of Kubernetes.
func TestNativeGangIsSticky(t *testing.T) {
	const (
		gone = "the graph runs on LeaderWorkerSet, but API group scheduling.k8s.io/v1beta1 is no longer served by the cluster; " +
			"nothing is changed until it is served again; to move the graph to another orchestrator, delete and recreate it"
		keepsKAI     = "lws.gangProvider is Kubernetes in the input of step plan, which does not affect running graphs: this graph keeps kai-scheduler; to change it, delete and recreate the graph"
		keepsGroups  = "lws.gangProvider is Kubernetes in the input of step plan, which does not affect running graphs: this graph keeps PodGroup; to change it, delete and recreate the graph"
		keepsNative  = "volcano.mode is Enabled in the input of step plan, which does not affect running graphs: this graph keeps default-scheduler; to change it, delete and recreate the graph"
		keepPriority = "spec.services[Worker].extraPodSpec.priorityClassName: the PodGroups of replicas that exist keep their priority, which Kubernetes does not let change; scale the service to 0 and up again"
	)
	live := func(set *lwsv1.LeaderWorkerSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(plantest.Graph(plantest.Multinode), append(more, plantest.WithObserved("leaderworkerset-worker-0", set))...)
	}
	compare(t, map[string]responseCase{
		"VolcanoCameLater": {
			reason: "Volcano that is installed later does not take over a graph.",
			req:    live(setOfKubernetes(), plantest.WithGroups("lws", "volcano", "scheduling")),
			want:   want(asksForGroups(), asksForGangs(), accepted(), onLWS(), noQueue(), gangPlan(steptest.ByKubernetes())),
		},
		"VolcanoEnabled": {
			reason: "Volcano that the platform enables does not take over a graph either.",
			req:    live(setOfKubernetes(), plantest.WithGroups("lws", "scheduling"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeEnabled}})),
			want: want(asksForGroups(), asksForGangs(), func(rsp *fnv1.RunFunctionResponse) {
				delete(rsp.GetRequirements().GetResources(), "apiservice-volcano")
			},
				acceptedWith(keepsNative), onLWS(), noQueue(), gangPlan(steptest.ByKubernetes()), warningResult(keepsNative)),
		},
		"KAIKept": {
			reason: "A graph on KAI does not move to the gangs of Kubernetes.",
			req:    live(plantest.SetOfKAI(), plantest.WithGroups("lws", "kai", "scheduling"), plantest.WithKAIQueue(), byKubernetes()),
			want: want(asksForGroups(), asksForQueue("dynamo"), asksForGangs(), acceptedWith(keepsKAI), onLWS(), queueFound(),
				gangPlan(steptest.ByKAI()), warningResult(keepsKAI)),
		},
		"VolcanoKept": {
			reason: "A graph on Volcano does not move to the gangs of Kubernetes either.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano", "scheduling"), plantest.WithVolcanoQueue("Open"), byKubernetes()),
			want: want(asksForGroups(), asksForVolcanoQueue("default"), asksForGangs(), acceptedWith(keepsGroups), onLWS(), volcanoQueueFound("default"),
				gangPlan(byPodGroup()), warningResult(keepsGroups)),
		},
		"Gone": {
			reason: "While the API of its gangs is not served, nothing of a graph changes.",
			req:    live(setOfKubernetes(), plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling")),
			want: want(asksForGroups(), asksForGangs(), refusal("NotSupportedHere", gone), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", gone),
				unserved("API group scheduling.k8s.io/v1beta1: is not served by the cluster; LeaderWorkerSet llama-worker-0: 0 of 1 groups have pods")),
		},
		"OnlyReferenced": {
			reason: "A reference to a PodGroup shows who makes the gangs.",
			req: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithReferences(plantest.ReferenceTo(schedulingv1beta1.APIVersion, "PodGroup", "llama-worker-0")),
				plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling"), plantest.WithObserved("leaderworkerset-worker-0", setOfUser())),
			want: want(asksForGroups(), asksForGangs(), refusal("NotSupportedHere", gone), conditioned("OrchestratorSelected", isFalse, "OrchestratorGone", gone),
				unserved("API group scheduling.k8s.io/v1beta1: is not served by the cluster; LeaderWorkerSet llama-worker-0: 0 of 1 groups have pods; PodGroup llama-worker-0: does not exist")),
		},
		"Priority": {
			reason: "Kubernetes does not let the priority of a PodGroup change.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", withPriority("other"))), plantest.WithGroups("lws", "volcano", "scheduling"),
				plantest.WithObserved("leaderworkerset-worker-0", setOfKubernetes()), plantest.WithObserved("schedulinggroup-worker-0", nativeGroup(""))),
			want: want(asksForGroups(), asksForGangs(), acceptedWith(keepPriority), onLWS(), noQueue(), gangPlan(steptest.ByKubernetes()), warningResult(keepPriority)),
		},
	})
}

// TestNativePlacements shows what Kubernetes is told of a domain.
func TestNativePlacements(t *testing.T) {
	const noPreference = "metadata.annotations[nvidia.com/topology-preferred-domain]: has no effect, because the scheduler of Kubernetes packs gangs by required domains only; remove the annotation"
	racked := graphplan.Placement{Domain: "rack", RequiredLabel: "example.org/rack"}
	onKubernetes := func(xr *v1alpha1.DynamoGraphDeployment, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(xr, append([]plantest.RequestOption{
			plantest.WithGroups("lws", "scheduling"), plantest.WithInput(inputv1alpha1.Policy{Topology: threeLevels("my-topology")}),
		}, more...)...)
	}
	onRack := plantest.Graph(placed("", "rack", ""))
	compareTopologies(t, map[string]topologyCase{
		"Required": {
			reason: "A PodGroup has the node label of the level.",
			req:    onKubernetes(onRack), want: topologyDecision{Topology: placedBy(racked)},
		},
		"Kept": {
			reason: "What a PodGroup was created with is kept although the level has another label now.",
			req: onKubernetes(onRack, plantest.WithObserved("leaderworkerset-worker-0", setOfKubernetes(markedWith("rack"))),
				plantest.WithObserved("schedulinggroup-worker-0", nativeGroup("example.org/old"))),
			want: topologyDecision{Topology: placedBy(graphplan.Placement{Domain: "rack", RequiredLabel: "example.org/old"})},
		},
		"Dropped": {
			reason: "A constraint that the API server has dropped is still what the graph asks for.",
			req: onKubernetes(onRack, plantest.WithObserved("leaderworkerset-worker-0", setOfKubernetes(markedWith("rack"))),
				plantest.WithObserved("schedulinggroup-worker-0", nativeGroup(""))),
			want: topologyDecision{Topology: placedBy(racked)},
		},
		"PreferredLater": {
			reason: "A live graph with a preferred domain is warned.",
			req: onKubernetes(preferring(placed("", "rack", ""), "host", ""), plantest.WithObserved("leaderworkerset-worker-0", setOfKubernetes(markedWith("rack"))),
				plantest.WithObserved("schedulinggroup-worker-0", nativeGroup("example.org/rack"))),
			want: topologyDecision{Topology: placedBy(racked), Accepted: []string{noPreference}},
		},
	})
	t.Run("Preferred", func(t *testing.T) {
		const want = `metadata.annotations[nvidia.com/topology-preferred-domain]: Invalid value: "rack": the scheduler of Kubernetes packs gangs by one required domain and knows no preferred ones; ` +
			"remove the annotation, require the domain instead, or run the graph with KAI or Volcano"
		rsp := run(t, onKubernetes(preferring(placed("", "", ""), "rack", "")))
		if results := rsp.GetResults(); len(results) == 0 || !strings.Contains(results[0].GetMessage(), want) {
			t.Errorf("A new graph that prefers a domain: want %q, got %v", want, results)
		}
	})
}
