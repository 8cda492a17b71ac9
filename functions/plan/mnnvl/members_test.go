package mnnvl_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestGPUContainers shows where GPUs are seen.
func TestGPUContainers(t *testing.T) {
	const custom = "example.com/gpu"
	four := resource.MustParse("4")
	with := func(change func(*corev1.PodSpec)) *v1alpha1.Service {
		return singleNode(func(s *v1alpha1.Service) { change(&s.ExtraPodSpec.PodSpec) })
	}
	memberOf := func(gpus ...string) outcome {
		return saying("disabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph, Members: map[string]graphplan.MNNVLMember{"Worker": {GPUs: gpus}}}))
	}
	cases := map[string]struct {
		reason string
		worker *v1alpha1.Service
		// otherwise says that resources of v1beta1 name no type of GPUs.
		otherwise bool
		want      outcome
	}{
		"Short": {reason: "GPUs are recognized in the short form of resources.", worker: singleNode(plantest.WithGPUs("4")), want: memberOf("nvidia.com/gpu")},
		"Custom": {
			reason: "GPUs are recognized among custom resources.",
			worker: singleNode(limited(v1alpha1.ResourceList{Custom: map[string]resource.Quantity{"nvidia.com/gpu": four}})), want: memberOf("nvidia.com/gpu"),
		},
		"Type": {reason: "GPUs of another type are recognized in limits.", worker: singleNode(requestingOther), otherwise: true, want: memberOf(custom, "nvidia.com/gpu")},
		"Types": {
			reason: "GPUs of another type are recognized in requests and limits.",
			worker: singleNode(requestingOther, func(s *v1alpha1.Service) { s.Resources.Requests = s.Resources.Limits }), otherwise: true, want: memberOf(custom, "nvidia.com/gpu"),
		},
		"Container": {
			reason: "GPUs are recognized in the resources of the main container.",
			worker: singleNode(func(s *v1alpha1.Service) { s.ExtraPodSpec.MainContainer.Resources = container("main", "4").Resources }), want: memberOf("nvidia.com/gpu"),
		},
		"Sidecar": {
			reason: "GPUs are recognized in the resources of a sidecar.",
			worker: with(func(p *corev1.PodSpec) { p.Containers = []corev1.Container{container("side", "4")} }), want: memberOf("nvidia.com/gpu"),
		},
		"Init": {
			reason: "GPUs are recognized in the resources of an init container.",
			worker: with(func(p *corev1.PodSpec) { p.InitContainers = []corev1.Container{container("warm", "4")} }), want: memberOf("nvidia.com/gpu"),
		},
		"OfNoType": {
			reason: "An extended resource of another name is no GPU.",
			worker: singleNode(limited(v1alpha1.ResourceList{Custom: map[string]resource.Quantity{custom: four}})), want: plain(graphplan.MNNVL{}),
		},
		"Zero": {reason: "A limit of zero GPUs counts as none.", worker: singleNode(plantest.WithGPUs("0")), want: plain(graphplan.MNNVL{})},
		"None": {reason: "A service without resources has no GPUs.", worker: singleNode(), want: plain(graphplan.MNNVL{})},
		"Together": {
			reason: "The GPUs of the containers of a pod add up.",
			worker: singleNode(plantest.WithGPUs("2"), func(s *v1alpha1.Service) {
				proxy := container("proxy", "1")
				proxy.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
				s.ExtraPodSpec.Containers = []corev1.Container{container("side", "1")}
				s.ExtraPodSpec.InitContainers = []corev1.Container{proxy, container("warm", "1")}
			}),
			want: memberOf("nvidia.com/gpu"),
		},
	}
	all := map[string]mnnvlCase{}
	for name, tc := range cases {
		all[name] = mnnvlCase{reason: tc.reason, input: autoMode(), worker: tc.worker, otherwise: tc.otherwise, want: tc.want}
	}
	compare(t, all)
}

// TestOwnClaims shows what becomes of pods that claim something already.
func TestOwnClaims(t *testing.T) {
	own := func(claim string) *v1alpha1.Service { return gpuWorker(claiming(claim, "mine")) }
	off, graph := graphplan.MNNVL{}, autoOf(graphplan.ScopeGraph)
	compare(t, map[string]mnnvlCase{
		"Kept":         {reason: "Pods with a claim of their own get no claim of the domain, because a second one would wait forever.", input: autoMode(), worker: own("channel"), want: warned(off, "spec.components[Worker].podTemplate.spec.resourceClaims")},
		"KeptOfGraph":  {reason: "Only the service, and not the graph, can say that its claims are for other devices.", input: autoMode(), graph: "enabled", worker: own("channel"), want: warned(off, onGraph, "spec.components[Worker].podTemplate.spec.resourceClaims")},
		"OtherDevices": {reason: "A service takes part when the user says that its claims are for other devices.", input: autoMode(), component: "enabled", worker: own("nic"), want: saying("disabled", plain(graph))},
		"OptedOut":     {reason: "A service that opts out is not warned about its claims.", input: autoMode(), component: "disabled", worker: own("channel"), want: plain(off)},
		"OfTheSameName": {
			reason: "Two claims of a pod cannot have one name.", input: autoMode(), component: "enabled", worker: own("mnnvl-claim"),
			want: invalid("spec.components[Worker].podTemplate.spec.resourceClaims[0].name"),
		},
		"SameNameKept": {reason: "A claim may be named mnnvl-claim when the pods get no claim of the domain.", input: autoMode(), worker: own("mnnvl-claim"), want: warned(off, "spec.components[Worker].podTemplate.spec.resourceClaims")},
		"NoGPUs":       {reason: "Claims of a service without GPUs are of no concern.", input: autoMode(), worker: noGPUWorker(claiming("nic", "mine")), want: plain(off)},
		"ReplicaOfOneNode": {
			reason: "In scope Replica a service of one node cannot take part.", on: graphplan.LeaderWorkerSet, input: byReplica(),
			others: map[string]*v1alpha1.Service{"Aggregated": singleWorker(plantest.WithAnnotation("grove.io/auto-mnnvl", "enabled"))},
			want:   warned(autoOf(graphplan.ScopeReplica), "spec.components[Aggregated].annotations[grove.io/auto-mnnvl]"),
		},
		"Two": {
			reason: "Services take part one by one.", input: autoMode(), component: "disabled", worker: gpuWorker(), others: map[string]*v1alpha1.Service{"Decode": singleWorker()},
			want: saying("disabled", plain(graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: graphplan.ScopeGraph, Members: map[string]graphplan.MNNVLMember{"Decode": {GPUs: []string{"nvidia.com/gpu"}}}})),
		},
	})
}
