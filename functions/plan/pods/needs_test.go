package pods

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestParallelismWarnings(t *testing.T) {
	cases := map[string]struct {
		reason      string
		gpus        string
		nodes       int32
		claimed     int64
		parallelism backend.Parallelism
		idle        int64
		want        []string
	}{
		"Fits":        {reason: "Sizes that use all GPUs of a replica cause no warning.", gpus: "8", parallelism: backend.Parallelism{Tensor: 8, Pipeline: 1, Data: 1}},
		"Part":        {reason: "Sizes that divide the number of GPUs cause no warning.", gpus: "8", parallelism: backend.Parallelism{Tensor: 2, Pipeline: 2, Data: 1}},
		"TooMany":     {reason: "A warning names both numbers when the sizes need more GPUs than a replica has.", gpus: "8", nodes: 2, parallelism: backend.Parallelism{Tensor: 8, Pipeline: 2, Data: 2}, want: []string{"tensor x pipeline x data parallel size is 8 x 2 x 2 = 32, but a replica has 16 GPUs (2 nodes x 8); change the sizes or the GPUs so that they match"}},
		"Remainder":   {reason: "A warning names both numbers when the sizes do not divide the number of GPUs.", gpus: "8", parallelism: backend.Parallelism{Tensor: 3, Pipeline: 1, Data: 1}, want: []string{"tensor x pipeline x data parallel size is 3 x 1 x 1 = 3, but a replica has 8 GPUs; change the sizes or the GPUs so that they match"}},
		"Idle":        {reason: "A warning names both numbers when the engine certainly leaves GPUs idle.", gpus: "8", nodes: 2, parallelism: backend.Parallelism{Tensor: 8, Pipeline: 1, Data: 1}, idle: 8, want: []string{"tensor x pipeline x data parallel size is 8 x 1 x 1 = 8, but a replica has 16 GPUs (2 nodes x 8), of which the engine leaves 8 idle; raise the sizes, or request fewer GPUs"}},
		"NotInNumber": {reason: "GPUs that come through a claim have no number here.", parallelism: backend.Parallelism{Tensor: 8, Pipeline: 1, Data: 1}},
		"Claimed":     {reason: "GPUs of a claim whose template is known count.", claimed: 4, nodes: 2, parallelism: backend.Parallelism{Tensor: 16, Pipeline: 1, Data: 1}, want: []string{"tensor x pipeline x data parallel size is 16 x 1 x 1 = 16, but a replica has 8 GPUs (2 nodes x 4); change the sizes or the GPUs so that they match"}},
		"NoArguments": {reason: "Without arguments an engine takes one GPU.", gpus: "8", parallelism: backend.Parallelism{Tensor: 1, Pipeline: 1, Data: 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := v1alpha1.Service{}
			if tc.gpus != "" {
				plantest.WithGPUs(tc.gpus)(&s)
			}
			if tc.nodes > 0 {
				plantest.WithNodes(tc.nodes)(&s)
			}
			var got []string
			for _, w := range parallelismWarnings(graphtest.Component(s), func(*graph.Component) int64 { return tc.claimed }, tc.parallelism, tc.idle) {
				got = append(got, w.In(&graph.Graph{}))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nparallelismWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestInspect shows what pods of two nodes need, and what their user is told.
func TestInspect(t *testing.T) {
	cases := map[string]struct {
		reason   string
		module   string
		size     string
		decision graphplan.Component
		want     Needs
		warnings []string
	}{
		"MP": {
			reason: "Workers of vLLM's mp executor wait for their leader.", module: "dynamo.vllm", size: "16",
			decision: graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "mp"}, want: Needs{WaitForLeader: true},
		},
		"Ray": {
			reason: "With the other executor, pods need Ray.", module: "dynamo.vllm", size: "16",
			decision: graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "ray", ExecutorFrom: graphplan.ExecutorFromInput, RuntimeVersion: "1.4.2"},
			warnings: []string{`spec.services[S]: executor ray, from vllm.distributedExecutor of the platform, needs Ray, but images of Dynamo contain no Ray since 1.3.0, and the image has 1.4.2: ` +
				`pods end with "ray: not found" unless you have added Ray to the image; set annotation nvidia.com/vllm-distributed-executor-backend to mp, which needs no Ray, or use an image with Ray`},
		},
		"TRTLLM": {
			reason: "Nodes of TensorRT-LLM log in to each other.", module: "dynamo.trtllm", size: "16",
			decision: graphplan.Component{Framework: v1alpha1.BackendTRTLLM}, want: Needs{SSHSecret: "mpirun-ssh-key-llama"},
		},
		"Warning": {
			reason: "A backend says what it cannot do.", module: "mine", size: "1",
			decision: graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "ray"},
			warnings: []string{"spec.services[S]: a replica has 2 nodes of 8 GPUs, but tensor parallel 1 x pipeline parallel 1 x data parallel 1 needs only 1: " +
				"the leader and the workers run the same command and do not form one engine; raise --tensor-parallel-size, " +
				"--pipeline-parallel-size or --data-parallel-size to use 16 GPUs, or remove multinode"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			engine := plantest.ComponentOf("worker", "python3", "-m", tc.module)
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.Component("S", engine, plantest.WithArgs("--tensor-parallel-size", tc.size), plantest.WithGPUs("8"), plantest.WithNodes(2)))))
			plan := &graphplan.Plan{Orchestrator: graphplan.Grove, Components: map[string]graphplan.Component{"S": tc.decision}}
			got, outcome := Inspect(f, plan, Of(f, plan))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nInspect(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, slices.Compact(outcome.Warnings.Texts(f.Graph))); diff != "" {
				t.Errorf("%s\nInspect(...): -want warnings, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestInspectStandby shows that a component whose second engine could not start is refused, once for all its pods.
func TestInspectStandby(t *testing.T) {
	cases := map[string]struct {
		reason   string
		executor string
		failover bool
		want     []string
	}{
		"One":       {reason: "One engine of a pod can start Ray.", executor: "ray"},
		"Processes": {reason: "Processes of two engines can share a pod.", executor: "mp", failover: true},
		"Ray": {
			reason: "Two engines of a pod cannot both start Ray.", executor: "ray", failover: true,
			want: []string{"spec.services[S].failover: Forbidden: requires an engine without Ray, because only one of the engines of a pod can start it; " +
				"set annotation nvidia.com/vllm-distributed-executor-backend to mp, and remove what needs Ray from the command, such as --enable-elastic-ep"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			engine := &v1alpha1.Service{ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{Command: []string{"python3", "-m", "dynamo.vllm"}}}}
			xr := plantest.Graph(plantest.Component("S", engine, plantest.WithArgs("--tensor-parallel-size", "4"), plantest.WithGPUs("2"), plantest.WithNodes(2)))
			if tc.failover {
				plantest.Changed("S", plantest.WithFailover)(xr)
			}
			f := plantest.Facts(t, plantest.Request(xr))
			plan := &graphplan.Plan{Orchestrator: graphplan.Grove, Components: map[string]graphplan.Component{"S": {Framework: v1alpha1.BackendVLLM, Executor: tc.executor}}}
			_, outcome := Inspect(f, plan, Of(f, plan))
			got := outcome.Refused(subject.Mistake).Texts(&graph.Graph{})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nInspect(...): -want errors, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
