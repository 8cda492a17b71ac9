package immutable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/immutable"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/scaling/gang"
)

// placedWorker spans two nodes, and says a lot about where its pods can run.
func placedWorker(s *v1alpha1.Service) {
	s.Multinode = &v1alpha1.Multinode{NodeCount: 2}
	s.Resources = &v1alpha1.Resources{Requests: amounts("4", "8", ""), Limits: amounts("", "8", "")}
	pod := podOf(s)
	pod.NodeSelector = map[string]string{"pool": "a", "zone": "z"}
	pod.Tolerations = []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}
	pod.Containers = []corev1.Container{{Name: "proxy", Image: "proxy", Ports: []corev1.ContainerPort{{Name: "metrics", ContainerPort: 9000}}}}
}

// amounts of what is not empty.
func amounts(cpu, gpu, memory string) *v1alpha1.ResourceList {
	amount := func(text string) *resource.Quantity {
		if text == "" {
			return nil
		}
		return new(resource.MustParse(text))
	}
	return &v1alpha1.ResourceList{CPU: amount(cpu), GPU: amount(gpu), Memory: amount(memory)}
}

// podOf a component, which gets one if it has none.
func podOf(s *v1alpha1.Service) *v1alpha1.ExtraPodSpec {
	if s.ExtraPodSpec == nil {
		s.ExtraPodSpec = &v1alpha1.ExtraPodSpec{}
	}
	return s.ExtraPodSpec
}

