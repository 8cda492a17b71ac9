package components

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/memory"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// TestPodsTellChoices shows that the pods of a graph alone tell what they were built with: built again, whatever the input
// says then, they are the same to the byte.
func TestPodsTellChoices(t *testing.T) {
	command := func(words ...string) corev1.Container { return corev1.Container{Image: "i", Command: words} }
	withArgs := func(c corev1.Container, args ...string) corev1.Container {
		c.Args = args
		return c
	}
	engines := map[string]corev1.Container{
		"OverNodes":    withArgs(command("python3", "-m", "dynamo.vllm"), "--tensor-parallel-size", "16"),
		"Script":       command("sh", "-c", "python3 -m dynamo.vllm --tensor-parallel-size 16"),
		"DataParallel": withArgs(command("python3", "-m", "dynamo.vllm"), "--data-parallel-size", "16"),
		"OneNode":      withArgs(command("python3", "-m", "dynamo.vllm"), "--tensor-parallel-size", "8"),
		"OwnProgram":   withArgs(command("/start.sh"), "--tensor-parallel-size", "16"),
		"OwnRay":       command("sh", "-c", "ray start --head && /start.sh"),
		"Elastic":      withArgs(command("python3", "-m", "dynamo.vllm"), "--enable-elastic-ep"),
		"ElasticOwn":   withArgs(command("/start.sh"), "--enable-elastic-ep"),
		"ElasticOnRay": command("sh", "-c", "ray start --head && /start.sh --enable-elastic-ep"),
		"Mocker":       withArgs(command("python3", "-m", "dynamo.mocker"), "--model-path", "m"),
	}
	for name, engine := range engines {
		for _, own := range [][]corev1.EnvVar{nil, {{Name: "VLLM_NIXL_SIDE_CHANNEL_HOST", Value: "10.0.0.1"}}} {
			service := &v1alpha1.Service{ComponentType: v1alpha1.ComponentWorker, Envs: own, ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &engine}}
			xr := plantest.Graph(plantest.Component("Worker", service, plantest.WithNodes(2), plantest.WithGPUs("8")))
			xr.Spec.BackendFramework = v1alpha1.BackendVLLM
			g := plantest.Decoded(t, xr)
			for _, orchestrator := range []graphplan.Orchestrator{graphplan.Grove, graphplan.LeaderWorkerSet} {
				for _, executor := range []inputv1alpha1.VLLMExecutor{inputv1alpha1.VLLMExecutorRay, inputv1alpha1.VLLMExecutorMP} {
					for _, discovery := range []inputv1alpha1.DiscoveryBackend{inputv1alpha1.DiscoveryKubernetes, inputv1alpha1.DiscoveryEtcd} {
						t.Run(fmt.Sprintf("%s/%t/%s/%s/%s", name, own != nil, orchestrator, executor, discovery), func(t *testing.T) {
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
	in := &inputv1alpha1.Input{Policy: inputv1alpha1.Policy{VLLM: inputv1alpha1.VLLM{DistributedExecutor: executor}, Discovery: inputv1alpha1.Discovery{Backend: discovery}}}
	decided, outcome := decide(g, in, nil, current)
	if outcome.Has(subject.Mistake) {
		t.Fatal(outcome.Refused(subject.Mistake))
	}
	b := pod.Builder{Graph: g, Plan: &graphplan.Plan{Orchestrator: o, Components: decided}}
	var pods []corev1.PodTemplateSpec
	for _, built := range b.All()["Worker"] {
		pods = append(pods, built.Template)
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

// TestChoices shows what the components of a live graph get: what they name, else what they have, else what the platform says.
func TestChoices(t *testing.T) {
	const (
		keepsDiscovery = "discovery.backend is kubernetes in the input of step plan, which does not affect running graphs: pods of %s keep etcd; " +
			"to change it, set annotation nvidia.com/dynamo-discovery-backend to kubernetes, which restarts them"
		keepsExecutor = "vllm.distributedExecutor is ray in the input of step plan, which does not affect running graphs: pods of %s keep mp; " +
			"to change it, set annotation nvidia.com/vllm-distributed-executor-backend to ray, which restarts them"
	)
	const executorBackend, discoveryBackend = "nvidia.com/vllm-distributed-executor-backend", "nvidia.com/dynamo-discovery-backend"
	vllm := &v1alpha1.Service{
		ComponentType: v1alpha1.ComponentWorker,
		ExtraPodSpec:  &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Command: []string{"python3", "-m", "dynamo.vllm"}}},
	}
	plain := []plantest.GraphChange{plantest.Component("A", vllm, plantest.WithNodes(2)), plantest.Component("B", vllm, plantest.WithNodes(2))}
	namedByA := slices.Concat(plain, []plantest.GraphChange{plantest.Changed("A", plantest.WithAnnotation(discoveryBackend, "etcd"), plantest.WithAnnotation(executorBackend, "mp"))})
	type decided struct {
		A, B     [2]string
		Warnings []string
	}
	cases := map[string]struct {
		reason              string
		graph               []plantest.GraphChange
		discovery, executor map[string]string
		// platform is the executor in the input.
		platform inputv1alpha1.VLLMExecutor
		want     decided
	}{
		"New": {
			reason: "A new graph gets what the platform says.",
			graph:  plain, platform: "ray",
			want: decided{A: [2]string{"kubernetes", "ray"}, B: [2]string{"kubernetes", "ray"}},
		},
		"NewByRelease": {
			reason: "If the platform says nothing, the release of Dynamo in the image decides, for a new graph.",
			graph:  plain,
			want:   decided{A: [2]string{"kubernetes", "mp"}, B: [2]string{"kubernetes", "mp"}},
		},
		"LiveByRelease": {
			reason:    "A live graph keeps its executor if a release decides otherwise, without a warning, because nobody has asked for another one.",
			graph:     plain,
			discovery: map[string]string{"a": "kubernetes", "b": "kubernetes"}, executor: map[string]string{"a": "ray", "b": "ray"},
			want: decided{A: [2]string{"kubernetes", "ray"}, B: [2]string{"kubernetes", "ray"}},
		},
		"Live": {
			reason:    "A live graph keeps what it has, and says so once for all services.",
			graph:     plain,
			discovery: map[string]string{"a": "etcd", "b": "etcd"}, executor: map[string]string{"a": "mp", "b": "mp"}, platform: "ray",
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"etcd", "mp"}, Warnings: []string{fmt.Sprintf(keepsDiscovery, "A, B"), fmt.Sprintf(keepsExecutor, "A, B")}},
		},
		"Named": {
			reason:    "What the graph names takes effect.",
			graph:     slices.Concat(plain, []plantest.GraphChange{plantest.Annotated(discoveryBackend, "kubernetes"), plantest.Annotated(executorBackend, "ray")}),
			discovery: map[string]string{"a": "etcd", "b": "etcd"}, executor: map[string]string{"a": "mp", "b": "mp"},
			want: decided{A: [2]string{"kubernetes", "ray"}, B: [2]string{"kubernetes", "ray"}},
		},
		"NamedByOne": {
			reason:    "What one service names takes effect for that service without a warning.",
			graph:     namedByA,
			discovery: map[string]string{"a": "kubernetes", "b": "kubernetes"}, executor: map[string]string{"a": "ray", "b": "ray"},
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"kubernetes", "ray"}},
		},
		"Failover": {
			reason:    "Engines of failover do not run on Ray, so no warning says how to get it.",
			graph:     slices.Concat(plain, []plantest.GraphChange{plantest.Changed("A", plantest.WithFailover)}),
			discovery: map[string]string{"a": "kubernetes", "b": "kubernetes"}, executor: map[string]string{"a": "ray", "b": "ray"},
			want: decided{A: [2]string{"kubernetes", "mp"}, B: [2]string{"kubernetes", "ray"}},
		},
		"Joins": {
			reason:    "A service that is added has to find the others; how its engine spans nodes is its own affair.",
			graph:     plain,
			discovery: map[string]string{"a": "etcd"}, executor: map[string]string{"a": "mp"}, platform: "ray",
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"etcd", "ray"}, Warnings: []string{fmt.Sprintf(keepsDiscovery, "A, B"), fmt.Sprintf(keepsExecutor, "A")}},
		},
		"JoinsOneThatNames": {
			reason:    "What one service names for itself has no effect on a service that is added.",
			graph:     namedByA,
			discovery: map[string]string{"a": "etcd"}, executor: map[string]string{"a": "mp"}, platform: "ray",
			want: decided{A: [2]string{"etcd", "mp"}, B: [2]string{"kubernetes", "ray"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, _ := input.Read(nil, "")
			in.VLLM.DistributedExecutor = tc.platform
			f := &subject.Facts{Seen: &subject.Seen{Graph: plantest.Decoded(t, plantest.Graph(tc.graph...)), Input: in, Memory: &memory.Memory{}}}
			if tc.discovery != nil {
				f.Memory.Orchestrator = graphplan.LeaderWorkerSet
			}
			current := choices{discovery: tc.discovery, executors: map[string]liveExecutor{}}
			for name, executor := range tc.executor {
				current.executors[name] = liveExecutor{executor: backend.Executor(executor), images: []string{""}}
			}
			all, outcome := decide(f.Graph, in, nil, current)
			if outcome.Has(subject.Mistake) {
				t.Fatal(outcome.Refused(subject.Mistake))
			}
			got := decided{
				A:        [2]string{all["A"].Discovery, all["A"].Executor},
				B:        [2]string{all["B"].Discovery, all["B"].Executor},
				Warnings: ChoiceWarnings(f, all).Texts(f.Graph),
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ndecide(...), ChoiceWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
