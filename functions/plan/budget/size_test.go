package budget_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
)

// onCluster is a cluster with LeaderWorkerSet and Volcano, or with Grove beside them.
func onCluster(grove bool) plantest.RequestOption {
	groups := []string{"lws", "volcano"}
	if grove {
		groups = append(groups, "grove")
	}
	return func(req *fnv1.RunFunctionRequest) {
		plantest.WithGroups(groups...)(req)
		plantest.WithVolcanoQueue("Open")(req)
	}
}

// decode is a component of a number of replicas.
func decode(name string, replicas int32) plantest.GraphChange {
	return plantest.Component(name, plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm"), plantest.WithReplicas(replicas), plantest.WithNodes(2), plantest.WithGPUs("8"),
		plantest.WithArgs("--tensor-parallel-size", "16", "--served-model-name", "m"))
}

func TestSize(t *testing.T) {
	cases := map[string]struct {
		reason  string
		req     *fnv1.RunFunctionRequest
		refused bool
		want    []string
	}{
		"Fits": {
			reason: "A graph that is far from the limit is not spoken of.",
			req:    plantest.Request(plantest.Graph(decode("a", 300)), onCluster(false)),
		},
		"NearTheLimit": {
			reason: "A graph that is near the limit is warned of.",
			req:    plantest.Request(plantest.Graph(decode("a", 500), decode("b", 50)), onCluster(false)),
			want: []string{
				"spec.services: the objects of the graph take up 3.", " MiB of the 4 MiB that Crossplane accepts from a function: a ", " MiB (500 replicas of ", " KiB), b ",
				" KiB (50 replicas of ", "; before the graph grows, use fewer replicas, ",
			},
		},
		"TooManyReplicas": {
			reason:  "A graph that does not fit is refused, with the services that take most.",
			req:     plantest.Request(plantest.Graph(decode("a", 100), decode("b", 2000), decode("c", 1), decode("d", 2)), onCluster(false)),
			refused: true,
			want: []string{
				"spec.services: Invalid value: the objects of the graph take up 14.", " MiB, but Crossplane accepts at most 4 MiB from a function: b ", " MiB (2000 replicas of ",
				" KiB), a ", " KiB), d ", ", 1 more services; use fewer replicas, shorter args and envs, several graphs, or Grove, where replicas are a number instead of objects",
			},
		},
		"SameOnGrove": {
			reason: "A graph that does not fit on LeaderWorkerSets fits on Grove.",
			req: plantest.Request(plantest.Graph(decode("a", 100), decode("b", 2000), decode("c", 1), decode("d", 2)), onCluster(true),
				plantest.WithInput(inputv1alpha1.Policy{KAI: inputv1alpha1.KAI{Mode: inputv1alpha1.ModeDisabled}})),
		},
		"LongVariablesOnGrove": {
			reason: "On Grove it is the pods that are large, above all by what is written once for all of them.",
			req: plantest.Request(plantest.Graph(decode("a", 1), decode("b", 1), decode("c", 1), decode("d", 1), decode("e", 1), decode("f", 1), decode("g", 1), decode("h", 1), decode("i", 1),
				func(xr *v1alpha1.DynamoGraphDeployment) {
					xr.Spec.Envs = []corev1.EnvVar{{Name: "BLOB", Value: strings.Repeat("x", 250_000)}}
				}), onCluster(true)),
			refused: true,
			want: []string{
				"the objects of the graph take up 4.35 MiB", ": a 494.", " KiB, b 494.", " KiB, c 494.", " KiB, 6 more services; ",
				"; use shorter args and envs (pods can mount long values from a ConfigMap), or several graphs",
			},
		},
		"OtherSteps": {
			reason:  "What other steps compose goes through the same response.",
			req:     plantest.Request(plantest.Graph(decode("a", 250)), onCluster(false), withDesired(3<<20)),
			refused: true,
			want:    []string{"the objects of the graph take up 4.", ", 3.00 MiB from other steps; "},
		},
		"Live": {
			reason: "A live graph that would outgrow the limit is refused as well; a Fatal leaves all that runs as it is.",
			req: plantest.Request(plantest.Graph(decode("a", 2000)), onCluster(false),
				plantest.WithObserved("leaderworkerset-a-0", plantest.LeaderWorkerSet("llama-a-0"))),
			refused: true,
			want:    []string{"Crossplane accepts at most 4 MiB"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := whole.Run(t, tc.req)
			if refused := out.Plan == nil; refused != tc.refused {
				t.Errorf("%s\nrefused: want %t, got %t", tc.reason, tc.refused, refused)
			}
			if len(tc.want) == 0 && len(out.Texts) > 0 {
				t.Errorf("%s\nwant no message, got %s", tc.reason, out.Texts)
			}
			for _, want := range tc.want {
				if !strings.Contains(strings.Join(out.Texts, "\n"), want) {
					t.Errorf("%s\nwant %q, got %s", tc.reason, want, out.Texts)
				}
			}
		})
	}
}

