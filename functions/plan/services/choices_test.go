package services

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
)

// TestPodsTellChoices shows that the pods of a graph alone tell what they were built with: built again, whatever the input
// says then, they are the same to the byte.
func TestPodsTellChoices(t *testing.T) {
	const address = `"envs":[{"name":"VLLM_NIXL_SIDE_CHANNEL_HOST","value":"10.0.0.1"}],`
	engines := map[string]string{
		"OverNodes":    `"command":["python3","-m","dynamo.vllm"],"args":["--tensor-parallel-size","16"]`,
		"Script":       `"command":["sh","-c","python3 -m dynamo.vllm --tensor-parallel-size 16"]`,
		"DataParallel": `"command":["python3","-m","dynamo.vllm"],"args":["--data-parallel-size","16"]`,
		"OneNode":      `"command":["python3","-m","dynamo.vllm"],"args":["--tensor-parallel-size","8"]`,
		"OwnProgram":   `"command":["/start.sh"],"args":["--tensor-parallel-size","16"]`,
		"OwnRay":       `"command":["sh","-c","ray start --head && /start.sh"]`,
	}
	for name, engine := range engines {
		for _, own := range []string{"", address} {
			g := plantest.Decoded(t, `{"backendFramework":"vllm","services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":2},`+own+
				`"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"image":"i",`+engine+`}}}}}`, `{}`)
			for _, orchestrator := range []graphplan.Orchestrator{graphplan.Grove, graphplan.LeaderWorkerSet} {
				for _, executor := range []inputv1alpha1.VLLMExecutor{inputv1alpha1.VLLMExecutorRay, inputv1alpha1.VLLMExecutorMP} {
					for _, discovery := range []inputv1alpha1.DiscoveryBackend{inputv1alpha1.DiscoveryKubernetes, inputv1alpha1.DiscoveryEtcd} {
						t.Run(fmt.Sprintf("%s/%t/%s/%s/%s", name, own != "", orchestrator, executor, discovery), func(t *testing.T) {
							before := podsBy(t, g, orchestrator, executor, discovery, choices{})
							current := rememberedChoices(g, map[string]observed.Pods{"worker": before})
							after := podsBy(t, g, orchestrator, other(executor), otherDiscovery(discovery), current)
							if diff := cmp.Diff(before, after); diff != "" {
								t.Errorf("another input changes pods: -before, +after:\n%s", diff)
							}
						})
					}
				}
			}
		}
	}
}

// podsBy an input: those of the leader and of a worker.
func podsBy(t *testing.T, g *graph.Graph, o graphplan.Orchestrator, executor inputv1alpha1.VLLMExecutor, discovery inputv1alpha1.DiscoveryBackend, current choices) []corev1.PodTemplateSpec {
	t.Helper()
	in := &inputv1alpha1.Input{VLLM: inputv1alpha1.VLLM{DistributedExecutor: executor}, Discovery: inputv1alpha1.Discovery{Backend: discovery}}
	decided, outcome := decide(g, in, current)
	if len(outcome.Errors) > 0 {
		t.Fatal(outcome.Errors.ToAggregate())
	}
	b := pod.Builder{Graph: g, Plan: &graphplan.Plan{Orchestrator: o, Services: decided}}
	var pods []corev1.PodTemplateSpec
	for _, role := range []backend.Role{backend.RoleLeader, backend.RoleWorker} {
		template := b.Build("Worker", role, subject.Hosts(o, "Worker"))
		pods = append(pods, corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: template.Labels, Annotations: template.Annotations}, Spec: template.Spec})
	}
	return pods
}

func other(e inputv1alpha1.VLLMExecutor) inputv1alpha1.VLLMExecutor {
	if e == inputv1alpha1.VLLMExecutorMP {
		return inputv1alpha1.VLLMExecutorRay
	}
	return inputv1alpha1.VLLMExecutorMP
}

func otherDiscovery(b inputv1alpha1.DiscoveryBackend) inputv1alpha1.DiscoveryBackend {
	if b == inputv1alpha1.DiscoveryEtcd {
		return inputv1alpha1.DiscoveryKubernetes
	}
	return inputv1alpha1.DiscoveryEtcd
}

