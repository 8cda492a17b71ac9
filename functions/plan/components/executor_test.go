package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestExecutorOf shows who decides the executor. In each case, everything that is asked later says the opposite.
func TestExecutorOf(t *testing.T) {
	const annotation = "nvidia.com/vllm-distributed-executor-backend"
	const before, after = "example.org/vllm:1.2.0", "example.org/vllm:1.4.2"
	const loses = "spec.services[S]: the pods that run use Ray, and images of Dynamo contain no Ray since 1.3.0: with the new image, which has 1.4.2, pods run with executor mp; " +
		"to keep Ray, set annotation nvidia.com/vllm-distributed-executor-backend to ray, and add Ray to the image"
	onRay := func(images ...string) liveExecutor {
		return liveExecutor{executor: backend.ExecutorRay, images: images}
	}
	type decided struct {
		Executor backend.Executor
		From     graphplan.ExecutorSource
		Warnings []string
	}
	cases := map[string]struct {
		reason           string
		graph, component string
		args             []string
		failover         bool
		live             liveExecutor
		platform         inputv1alpha1.VLLMExecutor
		image            string
		version          runtime.Version
		want             decided
	}{
		"Service": {
			reason: "A service names its executor for itself.", component: "mp", graph: "ray", live: onRay(after), platform: "ray", version: "0.9.0",
			want: decided{Executor: "mp", From: "Annotation"},
		},
		"Graph": {
			reason: "The graph names it for all services, in any case.", graph: "MP", live: onRay(after), platform: "ray", version: "0.9.0",
			want: decided{Executor: "mp", From: "Annotation"},
		},
		"Contradiction": {
			reason: "The annotation is asked before the command, but both cannot be meant.", graph: "ray", args: []string{"--nnodes", "2"}, version: "1.2.0",
			want: decided{Executor: "ray", From: "Annotation", Warnings: []string{
				"spec.services[S].extraPodSpec.mainContainer: the command contains --nnodes, but annotation nvidia.com/vllm-distributed-executor-backend is ray, so the nodes may not form one engine; remove one of the two",
			}},
		},
		"Failover": {
			reason: "Two engines in one pod could not both start Ray.", failover: true, live: onRay(after), platform: "ray", version: "0.9.0",
			want: decided{Executor: "mp", From: "Standby"},
		},
		"Command": {
			reason: "A command with flags of processes never gets Ray added.", args: []string{"--distributed-executor-backend", "mp"}, live: onRay(after), platform: "ray", version: "0.9.0",
			want: decided{Executor: "mp", From: "Command"},
		},
		"CommandNodes": {
			reason: "The number of nodes is such a flag.", args: []string{"--nnodes=2"}, live: onRay(after), platform: "ray", version: "0.9.0",
			want: decided{Executor: "mp", From: "Command"},
		},
		"CommandRay": {
			reason: "A command that names Ray gets it.", args: []string{"--distributed-executor-backend=ray"}, platform: "mp", version: "1.4.2",
			want: decided{Executor: "ray", From: "Command"},
		},
		"Pods": {
			reason: "Pods that run keep their executor.", live: liveExecutor{executor: "mp", images: []string{after}}, platform: "ray", version: "0.9.0",
			want: decided{Executor: "mp", From: "Pods"},
		},
		"Platform": {
			reason: "The platform says what new services get.", platform: "ray", version: "1.4.2",
			want: decided{Executor: "ray", From: "Input"},
		},
		"PlatformAndPods": {
			reason: "If the pods run what a new service would get, the reason is not that they run.", live: onRay(before), platform: "ray", version: "1.4.2",
			want: decided{Executor: "ray", From: "Input"},
		},
		"Release": {reason: "Otherwise it is mp since 1.0.0.", version: "1.0.0", want: decided{Executor: "mp", From: "Release"}},
		"Newest":  {reason: "The newest release has processes.", want: decided{Executor: "mp", From: "Release"}},
		"Old":     {reason: "Before, it is Ray.", version: "0.9.1", want: decided{Executor: "ray", From: "Release"}},
		"SameImage": {
			reason: "Pods on Ray whose image stays have Ray in it.", live: onRay(after), image: after, version: "1.4.2",
			want: decided{Executor: "ray", From: "Pods"},
		},
		"OwnImages": {
			reason: "Pods on Ray with an image of a release without it have an image to which Ray was added.", live: onRay("example.org/vllm:1.3.0"), image: after, version: "1.4.2",
			want: decided{Executor: "ray", From: "Pods"},
		},
		"LosesRay": {
			reason: "A new image without Ray could not start it.", live: onRay(before), image: after, version: "1.4.2",
			want: decided{Executor: "mp", From: "Release", Warnings: []string{loses}},
		},
		"LosesRayOfAnyRelease": {
			reason: "The release of the old image does not have to be known.", live: onRay("example.org/vllm:latest"), image: after, version: "1.4.2",
			want: decided{Executor: "mp", From: "Release", Warnings: []string{loses}},
		},
		"KeepsRay": {
			reason: "A new image with Ray changes nothing.", live: onRay("example.org/vllm:0.9.0"), image: before, version: "1.2.0",
			want: decided{Executor: "ray", From: "Pods"},
		},
		"LosesRayOfThePlatform": {
			reason: "The platform has images with Ray.", live: onRay(before), image: after, platform: "ray", version: "1.4.2",
			want: decided{Executor: "ray", From: "Input"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &v1alpha1.Service{ComponentType: v1alpha1.ComponentWorker, ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{
				Image: tc.image, Command: []string{"python3", "-m", "dynamo.vllm"}, Args: tc.args,
			}}}
			changes := []plantest.ComponentChange{plantest.WithNodes(2)}
			if tc.failover {
				changes = append(changes, plantest.WithFailover)
			}
			if tc.component != "" {
				changes = append(changes, plantest.WithAnnotation(annotation, tc.component))
			}
			graph := []plantest.GraphChange{plantest.Component("S", s, changes...)}
			if tc.graph != "" {
				graph = append(graph, plantest.Annotated(annotation, tc.graph))
			}
			g := plantest.Decoded(t, plantest.Graph(graph...))
			in := &inputv1alpha1.Input{Policy: inputv1alpha1.Policy{VLLM: inputv1alpha1.VLLM{DistributedExecutor: tc.platform}}}
			current := choices{executors: map[string]liveExecutor{"s": tc.live}}
			all, outcome := decide(g, in, map[string]runtime.Version{"S": tc.version}, current)
			got := decided{Executor: backend.Executor(all["S"].Executor), From: all["S"].ExecutorFrom, Warnings: outcome.Warnings.Texts(g)}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\ndecide(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