// withDesired composes so much in another step.
func withDesired(bytes int) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		object := resource.MustStructJSON(`{"apiVersion":"v1","kind":"ConfigMap"}`)
		object.Fields["data"] = structpb.NewStringValue(strings.Repeat("x", bytes))
		req.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{"other": {Resource: object}}}
	}
}

// TestSizeIsStable holds the warning still while the graph comes up: each change of it would be an event.
func TestSizeIsStable(t *testing.T) {
	warn := func(options ...plantest.RequestOption) string {
		req := plantest.Request(plantest.Graph(decode("a", 580)), append([]plantest.RequestOption{onCluster(false)}, options...)...)
		return whole.Run(t, req).Condition(condition.TypeAccepted).GetMessage()
	}
	first := warn()
	if first == "" {
		t.Fatal("there is no warning")
	}
	live := warn(plantest.WithObserved("leaderworkerset-a-0", plantest.ReplicaOnVolcano("llama-a-0", func(set *lwsv1.LeaderWorkerSet) { set.Status.Replicas = 1 })))
	if live != first {
		t.Errorf("the warning changed from %q to %q", first, live)
	}
	planned := whole.Run(t, plantest.Request(plantest.Graph(decode("a", 580)), onCluster(false))).Response
	if again := warn(func(req *fnv1.RunFunctionRequest) { req.Context = planned.GetContext() }); again != first {
		t.Errorf("the warning changed from %q to %q when the plan was handed back", first, again)
	}
}

// TestDomainsOfReplicas shows that the NVLink domain of each replica counts, with the Usage that protects it.
func TestDomainsOfReplicas(t *testing.T) {
	const replicas = 100
	estimate := func(scope inputv1alpha1.MNNVLScope) int64 {
		req := plantest.Request(plantest.Graph(decode("a", replicas)), onCluster(false), plantest.WithServed("resource-nvidia"), plantest.WithServed("resource"),
			plantest.WithInput(inputv1alpha1.Policy{MNNVL: inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, Scope: scope}}))
		bytes, _ := estimateOf(t, whole.WithFreeNames(t, req))
		return bytes
	}
	if least, got := int64(replicas*500), estimate(inputv1alpha1.MNNVLScopeReplica)-estimate(inputv1alpha1.MNNVLScopeGraph); got < least {
		t.Errorf("want the domains of %d replicas to take up at least %d bytes, got %d", replicas, least, got)
	}
}

// TestLookupsDoNotFit calls the step with a graph whose objects fit into a response, though not together with the names of those
// that are looked up first.
func TestLookupsDoNotFit(t *testing.T) {
	for name, fused := range map[string]bool{"Chain": false, "Fused": true} {
		t.Run(name, func(t *testing.T) {
			req := plantest.Request(plantest.Graph(decode("a", 580)), onCluster(false))
			fn := plan.NewFunction(logging.NewNopLogger())
			rsp, err := fn.RunFunction(t.Context(), req)
			if fused {
				rsp, _, err = fn.Plan(t.Context(), req)
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range rsp.GetConditions() {
				if c.GetType() == condition.TypeAccepted {
					got = append(got, c.GetReason())
				}
			}
			want := map[bool][]string{true: {condition.ReasonInvalid}}[fused]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want a graph that is too large refused as such, and only where the rest of the pipeline adds to the same response: reasons of Accepted: -want, +got:\n%s", diff)
			}
		})
	}
}