// TestChoices shows what the services of a live graph get: what they name, else what they have, else what the platform says.
func TestChoices(t *testing.T) {
	const (
		vllm           = `"componentType":"worker","multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"command":["python3","-m","dynamo.vllm"]}}`
		plain          = `{"services":{"A":{` + vllm + `},"B":{` + vllm + `}}}`
		namedByA       = `{"services":{"A":{"annotations":{"nvidia.com/dynamo-discovery-backend":"etcd","nvidia.com/vllm-distributed-executor-backend":"mp"},` + vllm + `},"B":{` + vllm + `}}}`
		keepsDiscovery = "discovery.backend is kubernetes in the input of step plan, which does not affect running graphs: pods of %s keep etcd; " +
			"to change it, set annotation nvidia.com/dynamo-discovery-backend to kubernetes, which restarts them"
		keepsExecutor = "vllm.distributedExecutor is ray in the input of step plan, which does not affect running graphs: pods of %s keep mp; " +
			"to change it, set annotation nvidia.com/vllm-distributed-executor-backend to ray, which restarts them"
	)
	type decided struct {
		A, B     [2]string
		Warnings []string
	}
	cases := map[string]struct {
		reason              string
		spec                string
		annotations         string
		discovery, executor map[string]string
		want                decided
	}{
		"New": {
			reason: "A new graph gets what the platform says.",
			spec:   plain,
			want:   decided{A: [2]string{"kubernetes", "ray"}, B: [2]string{"kubernetes", "ray"}},
		},
		"Live": {
			reason:    "A live graph keeps what it has, and says so once for all services.",
			spec:      plain,
			discovery: map[string]string{"a": "etcd", "b": "etcd"}, executor: map[string]string{"a": "mp", "b": "mp"},
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"etcd", "mp"}, Warnings: []string{fmt.Sprintf(keepsDiscovery, "A, B"), fmt.Sprintf(keepsExecutor, "A, B")}},
		},
		"Named": {
			reason:      "What the graph names takes effect.",
			spec:        plain,
			annotations: `{"nvidia.com/dynamo-discovery-backend":"kubernetes","nvidia.com/vllm-distributed-executor-backend":"ray"}`,
			discovery:   map[string]string{"a": "etcd", "b": "etcd"}, executor: map[string]string{"a": "mp", "b": "mp"},
			want: decided{A: [2]string{"kubernetes", "ray"}, B: [2]string{"kubernetes", "ray"}},
		},
		"NamedByOne": {
			reason:    "What one service names takes effect for that service without a warning.",
			spec:      namedByA,
			discovery: map[string]string{"a": "kubernetes", "b": "kubernetes"}, executor: map[string]string{"a": "ray", "b": "ray"},
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"kubernetes", "ray"}},
		},
		"Failover": {
			reason:    "Engines of failover do not run on Ray, so nobody is told how to get it.",
			spec:      `{"services":{"A":{"gpuMemoryService":{"enabled":true},"failover":{"enabled":true},` + vllm + `},"B":{` + vllm + `}}}`,
			discovery: map[string]string{"a": "kubernetes", "b": "kubernetes"}, executor: map[string]string{"a": "ray", "b": "ray"},
			want: decided{A: [2]string{"kubernetes", "mp"}, B: [2]string{"kubernetes", "ray"}},
		},
		"Joins": {
			reason:    "A service that is added has to find the others; how its engine spans nodes is its own affair.",
			spec:      plain,
			discovery: map[string]string{"a": "etcd"}, executor: map[string]string{"a": "mp"},
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"etcd", "ray"}, Warnings: []string{fmt.Sprintf(keepsDiscovery, "A, B"), fmt.Sprintf(keepsExecutor, "A")}},
		},
		"JoinsOneThatNames": {
			reason:    "What one service names for itself has no effect on a service that is added.",
			spec:      namedByA,
			discovery: map[string]string{"a": "etcd"}, executor: map[string]string{"a": "mp"},
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"kubernetes", "ray"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			annotations := tc.annotations
			if annotations == "" {
				annotations = `{}`
			}
			in, _ := input.Read(nil)
			f := &subject.Facts{Graph: plantest.Decoded(t, tc.spec, annotations), Input: in, Memory: &memory.Memory{}}
			if tc.discovery != nil {
				f.Memory.Orchestrator = graphplan.LeaderWorkerSet
			}
			all, outcome := decide(f.Graph, in, choices{discovery: tc.discovery, executors: tc.executor})
			if len(outcome.Errors) > 0 {
				t.Fatal(outcome.Errors.ToAggregate())
			}
			got := decided{
				A:        [2]string{all["A"].Discovery, all["A"].Executor},
				B:        [2]string{all["B"].Discovery, all["B"].Executor},
				Warnings: ChoiceWarnings(f, all),
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ndecide(...), ChoiceWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