// TestUnderKueue changes one thing at a time of a component whose pods Kueue has admitted.
func TestUnderKueue(t *testing.T) {
	const (
		path  = "spec.services[Worker]."
		cause = "cannot be changed after creation, because Kueue refuses it for LeaderWorkerSets in a queue; it was "
		back  = ": undo the change, or delete and recreate the graph"
	)
	cases := map[string]struct {
		reason string
		change plantest.ComponentChange
		// live is what else has changed the LeaderWorkerSet, and plan what is decided otherwise.
		live func(*lwsv1.LeaderWorkerSet)
		plan func(*graphplan.Plan)
		want []string
	}{
		"Same":  {reason: "A component that does not change is accepted."},
		"Image": {reason: "An image decides about no quota.", change: func(s *v1alpha1.Service) { podOf(s).MainContainer = &corev1.Container{Image: "other"} }},
		"Limit": {reason: "Kueue does not compare limits.", change: func(s *v1alpha1.Service) { s.Resources.Limits = amounts("", "4", "") }},
		"Fewer": {
			reason: "What is gone may have been added by a function of the platform, and is left to Kueue.",
			change: func(s *v1alpha1.Service) {
				podOf(s).NodeSelector, podOf(s).Tolerations, podOf(s).Containers = nil, nil, nil
			},
		},
		"OfPlatform": {
			reason: "What a function of the platform has added is no change.", change: func(s *v1alpha1.Service) { podOf(s).MainContainer = &corev1.Container{Image: "other"} },
			live: func(set *lwsv1.LeaderWorkerSet) {
				for _, spec := range []*corev1.PodSpec{&set.Spec.LeaderWorkerTemplate.LeaderTemplate.Spec, &set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec} {
					spec.NodeSelector["more"], spec.Containers = "x", append(spec.Containers, corev1.Container{Name: "agent"})
					spec.Tolerations = append(spec.Tolerations, corev1.Toleration{Key: "more"})
				}
			},
		},
		"Stored": {
			reason: "The API server adds the protocol of ports, and writes amounts its own way.",
			live: func(set *lwsv1.LeaderWorkerSet) {
				spec := &set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec
				for i := range spec.Containers {
					for j := range spec.Containers[i].Ports {
						spec.Containers[i].Ports[j].Protocol = corev1.ProtocolTCP
					}
					if _, ok := spec.Containers[i].Resources.Requests[corev1.ResourceCPU]; ok {
						spec.Containers[i].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("4000m")
					}
				}
			},
		},
		"NotInQueue": {
			reason: "Without a queue, the pods are replaced.", change: func(s *v1alpha1.Service) { podOf(s).NodeSelector["pool"] = "b" },
			plan: func(p *graphplan.Plan) { p.KueueQueue = "" },
		},
		"OnGrove": {
			reason: "Kueue does not see PodCliqueSets.", change: func(s *v1alpha1.Service) { podOf(s).NodeSelector["pool"] = "b" },
			plan: func(p *graphplan.Plan) { p.Orchestrator = graphplan.Grove },
		},
		"NotWritten": {
			reason: "Pods whose user has changed nothing stay as they are, whatever would be built now.", change: func(s *v1alpha1.Service) { podOf(s).NodeSelector["pool"] = "b" },
			plan: func(p *graphplan.Plan) { p.Components = map[string]graphplan.Component{"Worker": {Written: "before"}} },
		},
		"NotHashed": {
			reason: "A graph with other mistakes is not compared.", change: func(s *v1alpha1.Service) { podOf(s).NodeSelector["pool"] = "b" },
			plan: func(p *graphplan.Plan) { p.Components = map[string]graphplan.Component{"Worker": {}} },
		},
		"NodeSelector": {
			reason: "Kueue has chosen nodes by the selector.",
			change: func(s *v1alpha1.Service) { podOf(s).NodeSelector = map[string]string{"pool": "b", "rack": "r"} },
			want: []string{
				path + `extraPodSpec.nodeSelector[pool]: Invalid value: "b": ` + cause + "a" + back,
				path + `extraPodSpec.nodeSelector[rack]: Invalid value: "r": ` + cause + "not set" + back,
			},
		},
		"Toleration": {
			reason: "Kueue has chosen nodes by the tolerations.",
			change: func(s *v1alpha1.Service) { podOf(s).Tolerations[0].Operator = corev1.TolerationOpEqual },
			want:   []string{path + "extraPodSpec.tolerations: Forbidden: " + cause + "something else" + back},
		},
		"Affinity": {
			reason: "Kueue has chosen nodes by the affinity.",
			change: func(s *v1alpha1.Service) { podOf(s).Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}} },
			want:   []string{path + "extraPodSpec.affinity: Forbidden: " + cause + "something else" + back},
		},
		"Spread": {
			reason: "Kueue compares the spread of pods.",
			change: func(s *v1alpha1.Service) {
				podOf(s).TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone"}}
			},
			want: []string{path + "extraPodSpec.topologySpreadConstraints: Forbidden: " + cause + "something else" + back},
		},
		"Claim": {
			reason: "Claims of devices have a quota of their own.",
			change: func(s *v1alpha1.Service) { podOf(s).ResourceClaims = []corev1.PodResourceClaim{{Name: "nic"}} },
			want:   []string{path + "extraPodSpec.resourceClaims: Forbidden: " + cause + "something else" + back},
		},
		"RuntimeClass": {
			reason: "A runtime class has overhead.", change: func(s *v1alpha1.Service) { podOf(s).RuntimeClassName = new("kata") },
			want: []string{path + `extraPodSpec.runtimeClassName: Invalid value: "kata": ` + cause + "not set" + back},
		},
		"Requests": {
			reason: "Kueue has reserved quota for the requests.",
			change: func(s *v1alpha1.Service) { s.Resources.Requests = amounts("6", "8", "1Gi") },
			want: []string{
				path + `resources.requests.cpu: Invalid value: "6": ` + cause + "4" + back,
				path + `resources.requests.memory: Invalid value: "1Gi": ` + cause + "not set" + back,
			},
		},
		"GPUs": {
			reason: "Kueue has reserved quota for the GPUs.",
			change: func(s *v1alpha1.Service) {
				s.Resources.Requests = amounts("4", "4", "")
				s.Resources.Requests.Custom = map[string]resource.Quantity{"rdma/ib": resource.MustParse("1")}
			},
			want: []string{
				path + `resources.requests.gpu: Invalid value: "4": ` + cause + "8" + back,
				path + `resources.requests.custom[rdma/ib]: Invalid value: "1": ` + cause + "not set" + back,
			},
		},
		"Sidecar": {
			reason: "Kueue counts containers.",
			change: func(s *v1alpha1.Service) {
				podOf(s).Containers = append(podOf(s).Containers, corev1.Container{Name: "agent", Image: "agent"})
			},
			want: []string{path + `extraPodSpec.containers: Invalid value: "agent": ` + cause + "not set" + back},
		},
		"Renamed": {reason: "Kueue compares no names of containers.", change: func(s *v1alpha1.Service) { podOf(s).Containers[0].Name = "other" }},
		"Port": {
			reason: "Kueue compares ports.", change: func(s *v1alpha1.Service) { podOf(s).Containers[0].Ports[0].ContainerPort = 9001 },
			want: []string{path + "extraPodSpec.containers[proxy].ports: Forbidden: " + cause + "something else" + back},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &graphplan.Plan{
				Orchestrator: graphplan.LeaderWorkerSet, KueueQueue: "team", LWS: graphplan.LWSPlan{Gang: graphplan.Gang{Provider: graphplan.GangKueue}},
				Components: map[string]graphplan.Component{"Worker": {Written: "now"}},
			}
			before := gang.Builder{Graph: plantest.Decoded(t, plantest.Graph(plantest.Worker, plantest.Changed("Worker", placedWorker))), Plan: p}
			set := before.Build("Worker", 0).LeaderWorkerSet
			if tc.live != nil {
				tc.live(set)
			}
			xr := plantest.Graph(plantest.Worker, plantest.Changed("Worker", placedWorker))
			if tc.change != nil {
				plantest.Changed("Worker", tc.change)(xr)
			}
			if tc.plan != nil {
				tc.plan(p)
			}
			req := plantest.Request(xr, plantest.WithObserved("leaderworkerset-worker-0", set), plantest.WithObserved("revision-0123456789", map[string]any{
				"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": map[string]any{"name": "llama-0123456789"}, "revision": 3,
				"data": map[string]any{"format": 1, "components": map[string]any{"Worker": map[string]any{"written": "before"}}},
			}))
			outcome := immutable.UnderKueue(plantest.Facts(t, req), p)
			got := outcome.Refused(subject.ImmutableChange).Texts(&graph.Graph{})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nUnderKueue(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
