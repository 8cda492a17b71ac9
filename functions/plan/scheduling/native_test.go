package scheduling_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	schedulingv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/scheduling/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

// byKubernetes is the input of a platform that wants gangs of Kubernetes.
func byKubernetes() plantest.RequestOption {
	return plantest.WithInput(inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderKubernetes}})
}

// withoutSchemas is a caller that looks up no schemas.
func withoutSchemas(req *fnv1.RunFunctionRequest) {
	req.Meta.Capabilities, req.RequiredSchemas = req.GetMeta().GetCapabilities()[:3], nil
}

// stable are gangs of Kubernetes in v1 of their API.
func stable() graphplan.Gang {
	gang := steptest.ByKubernetes()
	gang.APIVersion = schedulingv1beta1.Stable
	return gang
}

// withPriority is a class of the pods of a component.
func withPriority(class string) plantest.ComponentChange {
	return func(s *v1alpha1.Service) { s.ExtraPodSpec.PriorityClassName = class }
}

// TestNativeGang shows when Kubernetes itself schedules the pods of new LeaderWorkerSets.
func TestNativeGang(t *testing.T) {
	xr := plantest.Graph(plantest.Multinode)
	compare(t, map[string]schedulingCase{
		"NothingElse": {
			reason: "Where neither Volcano nor KAI is installed, the gangs of Kubernetes are looked up and taken. They have no queue.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "scheduling")),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"NotLookedUp": {
			reason: "While it is not known whether Kubernetes serves gangs, a graph is neither planned nor refused.",
			req:    plantest.Request(xr, plantest.WithGroups("lws")),
			want:   scheduled{Asked: []string{gangsOfKubernetes}},
		},
		"VolcanoFirst": {
			reason: "Volcano has queues, and is taken where it is installed, without another look.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano", "scheduling"), plantest.WithVolcanoQueue("Open")),
			want:   scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"Platform": {
			reason: "A platform may prefer the gangs of Kubernetes to Volcano and KAI.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano", "kai", "scheduling"), byKubernetes()),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"PlatformUnserved": {
			reason: "A platform that asks for what its cluster does not serve is told so; Volcano is not what it asked for.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling"), byKubernetes()),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"Stable": {
			reason: "The API that Kubernetes promises to keep is preferred.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "scheduling"), plantest.WithSchemaOf("schema-podgroup-v1", true)),
			want:   scheduled{Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"StableAlone": {
			reason: "A cluster that serves v1 alone has gangs.",
			req:    plantest.Request(xr, plantest.WithGroups("lws"), plantest.WithSchemaOf("schema-podgroup-v1", true)),
			want:   scheduled{Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"StableUnknown": {
			reason: "Every cluster serves v1 of the group, so a caller that looks up no schemas does not know of gangs.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "scheduling-v1"), withoutSchemas, plantest.WithoutObject("apiservice-scheduling")),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"StableByPlatform": {
			reason: "To such a caller, the platform tells.",
			req:    plantest.Request(xr, plantest.WithGroups("lws", "scheduling-v1"), withoutSchemas, plantest.WithoutObject("apiservice-scheduling"), byKubernetes()),
			want:   scheduled{Asked: []string{gangsOfKubernetes, "apiservice-scheduling-v1 v1.scheduling.k8s.io"}, Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"OwnGroup": {
			reason: "Pods are in one PodGroup.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", func(s *v1alpha1.Service) {
				s.ExtraPodSpec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("mine")}
			})), plantest.WithGroups("lws", "scheduling")),
			want: scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.Mistake, rule.Queues, "spec.components[Worker].podTemplate.spec.schedulingGroup")},
		},
		"Queue": {
			reason: "A queue of Volcano is not ignored silently.",
			req:    plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "scheduling")),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Warned(rule.Queues, "metadata.annotations[scheduling.volcano.sh/queue-name]"), Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
	})
}

// TestNativeGangIsSticky shows that gangs of Kubernetes stay what they are, and that no others become gangs of Kubernetes.
func TestNativeGangIsSticky(t *testing.T) {
	live := func(set *lwsv1.LeaderWorkerSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(plantest.Graph(plantest.Multinode), append(more, plantest.WithObserved("leaderworkerset-worker-0", set))...)
	}
	compare(t, map[string]schedulingCase{
		"VolcanoCameLater": {
			reason: "Volcano that is installed later does not take over a graph.",
			req:    live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "volcano", "scheduling")),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"VolcanoEnabled": {
			reason: "Volcano that the platform enables does not take over a graph either.",
			req:    live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "scheduling"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeEnabled}})),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"KAIKept": {
			reason: "A graph on KAI does not move to the gangs of Kubernetes.",
			req:    live(plantest.SetOfKAI(), plantest.WithGroups("lws", "kai", "scheduling"), plantest.WithKAIQueue(), byKubernetes()),
			want:   scheduled{Asked: []string{gangsOfKubernetes, "kai-queue dynamo"}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
		"VolcanoKept": {
			reason: "A graph on Volcano does not move to the gangs of Kubernetes either.",
			req:    live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano", "scheduling"), plantest.WithVolcanoQueue("Open"), byKubernetes()),
			want:   scheduled{Asked: []string{gangsOfKubernetes, "volcano-queue default"}, Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"VersionKept": {
			reason: "A PodGroup stays in its version of the API while the cluster serves it.",
			req: live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "scheduling"), plantest.WithSchemaOf("schema-podgroup-v1", true),
				plantest.WithObserved("schedulinggroup-worker-0", plantest.NativeGroup(""))),
			want: scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"StableKept": {
			reason: "A PodGroup shows that its version is served, so nothing is looked up.",
			req: live(plantest.SetOfKubernetes(), plantest.WithGroups("lws"), plantest.WithObserved("schedulinggroup-worker-0", func() any {
				group := plantest.NativeGroup("")
				group.APIVersion = schedulingv1beta1.Stable
				return group
			}()), func(req *fnv1.RunFunctionRequest) { req.RequiredSchemas = nil }),
			want: scheduled{Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"Gone": {
			reason: "While the API of its gangs is not served, nothing of a graph changes.",
			req:    live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling")),
			want:   scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"OnlyReferenced": {
			reason: "A reference to a PodGroup shows who makes the gangs.",
			req: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithReferences(plantest.ReferenceTo(schedulingv1beta1.APIVersion, "PodGroup", "llama-worker-0")),
				plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling"), plantest.WithObserved("leaderworkerset-worker-0", setOfUser())),
			want: scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"Priority": {
			reason: "Pods of another priority are another gang, so their priority changes.",
			req: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", withPriority("other"))), plantest.WithGroups("lws", "volcano", "scheduling"),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKubernetes()), plantest.WithObserved("schedulinggroup-worker-0", plantest.NativeGroup(""))),
			want: scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
	})
}
