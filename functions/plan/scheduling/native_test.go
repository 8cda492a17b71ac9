package scheduling_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
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
	compare(t, map[string]whole.Row[scheduled]{
		"NothingElse": {
			Reason:  "Where neither Volcano nor KAI is installed, the gangs of Kubernetes are looked up and taken. They have no queue.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "scheduling")),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"NotLookedUp": {
			Reason:  "While it is not known whether Kubernetes serves gangs, a graph is neither planned nor refused.",
			Request: plantest.Request(xr, plantest.WithGroups("lws")),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}},
		},
		"VolcanoFirst": {
			Reason:  "Volcano has queues, and is taken where it is installed, without another look.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano", "scheduling"), plantest.WithVolcanoQueue("Open")),
			Want:    scheduled{Asked: []string{"volcano-queue default"}, Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"Platform": {
			Reason:  "A platform may prefer the gangs of Kubernetes to Volcano and KAI.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano", "kai", "scheduling"), byKubernetes()),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"PlatformUnserved": {
			Reason:  "A platform that asks for what its cluster does not serve is told so; Volcano is not what it asked for.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling"), byKubernetes()),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"Stable": {
			Reason:  "The API that Kubernetes promises to keep is preferred.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "scheduling"), plantest.WithSchemaOf("schema-podgroup-v1", true)),
			Want:    scheduled{Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"StableAlone": {
			Reason:  "A cluster that serves v1 alone has gangs.",
			Request: plantest.Request(xr, plantest.WithGroups("lws"), plantest.WithSchemaOf("schema-podgroup-v1", true)),
			Want:    scheduled{Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"StableUnknown": {
			Reason:  "Every cluster serves v1 of the group, so a caller that looks up no schemas does not know of gangs.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "scheduling-v1"), withoutSchemas, plantest.WithoutObject("apiservice-scheduling")),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"StableByPlatform": {
			Reason:  "To such a caller, the platform tells.",
			Request: plantest.Request(xr, plantest.WithGroups("lws", "scheduling-v1"), withoutSchemas, plantest.WithoutObject("apiservice-scheduling"), byKubernetes()),
			Want:    scheduled{Asked: []string{gangsOfKubernetes, "apiservice-scheduling-v1 v1.scheduling.k8s.io"}, Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"OwnGroup": {
			Reason: "Pods are in one PodGroup.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", func(s *v1alpha1.Service) {
				s.ExtraPodSpec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: new("mine")}
			})), plantest.WithGroups("lws", "scheduling")),
			Want: scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.Mistake, rule.Queues, "spec.components[Worker].podTemplate.spec.schedulingGroup")},
		},
		"Queue": {
			Reason:  "A queue of Volcano is not ignored silently.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Annotated("scheduling.volcano.sh/queue-name", "team-a")), plantest.WithGroups("lws", "scheduling")),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Warned(rule.Queues, "metadata.annotations[scheduling.volcano.sh/queue-name]"), Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
	})
}

// TestNativeGangIsSticky shows that gangs of Kubernetes stay what they are, and that no others become gangs of Kubernetes.
func TestNativeGangIsSticky(t *testing.T) {
	live := func(set *lwsv1.LeaderWorkerSet, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		return plantest.Request(plantest.Graph(plantest.Multinode), append(more, plantest.WithObserved("leaderworkerset-worker-0", set))...)
	}
	compare(t, map[string]whole.Row[scheduled]{
		"VolcanoCameLater": {
			Reason:  "Volcano that is installed later does not take over a graph.",
			Request: live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "volcano", "scheduling")),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"VolcanoEnabled": {
			Reason:  "Volcano that the platform enables does not take over a graph either.",
			Request: live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "scheduling"), plantest.WithInput(inputv1alpha1.Policy{Volcano: inputv1alpha1.Volcano{Mode: inputv1alpha1.ModeEnabled}})),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"KAIKept": {
			Reason:  "A graph on KAI does not move to the gangs of Kubernetes.",
			Request: live(plantest.SetOfKAI(), plantest.WithGroups("lws", "kai", "scheduling"), plantest.WithKAIQueue(), byKubernetes()),
			Want:    scheduled{Asked: []string{gangsOfKubernetes, "kai-queue dynamo"}, Said: plantest.Warned(rule.Scheduling, ""), Queue: condition.ReasonQueueFound, By: steptest.ByKAI()},
		},
		"VolcanoKept": {
			Reason:  "A graph on Volcano does not move to the gangs of Kubernetes either.",
			Request: live(plantest.SetOfVolcano(), plantest.WithGroups("lws", "volcano", "scheduling"), plantest.WithVolcanoQueue("Open"), byKubernetes()),
			Want:    scheduled{Asked: []string{gangsOfKubernetes, "volcano-queue default"}, Said: plantest.Warned(rule.Queues, ""), Queue: condition.ReasonQueueFound, By: in("default", steptest.ByPodGroup())},
		},
		"VersionKept": {
			Reason: "A PodGroup stays in its version of the API while the cluster serves it.",
			Request: live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "scheduling"), plantest.WithSchemaOf("schema-podgroup-v1", true),
				plantest.WithObserved("schedulinggroup-worker-0", plantest.NativeGroup(""))),
			Want: scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
		"StableKept": {
			Reason: "A PodGroup shows that its version is served, so nothing is looked up.",
			Request: live(plantest.SetOfKubernetes(), plantest.WithGroups("lws"), plantest.WithObserved("schedulinggroup-worker-0", func() any {
				group := plantest.NativeGroup("")
				group.APIVersion = schedulingv1beta1.Stable
				return group
			}()), func(req *fnv1.RunFunctionRequest) { req.RequiredSchemas = nil }),
			Want: scheduled{Queue: condition.ReasonQueueNotNeeded, By: stable()},
		},
		"Gone": {
			Reason:  "While the API of its gangs is not served, nothing of a graph changes.",
			Request: live(plantest.SetOfKubernetes(), plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling")),
			Want:    scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"OnlyReferenced": {
			Reason: "A reference to a PodGroup shows who makes the gangs.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode), plantest.WithReferences(plantest.ReferenceTo(schedulingv1beta1.APIVersion, "PodGroup", "llama-worker-0")),
				plantest.WithGroups("lws", "volcano"), plantest.WithoutObject("apiservice-scheduling"), plantest.WithObserved("leaderworkerset-worker-0", setOfUser())),
			Want: scheduled{Asked: []string{gangsOfKubernetes}, Said: plantest.Refused(subject.NotSupported, rule.NotSupportedHere, "")},
		},
		"Priority": {
			Reason: "Pods of another priority are another gang, so their priority changes.",
			Request: plantest.Request(plantest.Graph(plantest.Multinode, plantest.Changed("Worker", withPriority("other"))), plantest.WithGroups("lws", "volcano", "scheduling"),
				plantest.WithObserved("leaderworkerset-worker-0", plantest.SetOfKubernetes()), plantest.WithObserved("schedulinggroup-worker-0", plantest.NativeGroup(""))),
			Want: scheduled{Asked: []string{gangsOfKubernetes}, Queue: condition.ReasonQueueNotNeeded, By: steptest.ByKubernetes()},
		},
	})
}
