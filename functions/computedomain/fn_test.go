package computedomain

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	corev1 "k8s.io/api/core/v1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// responseCase is one request and the whole response to it.
type responseCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse
}

func compare(t *testing.T, cases map[string]responseCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := tc.want(copyOf(tc.req))
			if diff := cmp.Diff(want, run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// passed is the response that passes the request through.
func passed(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	return steptest.Answer(req, req.GetDesired())
}

// composing is the response with this desired state that names new domains.
func composing(objects map[string]any, created string) func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	return func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		return answer(req, objects, announcing(created))
	}
}

// others are resources of other steps.
func others() map[string]any {
	return map[string]any{
		"service-frontend":    `{"apiVersion":"v1","kind":"Service"}`,
		"deployment-frontend": deployment("llama-frontend", gpuPod()),
		"gateway":             deployment("gateway", gpuPod()),
	}
}

func onePodCliqueSet(worker corev1.PodSpec) *grovev1alpha1.PodCliqueSet {
	return podCliqueSet(clique("frontend", plainPod()), clique("worker", worker))
}

func usageOfPodCliqueSet() *protectionv1beta1.Usage {
	return usageOf("llama-0", "llama-0", "grove.io/v1alpha1", "PodCliqueSet", "llama")
}

// TestPassThrough compares whole responses to requests that have nothing for the step to do.
func TestPassThrough(t *testing.T) {
	compare(t, map[string]responseCase{
		"Off": {
			reason: "Without a decision nothing is touched, pods with GPUs least of all.",
			req:    request(single, planOn(t, graphplan.Deployment, without()), others()),
			want:   passed,
		},
		"Grove": {
			reason: "Grove makes the domains itself.",
			req:    request(single, planOn(t, graphplan.Grove, graphplan.MNNVL{Mode: graphplan.MNNVLGrove}), map[string]any{"podcliqueset": onePodCliqueSet(gpuPod())}),
			want:   passed,
		},
		"Nothing": {
			reason: "A state without resources stays as it is.",
			req:    request(single, planOn(t, graphplan.Deployment, without()), nil),
			want:   passed,
		},
		"ForeignKeys": {
			reason: "Objects of other steps under keys like ours are not ours to keep.",
			req: request(single, planOn(t, graphplan.Deployment, without()), others(), observing(map[string]any{
				"computedomain-mine":        domainOf("mine", "0", nil),
				"computedomain-worker-0":    `{"apiVersion":"example.org/v1","kind":"ComputeDomain","metadata":{"name":"x"}}`,
				"usage-computedomain-other": `{"apiVersion":"apiextensions.crossplane.io/v1alpha1","kind":"Usage","metadata":{"name":"x"}}`,
			})),
			want: passed,
		},
	})
}

