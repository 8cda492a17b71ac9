package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestDecide(t *testing.T) {
	const executor, discovery = "nvidia.com/vllm-distributed-executor-backend", "nvidia.com/dynamo-discovery-backend"
	// component S of a component type, whose main container runs a command.
	component := func(componentType string, command []string, changes ...plantest.ComponentChange) plantest.GraphChange {
		s := &v1alpha1.Service{ComponentType: componentType}
		if command != nil {
			s.ExtraPodSpec = &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Command: command}}
		}
		return plantest.Component("S", s, changes...)
	}
	running := func(framework v1alpha1.BackendFramework) plantest.GraphChange {
		return func(xr *v1alpha1.DynamoGraphDeployment) { xr.Spec.BackendFramework = framework }
	}
	vllm := []string{"python3", "-m", "dynamo.vllm"}
	global := func(s *v1alpha1.Service) { s.GlobalDynamoNamespace = true }
	deprecated := func(s *v1alpha1.Service) { s.DynamoNamespace = new("mine") }
	cases := map[string]struct {
		reason   string
		graph    []plantest.GraphChange
		versions map[string]runtime.Version
		want     graphplan.Component
	}{
		"Frontend": {
			reason: "A frontend runs no engine.",
			graph:  []plantest.GraphChange{component("frontend", nil), running(v1alpha1.BackendVLLM)},
			want:   graphplan.Component{Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"Detected": {
			reason: "The command tells the engine of a worker.",
			graph:  []plantest.GraphChange{component("worker", vllm)},
			want:   graphplan.Component{Framework: v1alpha1.BackendVLLM, Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"Declared": {
			reason: "The graph names the engine of a worker that has no command.",
			graph:  []plantest.GraphChange{component("decode", nil), running(v1alpha1.BackendTRTLLM)},
			want:   graphplan.Component{Framework: v1alpha1.BackendTRTLLM, Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"Executor": {
			reason: "An executor is needed where a vLLM engine spans nodes.",
			graph:  []plantest.GraphChange{component("worker", vllm, plantest.WithNodes(2))},
			want:   graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "mp", ExecutorFrom: "Release", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfTheRelease": {
			reason:   "Before 1.0.0, engines of vLLM only span nodes on Ray.",
			graph:    []plantest.GraphChange{component("worker", vllm, plantest.WithNodes(2))},
			versions: map[string]runtime.Version{"S": "0.9.1"},
			want:     graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "ray", ExecutorFrom: "Release", RuntimeVersion: "0.9.1", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfTheGraph": {
			reason: "The graph may name the executor, in any case.",
			graph:  []plantest.GraphChange{component("worker", vllm, plantest.WithNodes(2)), plantest.Annotated(executor, "MP")},
			want:   graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "mp", ExecutorFrom: "Annotation", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfFailover": {
			reason: "Of two engines in a pod, only one could start Ray.",
			graph:  []plantest.GraphChange{component("worker", vllm, plantest.WithFailover, plantest.WithNodes(2))},
			want:   graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "mp", ExecutorFrom: "Standby", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfTheService": {
			reason: "A service may name an executor for itself.",
			graph:  []plantest.GraphChange{component("worker", vllm, plantest.WithAnnotation(executor, "ray"), plantest.WithNodes(2)), plantest.Annotated(executor, "mp")},
			want:   graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "ray", ExecutorFrom: "Annotation", Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"ExecutorOfOthers": {
			reason: "Engines other than vLLM have no executor.",
			graph:  []plantest.GraphChange{component("worker", nil, plantest.WithNodes(2)), running(v1alpha1.BackendSGLang), plantest.Annotated(executor, "mp")},
			want:   graphplan.Component{Framework: v1alpha1.BackendSGLang, Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"DiscoveryOfTheGraph": {
			reason: "The graph may name its discovery.",
			graph:  []plantest.GraphChange{component("", nil), plantest.Annotated(discovery, "etcd")},
			want:   graphplan.Component{Discovery: "etcd", DynamoNamespace: "inference-llama"},
		},
		"DiscoveryOfTheService": {
			reason: "A service may name its discovery for itself.",
			graph:  []plantest.GraphChange{component("", nil, plantest.WithAnnotation(discovery, "kubernetes")), plantest.Annotated(discovery, "etcd")},
			want:   graphplan.Component{Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
		"GlobalDynamoNamespace": {
			reason: "A service may join the shared Dynamo namespace.",
			graph:  []plantest.GraphChange{component("", nil, global)},
			want:   graphplan.Component{Discovery: "kubernetes", DynamoNamespace: "dynamo"},
		},
		"DynamoNamespaceIsIgnored": {
			reason: "The deprecated field dynamoNamespace has no effect.",
			graph:  []plantest.GraphChange{component("", nil, deprecated)},
			want:   graphplan.Component{Discovery: "kubernetes", DynamoNamespace: "inference-llama"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, outcome := Decide(plantest.Facts(t, plantest.Request(plantest.Graph(tc.graph...))), tc.versions)
			if outcome.Has(subject.Mistake) {
				t.Fatalf("%s\nDecide(...): %v", tc.reason, outcome.Refused(subject.Mistake))
			}
			if diff := cmp.Diff(map[string]graphplan.Component{"S": tc.want}, got); diff != "" {
				t.Errorf("%s\nDecide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestFailover shows which engines can stand by for another one.
func TestFailover(t *testing.T) {
	cases := map[string]struct {
		reason    string
		framework v1alpha1.BackendFramework
		command   []string
		want      []string
	}{
		"VLLM": {
			reason:    "An engine of vLLM waits for the lock of the active engine.",
			framework: v1alpha1.BackendVLLM,
		},
		"SGLang": {
			reason:    "SGLang does not wait, so both engines would be active.",
			framework: v1alpha1.BackendSGLang,
			want:      []string{"spec.services[S].failover: Forbidden: is only supported for vLLM, and this service runs sglang; remove failover, and set replicas to 2"},
		},
		"Unknown": {
			reason:  "A program that is not known may or may not wait.",
			command: []string{"/start.sh"},
			want:    []string{"spec.services[S].failover: Forbidden: is only supported for vLLM, and the command runs no known engine; set backendFramework to vllm if it runs vLLM, otherwise remove failover"},
		},
		"Contradiction": {
			reason:    "Which engine it is has to be settled first.",
			framework: v1alpha1.BackendSGLang, command: []string{"python3", "-m", "dynamo.vllm"},
			want: []string{`spec.services[S].extraPodSpec.mainContainer: Invalid value: the command runs dynamo.vllm, but backendFramework is "sglang"; change one of the two`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.Component("S", plantest.ComponentOf(v1alpha1.ComponentWorker, tc.command...), plantest.WithFailover))
			xr.Spec.BackendFramework = tc.framework
			f := plantest.Facts(t, plantest.Request(xr))
			_, outcome := Decide(f, nil)
			got := outcome.Refused(subject.Mistake).Texts(f.Graph)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDecide(...): -want errors, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWeightServers shows which engines can take their weights from another pod, and how they span nodes.
func TestWeightServers(t *testing.T) {
	const path = "spec.services[S].gpuMemoryService.mode: Forbidden: interPod is only supported for vLLM, and "
	cases := map[string]struct {
		reason    string
		framework v1alpha1.BackendFramework
		command   []string
		executor  string
		want      []string
	}{
		"VLLM":    {reason: "Engine vLLM loads weights from the server, and runs as with the operator.", framework: v1alpha1.BackendVLLM, executor: "mp"},
		"SGLang":  {reason: "SGLang does not know the server.", framework: v1alpha1.BackendSGLang, want: []string{path + "this service runs sglang; use intraPod"}},
		"Unknown": {reason: "A program that is not known may or may not.", command: []string{"/start.sh"}, want: []string{path + "the command runs no known engine; set backendFramework to vllm if it runs vLLM, otherwise use intraPod"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := plantest.Graph(plantest.Component("S", plantest.ComponentOf("worker", tc.command...), plantest.WithGPUs("8"), plantest.WithNodes(2), func(s *v1alpha1.Service) {
				s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true, Mode: v1alpha1.ShareInterPod}
			}))
			xr.Spec.BackendFramework = tc.framework
			f := plantest.Facts(t, plantest.Request(xr))
			decided, outcome := Decide(f, nil)
			got := outcome.Refused(subject.Mistake).Texts(f.Graph)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDecide(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.executor, decided["S"].Executor); diff != "" {
				t.Errorf("%s\nexecutor: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTotalGPUs(t *testing.T) {
	a := func(changes ...plantest.ComponentChange) plantest.GraphChange {
		return plantest.Component("A", &v1alpha1.Service{}, changes...)
	}
	requestingOne := func(s *v1alpha1.Service) {
		s.Resources = &v1alpha1.Resources{Requests: &v1alpha1.ResourceList{GPU: new(resource.MustParse("1"))}}
	}
	sharing := func(s *v1alpha1.Service) { s.GPUMemoryService = &v1alpha1.GPUMemoryService{Enabled: true} }
	claimingMore := func(s *v1alpha1.Service) {
		s.Resources.Claims = []corev1.ResourceClaim{{Name: "more"}}
		s.ExtraPodSpec = &v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "more", ResourceClaimTemplateName: new("four-gpus")}}}}
	}
	cases := map[string]struct {
		reason     string
		components []plantest.GraphChange
		want       int64
	}{
		"None": {reason: "A graph without GPUs has a total of 0.", components: []plantest.GraphChange{a()}},
		"All": {
			reason:     "The total is replicas times nodes times GPUs of a pod, summed over all services.",
			components: []plantest.GraphChange{a(plantest.WithReplicas(2), plantest.WithNodes(4), plantest.WithGPUs("8")), plantest.Component("B", &v1alpha1.Service{}, requestingOne)},
			want:       65,
		},
		"Shared": {reason: "GPUs that containers share through one claim are as many as the service asks for.", components: []plantest.GraphChange{a(sharing, plantest.WithGPUs("4"))}, want: 4},
		"Claimed": {
			reason:     "GPUs in claims of the user are in a template in the cluster.",
			components: []plantest.GraphChange{a(plantest.WithGPUs("2"), plantest.WithReplicas(3), claimingMore)},
			want:       18,
		},
		"ClaimedUnknown": {
			reason:     "A template that is not there has no GPUs.",
			components: []plantest.GraphChange{a(plantest.WithGPUs("2"), claimingMore, func(s *v1alpha1.Service) { s.ExtraPodSpec.ResourceClaims[0].ResourceClaimTemplateName = new("other") })},
			want:       2,
		},
		"NoReplica": {reason: "A service that is scaled to 0 adds nothing to the total.", components: []plantest.GraphChange{a(plantest.WithReplicas(0), plantest.WithGPUs("8"))}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.Graph(tc.components...), plantest.WithServed("resource"), plantest.WithObject("claimtemplate-four-gpus",
				`{"metadata":{"name":"four-gpus"},"spec":{"spec":{"devices":{"requests":[{"name":"gpus","exactly":{"deviceClassName":"gpu.nvidia.com","count":4}}]}}}}`))
			if got := TotalGPUs(plantest.Facts(t, req)); got != tc.want {
				t.Errorf("%s\nTotalGPUs(...): want %d, got %d", tc.reason, tc.want, got)
			}
		})
	}
}

// TestRanks shows which engines of TensorRT-LLM are refused.
func TestRanks(t *testing.T) {
	withCommand := func(s *v1alpha1.Service) {
		s.ExtraPodSpec.MainContainer.Command = []string{"python3", "-m", "dynamo.trtllm"}
	}
	cases := map[string]struct {
		reason  string
		changes []plantest.ComponentChange
		want    string
	}{
		"Equal":   {reason: "Each GPU has a rank.", changes: []plantest.ComponentChange{plantest.WithNodes(2), plantest.WithGPUs("8"), plantest.WithArgs("--tensor-parallel-size", "16")}},
		"Fewer":   {reason: "GPUs may be idle.", changes: []plantest.ComponentChange{plantest.WithNodes(2), plantest.WithGPUs("8"), plantest.WithArgs("--tensor-parallel-size", "8")}},
		"OneNode": {reason: "MPI is not needed on one node.", changes: []plantest.ComponentChange{plantest.WithGPUs("8"), plantest.WithArgs("--tensor-parallel-size", "16")}},
		"NoGPUs":  {reason: "GPUs that come through a claim have no number here.", changes: []plantest.ComponentChange{plantest.WithNodes(2), plantest.WithArgs("--tensor-parallel-size", "16")}},
		"File":    {reason: "A file of extra arguments may have other sizes.", changes: []plantest.ComponentChange{plantest.WithNodes(2), plantest.WithGPUs("4"), plantest.WithArgs("--tensor-parallel-size", "16", "--extra-engine-args", "f")}},
		"More": {
			reason:  "More ranks than GPUs end at once.",
			changes: []plantest.ComponentChange{plantest.WithNodes(2), plantest.WithGPUs("4"), withCommand, plantest.WithArgs("--tp-size", "8", "--pp-size=2")},
			want:    "spec.services[S].extraPodSpec.mainContainer: Invalid value: tensor x pipeline parallel size is 8 x 2 = 16 ranks, but a replica has only 8 GPUs (2 nodes x 4); lower the sizes, or raise nodeCount or spec.services[S].resources.limits.gpu",
		},
		"DefaultCommand": {
			reason:  "The command of the framework has the flags of the user.",
			changes: []plantest.ComponentChange{plantest.WithNodes(2), plantest.WithGPUs("4"), plantest.WithArgs("--tensor-parallel-size", "16")},
			want:    "spec.services[S].extraPodSpec.mainContainer: Invalid value: tensor x pipeline parallel size is 16 x 1 = 16 ranks, but a replica has only 8 GPUs (2 nodes x 4); lower the sizes, or raise nodeCount or spec.services[S].resources.limits.gpu",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			service := &v1alpha1.Service{ComponentType: v1alpha1.ComponentWorker, ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{}}}
			xr := plantest.Graph(plantest.Component("S", service, tc.changes...))
			xr.Spec.BackendFramework = v1alpha1.BackendTRTLLM
			f := plantest.Facts(t, plantest.Request(xr))
			_, outcome := Decide(f, nil)
			got := ""
			if err := outcome.Refused(subject.Mistake).ErrorsIn(f.Graph).ToAggregate(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nDecide(...): -want errors, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
