package adoption

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// controlled by an object of the operator.
func controlled(kind, name string) func(object *unstructured.Unstructured) {
	return func(object *unstructured.Unstructured) {
		object.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: "nvidia.com/v1alpha1", Kind: kind, Name: name, UID: "1e7f0f3a-0000-4000-8000-000000000001", Controller: new(true),
		}})
	}
}

func TestRefusals(t *testing.T) {
	cases := map[string]struct {
		reason, graph string
		// value of the annotation, and the change of the live object with a kind and name.
		value, object string
		change        func(object *unstructured.Unstructured)
		// beside is true if the changed object is a copy, and the original exists as well.
		beside bool
		// want is part of each message. Empty: the graph is adopted.
		want []string
	}{
		"WithoutAnnotation": {
			reason: "Nothing is taken over from anybody unless the user says so.",
			graph:  "deployments",
			want:   []string{"would take over existing objects that have no controller, and delete them together with the graph"},
		},
		"AnotherController": {
			reason: "Only what the operator makes is known.",
			graph:  "deployments", value: "helm",
			want: []string{`metadata.annotations[dynamo.nvidia.com/adopt-from]: Unsupported value: "helm": supported values: "dynamo-operator"`},
		},
		"LiveGraphOfTheOperator": {
			reason: "The operator would write what it thinks of an object over what the graph says.",
			graph:  "grove", value: operator, object: "PodCliqueSet llama-with-a-long-name-1a2b", change: controlled("DynamoGraphDeployment", "llama-with-a-long-name-indeed-it-is"),
			want: []string{
				"cannot adopt PodCliqueSet llama-with-a-long-name-1a2b: it is controlled by DynamoGraphDeployment llama-with-a-long-name-indeed-it-is with UID 1e7f0f3a-0000-4000-8000-000000000001",
				"stop the Dynamo operator, and remove the owner references of the objects, or delete their owners with --cascade=orphan",
			},
		},
		"LiveComponent": {
			reason: "The operator controls Deployments by an object for each service.",
			graph:  "deployments", value: operator, object: "Deployment llama-decode-" + workerHash, change: controlled("DynamoComponentDeployment", "llama-decode-"+workerHash),
			want: []string{"cannot adopt Deployment llama-decode-1f2e3d4c: it is controlled by DynamoComponentDeployment llama-decode-1f2e3d4c"},
		},
		"LiveComponentOfAService": {
			reason: "Services are controlled like workloads.",
			graph:  "deployments", value: operator, object: "Service llama-decode-" + workerHash, change: controlled("DynamoComponentDeployment", "llama-decode-"+workerHash),
			want: []string{"cannot adopt Service llama-decode-1f2e3d4c: it is controlled by DynamoComponentDeployment llama-decode-1f2e3d4c"},
		},
		"ControlledClaim": {
			reason: "A claim that would be deleted with the operator's graph is named.",
			graph:  "deployments", value: operator, object: "PersistentVolumeClaim models", change: controlled("DynamoGraphDeployment", "llama"),
			want: []string{"cannot adopt PersistentVolumeClaim models: it is controlled by DynamoGraphDeployment llama"},
		},
		"TwoGenerations": {
			reason: "Of two generations of workers that run, one would be left behind with its GPUs.",
			graph:  "deployments", value: operator, object: "Deployment llama-decode-" + workerHash, beside: true,
			change: func(object *unstructured.Unstructured) { object.SetName("llama-decode-00000000") },
			want:   []string{"cannot adopt one of 2 objects of kind Deployment that run the same pods: llama-decode-00000000, llama-decode-1f2e3d4c"},
		},
		"EarlierGeneration": {
			reason: "The operator leaves earlier generations of workers behind without pods.",
			graph:  "deployments", value: operator, object: "Deployment llama-decode-" + workerHash, beside: true,
			change: func(object *unstructured.Unstructured) {
				object.SetName("llama-decode-00000000")
				_ = unstructured.SetNestedField(object.Object, int64(0), "spec", "replicas")
			},
		},
		"OtherImage": {
			reason: "A change that is made together with an adoption would be lost.",
			graph:  "deployments", value: operator, object: "Deployment llama-decode-" + workerHash,
			change: func(object *unstructured.Unstructured) {
				containers := []any{map[string]any{"name": "main", "image": "registry.example.com/runtime:0.9.0"}}
				_ = unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers")
			},
			want: []string{
				`spec.services[Decode].extraPodSpec.mainContainer.image: Invalid value: "registry.example.com/runtime:1.0.0": cannot be changed together with an adoption`,
				"the pods run registry.example.com/runtime:0.9.0",
			},
		},
		"ReplicasInOneSet": {
			reason: "A LeaderWorkerSet with several replicas runs all replicas of a service, so another one beside it would be left behind.",
			graph:  "leaderworkersets", value: operator, object: "LeaderWorkerSet llama-worker-" + workerHash + "-0",
			change: func(object *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(object.Object, int64(2), "spec", "replicas")
			},
			want: []string{"cannot adopt LeaderWorkerSet llama-worker-1f2e3d4c-0: it runs 2 replicas, and other LeaderWorkerSets run the same service", "let the operator complete its rollout first"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := subjectOf(t, tc.graph, own()[tc.graph], harness.Composition)
			if tc.object != "" {
				i := slices.IndexFunc(s.live, func(o *unstructured.Unstructured) bool { return id(o) == tc.object })
				if i < 0 {
					t.Fatalf("%s\nthere is no %s", tc.reason, tc.object)
				}
				if tc.beside {
					s.live = append(s.live, s.live[i].DeepCopy())
					i = len(s.live) - 1
				}
				tc.change(s.live[i])
			}
			manifest := s.manifest.DeepCopy()
			if tc.value != "" {
				manifest.SetAnnotations(map[string]string{annotation: tc.value})
			}
			g := crossplane.NewGraph(manifest, slices.Concat(s.cluster, s.live))
			_, err := s.pipeline.Settle(t.Context(), g, functions())
			if err == nil != (len(tc.want) == 0) {
				t.Fatalf("%s\nSettle(...): %v", tc.reason, err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s\nSettle(...): want %q in:\n%v", tc.reason, want, err)
				}
			}
			if len(tc.want) > 0 && len(g.Objects()) > 0 {
				t.Errorf("%s\nwant nothing composed, got %v", tc.reason, g.Composed())
			}
		})
	}
}