// TestCompose compares whole responses to requests of mode Auto.
func TestCompose(t *testing.T) {
	sets := func(leader, worker corev1.PodSpec) map[string]any {
		return map[string]any{
			"leaderworkerset-worker-0": leaderWorkerSet("llama-worker-0", gpuPod(), gpuPod()),
			"leaderworkerset-worker-1": leaderWorkerSet("llama-worker-1", leader, worker),
		}
	}
	grove := held(map[string]any{
		"podcliqueset": onePodCliqueSet(claiming("llama-0")), "computedomain-0": domainOf("llama-0", "0", nil), "usage-computedomain-0": usageOfPodCliqueSet(),
	}, "podcliqueset")
	bothSets := []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1"}
	compare(t, map[string]responseCase{
		"SingleNodeOnGrove": {
			reason: "The clique of a member claims a channel of the graph's domain; the others do not.",
			req:    request(single, planOn(t, graphplan.Grove, auto(graphplan.ScopeGraph)), map[string]any{"podcliqueset": onePodCliqueSet(gpuPod())}),
			want:   composing(grove, "llama-0"),
		},
		"ScopeReplicaOnGrove": {
			reason: "On Grove there is one domain in either scope.",
			req:    request(single, planOn(t, graphplan.Grove, auto(graphplan.ScopeReplica)), map[string]any{"podcliqueset": onePodCliqueSet(gpuPod())}),
			want:   composing(grove, "llama-0"),
		},
		"MultinodeOnGrove": {
			reason: "Both cliques of a service that spans nodes claim channels.",
			req:    request(multi, planOn(t, graphplan.Grove, auto(graphplan.ScopeGraph)), map[string]any{"podcliqueset": podCliqueSet(clique("worker-ldr", gpuPod()), clique("worker-wkr", gpuPod()))}),
			want: composing(held(map[string]any{
				"podcliqueset":          podCliqueSet(clique("worker-ldr", claiming("llama-0")), clique("worker-wkr", claiming("llama-0"))),
				"computedomain-0":       domainOf("llama-0", "0", nil),
				"usage-computedomain-0": usageOfPodCliqueSet(),
			}, "podcliqueset"), "llama-0"),
		},
		"ScopeGraphOnLeaderWorkerSets": {
			reason: "All replicas claim channels of one domain, which each of them protects; a leader without GPUs claims none.",
			req:    request(multi, planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeGraph)), with(others(), sets(plainPod(), gpuPod()))),
			want: composing(held(with(others(), map[string]any{
				"leaderworkerset-worker-0":       leaderWorkerSet("llama-worker-0", claiming("llama-0"), claiming("llama-0")),
				"leaderworkerset-worker-1":       leaderWorkerSet("llama-worker-1", plainPod(), claiming("llama-0")),
				"computedomain-0":                domainOf("llama-0", "0", nil),
				"usage-computedomain-0-worker-0": usageOfSet("llama-0-worker-0", "llama-0", "llama-worker-0"),
				"usage-computedomain-0-worker-1": usageOfSet("llama-0-worker-1", "llama-0", "llama-worker-1"),
			}), bothSets...), "llama-0"),
		},
		"ScopeReplicaOnLeaderWorkerSets": {
			reason: "Each replica has a domain of its own, and there is none of the graph.",
			req:    request(multi, planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeReplica)), with(others(), sets(gpuPod(), gpuPod()))),
			want: composing(held(with(others(), map[string]any{
				"leaderworkerset-worker-0":     leaderWorkerSet("llama-worker-0", claiming("llama-worker-0"), claiming("llama-worker-0")),
				"leaderworkerset-worker-1":     leaderWorkerSet("llama-worker-1", claiming("llama-worker-1"), claiming("llama-worker-1")),
				"computedomain-worker-0":       replicaDomainOf("0"),
				"computedomain-worker-1":       replicaDomainOf("1"),
				"usage-computedomain-worker-0": usageOfSet("llama-worker-0", "llama-worker-0", "llama-worker-0"),
				"usage-computedomain-worker-1": usageOfSet("llama-worker-1", "llama-worker-1", "llama-worker-1"),
			}), bothSets...), "llama-worker-0, llama-worker-1"),
		},
		"Deployment": {
			reason: "A service of one node shares the graph's domain.",
			req:    request(single, planOn(t, graphplan.Deployment, auto(graphplan.ScopeGraph)), with(others(), map[string]any{"deployment-worker": deployment("llama-worker", gpuPod())})),
			want: composing(held(with(others(), map[string]any{
				"deployment-worker":            deployment("llama-worker", claiming("llama-0")),
				"computedomain-0":              domainOf("llama-0", "0", nil),
				"usage-computedomain-0-worker": usageOf("llama-0-worker", "llama-0", "apps/v1", "Deployment", "llama-worker"),
			}), "deployment-worker"), "llama-0"),
		},
		"DeploymentInScopeReplica": {
			reason: "A domain of one replica is one of several nodes, which a Deployment's replica is not.",
			req:    request(single, planOn(t, graphplan.Deployment, auto(graphplan.ScopeReplica)), map[string]any{"deployment-worker": deployment("llama-worker", gpuPod())}),
			want:   passed,
		},
		"NoMembers": {
			reason: "The domain of a graph stays without a service that uses it.",
			req:    request(single, planOn(t, graphplan.Grove, nobody(graphplan.ScopeGraph)), map[string]any{"podcliqueset": onePodCliqueSet(gpuPod())}),
			want: composing(map[string]any{
				"podcliqueset": onePodCliqueSet(gpuPod()), "computedomain-0": domainOf("llama-0", "0", nil),
			}, "llama-0"),
		},
		"ScaledToZero": {
			reason: "A service without replicas has no domains.",
			req:    request(`{"services":{"Frontend":{},"Worker":{"replicas":0,"multinode":{"nodeCount":4}}}}`, planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeReplica)), others()),
			want:   passed,
		},
		"Observed": {
			reason: "A domain that exists is not announced again.",
			req: request(single, planOn(t, graphplan.Grove, auto(graphplan.ScopeGraph)), map[string]any{"podcliqueset": onePodCliqueSet(gpuPod())}, observing(map[string]any{
				"computedomain-0": domainOf("llama-0", "0", nil), "usage-computedomain-0": usageOfPodCliqueSet(),
			})),
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return answer(req, grove) },
		},
		"OneMore": {
			reason: "Only the domain of the new replica is announced.",
			req: request(multi, planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeReplica)), sets(gpuPod(), gpuPod()), observing(map[string]any{
				"computedomain-worker-0": replicaDomainOf("0"),
			})),
			want: composing(held(map[string]any{
				"leaderworkerset-worker-0":     leaderWorkerSet("llama-worker-0", claiming("llama-worker-0"), claiming("llama-worker-0")),
				"leaderworkerset-worker-1":     leaderWorkerSet("llama-worker-1", claiming("llama-worker-1"), claiming("llama-worker-1")),
				"computedomain-worker-0":       replicaDomainOf("0"),
				"computedomain-worker-1":       replicaDomainOf("1"),
				"usage-computedomain-worker-0": usageOfSet("llama-worker-0", "llama-worker-0", "llama-worker-0"),
				"usage-computedomain-worker-1": usageOfSet("llama-worker-1", "llama-worker-1", "llama-worker-1"),
			}, bothSets...), "llama-worker-1"),
		},
	})
}

// TestRefused compares whole responses to requests with something wrong.
func TestRefused(t *testing.T) {
	const wiring = "cannot add claims to the pods of desired resource "
	withInput := request(single, planOn(t, graphplan.Deployment, without()), others())
	withInput.Input = resource.MustStructJSON(`{"kind":"Input"}`)
	withoutPlan := request(single, planOn(t, graphplan.Deployment, without()), others())
	withoutPlan.Context = nil
	grove := func(set any) *fnv1.RunFunctionRequest {
		return request(single, planOn(t, graphplan.Grove, auto(graphplan.ScopeGraph)), map[string]any{"podcliqueset": set})
	}
	sets := func(objects map[string]any) *fnv1.RunFunctionRequest {
		return request(multi, planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeReplica)), objects)
	}

	cases := map[string]struct {
		reason  string
		req     *fnv1.RunFunctionRequest
		message string
	}{
		"NoPlan": {
			reason: "Without a plan silence would delete the domains.", req: withoutPlan,
			message: "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, and the resources that step plan requires must be provided",
		},
		"Input": {
			reason: "An input would be ignored silently.", req: withInput,
			message: "this step does not support input; remove the input from the Composition, and set policy in the input of step plan",
		},
		"BeforeGrove": {
			reason: "Pods that do not exist yet cannot be given claims.", req: request(single, planOn(t, graphplan.Grove, auto(graphplan.ScopeGraph)), others()),
			message: "there is no desired resource podcliqueset: step grove must run before this step",
		},
		"BeforeLWS": {
			reason: "LeaderWorkerSets that do not exist yet cannot be given claims.", req: sets(others()),
			message: "there is no desired resource leaderworkerset-worker-0: step lws must run before this step",
		},
		"BeforeDeployments": {
			reason: "Deployments that do not exist yet cannot be given claims.", req: request(single, planOn(t, graphplan.Deployment, auto(graphplan.ScopeGraph)), others()),
			message: "there is no desired resource deployment-worker: step lws must run before this step",
		},
		"UnknownService": {
			reason: "A plan of another graph is not carried out.", req: request(`{"services":{"Frontend":{}}}`, planOn(t, graphplan.Deployment, auto(graphplan.ScopeGraph)), others()),
			message: "cannot claim channels for component Worker: the plan names the component, but the graph does not have it",
		},
		"ForeignKind": {
			reason: "Another step may use a key of ours.", req: grove(`{"apiVersion":"v1","kind":"ConfigMap"}`),
			message: wiring + "podcliqueset: the desired resource must be a PodCliqueSet of grove.io/v1alpha1, but is a ConfigMap of v1; check whether another step of the pipeline sets it",
		},
		"NoTemplate": {
			reason: "A workload without pods is malformed.", req: grove(`{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet"}`),
			message: wiring + "podcliqueset: spec is not an object",
		},
		"CliquesNoList": {
			reason: "A PodCliqueSet whose cliques are no list is malformed.", req: grove(`{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","spec":{"template":{"cliques":"x"}}}`),
			message: wiring + "podcliqueset: spec.template: cliques is not a list",
		},
		"CliqueNoObject": {
			reason: "A PodCliqueSet whose cliques are no objects is malformed.", req: grove(`{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","namespace":"inference"},"spec":{"template":{"cliques":[3]}}}`),
			message: wiring + "podcliqueset: spec.template: cliques[0] is not an object",
		},
		"CliqueWithoutPod": {
			reason: "A PodCliqueSet whose cliques have no pods is malformed.", req: grove(`{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","namespace":"inference"},"spec":{"template":{"cliques":[{"name":"worker","spec":{}}]}}}`),
			message: wiring + "podcliqueset: clique worker: spec.podSpec is not an object",
		},
		"NoClique": {
			reason: "A member whose clique is missing would run without its domain.", req: grove(podCliqueSet(clique("frontend", gpuPod()))),
			message: wiring + "podcliqueset: there is no clique worker",
		},
		"NoLeader": {
			reason: "A LeaderWorkerSet that claims domains has a leader template.", req: sets(map[string]any{
				"leaderworkerset-worker-0": `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","spec":{"leaderWorkerTemplate":{}}}`,
			}),
			message: wiring + "leaderworkerset-worker-0: spec.leaderWorkerTemplate.leaderTemplate is not an object",
		},
		"NoWorker": {
			reason: "A LeaderWorkerSet that claims domains has a worker template.", req: sets(map[string]any{
				"leaderworkerset-worker-0": `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","spec":{"leaderWorkerTemplate":{"leaderTemplate":{"spec":{}},"workerTemplate":{"spec":"x"}}}}`,
			}),
			message: wiring + "leaderworkerset-worker-0: spec.leaderWorkerTemplate.workerTemplate.spec is not an object",
		},
		"Containers": {
			reason: "Containers that are no list are refused, not passed over.", req: request(single, planOn(t, graphplan.Deployment, auto(graphplan.ScopeGraph)), map[string]any{
				"deployment-worker": `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama-worker","namespace":"inference"},"spec":{"template":{"spec":{"containers":{}}}}}`,
			}),
			message: wiring + "deployment-worker: containers is not a list",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := steptest.Refused(copyOf(tc.req), tc.message)
			if diff := cmp.Diff(want, run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAgain runs the step on what it answered: that changes nothing, and neither does running it many times.
func TestAgain(t *testing.T) {
	cases := map[string]*fnv1.RunFunctionRequest{
		"Grove":       request(single, planOn(t, graphplan.Grove, auto(graphplan.ScopeGraph)), map[string]any{"podcliqueset": onePodCliqueSet(gpuPod())}),
		"Deployments": request(single, planOn(t, graphplan.Deployment, auto(graphplan.ScopeGraph)), map[string]any{"deployment-worker": deployment("llama-worker", gpuPod())}),
		"Sets": request(multi, planOn(t, graphplan.LeaderWorkerSet, auto(graphplan.ScopeReplica)), map[string]any{
			"leaderworkerset-worker-0": leaderWorkerSet("llama-worker-0", gpuPod(), gpuPod()),
			"leaderworkerset-worker-1": leaderWorkerSet("llama-worker-1", gpuPod(), gpuPod()),
		}),
	}
	for name, req := range cases {
		t.Run(name, func(t *testing.T) {
			first := run(t, copyOf(req))
			encoded := encode(t, first)
			for range 20 {
				if again := encode(t, run(t, copyOf(req))); !bytes.Equal(again, encoded) {
					t.Fatal("the same request has two answers")
				}
			}
			twice := copyOf(req)
			twice.Desired = proto.CloneOf(first.GetDesired())
			if diff := cmp.Diff(first, run(t, twice), protocmp.Transform()); diff != "" {
				t.Errorf("twice is not the same as once: -once, +twice:\n%s", diff)
			}
		})
	}
}

func encode(t *testing.T, rsp *fnv1.RunFunctionResponse) []byte {
	t.Helper()
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