// TestLater shows what happens to an adopted graph later.
func TestLater(t *testing.T) {
	const decode = "Deployment llama-decode-" + workerHash
	t.Run("WithoutAnnotation", func(t *testing.T) {
		s := subjectOf(t, "deployments", harness.LWSVolcano, harness.Composition)
		g, err := s.adopt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.Edit(func(xr *unstructured.Unstructured) { xr.SetAnnotations(nil) })
		if _, err := s.pipeline.Settle(t.Context(), g, functions()); err != nil {
			t.Fatal(err)
		}
		if err := s.isAdopted(g); err != nil {
			t.Errorf("The objects tell by themselves that they are adopted: %v", err)
		}
	})
	t.Run("DeletedWorkload", func(t *testing.T) {
		s := subjectOf(t, "deployments", harness.LWSVolcano, harness.Composition)
		g, err := s.adopt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		g.Remove("deployment-decode")
		if _, err := s.pipeline.Settle(t.Context(), g, functions()); err != nil {
			t.Fatal(err)
		}
		if got := id(g.Object("deployment-decode")); got != decode {
			t.Errorf("The Service of a workload that is gone tells its name: want %s, got %s", decode, got)
		}
	})
	t.Run("MoreReplicas", func(t *testing.T) {
		s := subjectOf(t, "leaderworkersets", harness.LWSVolcano, harness.Composition)
		g, err := s.adopt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := podsOf(g)
		g.Edit(func(xr *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(xr.Object, int64(3), "spec", "services", "Worker", "replicas")
		})
		if _, err := s.pipeline.Settle(t.Context(), g, functions()); err != nil {
			t.Fatal(err)
		}
		added := g.Object("leaderworkerset-worker-2")
		if added == nil || added.GetName() != "llama-worker-"+workerHash+"-2" {
			t.Errorf("A further replica is called like the others, got %v", added)
		}
		after := podsOf(g)
		for name := range before {
			if before[name].image != after[name].image || before[name].suffix != after[name].suffix {
				t.Errorf("%s: pods of other replicas stay as they are", name)
			}
		}
		if p := after["LeaderWorkerSet llama-worker-"+workerHash+"-2, leaderTemplate"]; p.suffix != workerHash {
			t.Errorf("The pods of a further replica find the others: want generation %s, got %q", workerHash, p.suffix)
		}
	})
	t.Run("AccountOfPlanners", func(t *testing.T) {
		s := subjectOf(t, "deployments", harness.LWSVolcano, harness.Composition)
		g, err := s.adopt(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !subjects(g, "planner-rolebinding", "planner-serviceaccount") || !subjects(g, "discovery-rolebinding", "planner-serviceaccount") {
			t.Error("The account of the planners, whose permissions go with the operator, has those of the graph")
		}
		if err := s.changeImage(t.Context(), g, "Planner"); err != nil {
			t.Fatal(err)
		}
		if subjects(g, "planner-rolebinding", "planner-serviceaccount") {
			t.Error("The account of the planners has no permissions any more once no pod runs as it")
		}
	})
}

// subjects reports whether a ServiceAccount is a subject of a binding.
func subjects(g *crossplane.Graph, key, account string) bool {
	list, _, _ := unstructured.NestedSlice(g.Object(key).Object, "subjects")
	return slices.ContainsFunc(list, func(s any) bool {
		subject, ok := s.(map[string]any)
		return ok && subject["name"] == account
	})
}
