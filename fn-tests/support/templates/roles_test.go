package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// object of one workload, as JSON has it.
func object(kind string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       kind,
		"metadata": map[string]any{
			"name":        "chat",
			"namespace":   "inference",
			"annotations": map[string]any{harness.KeyAnnotation: "workload", "grove.io/auto-mnnvl": "disabled"},
		},
		"spec": spec,
	}}
}

func podCliqueSetSpec() map[string]any {
	pods := func(image string) map[string]any {
		return map[string]any{"containers": []any{map[string]any{"name": "main", "image": image, "env": []any{map[string]any{"name": "A", "value": "1"}}}}}
	}
	clique := func(name string) map[string]any {
		return map[string]any{
			"name":   name,
			"labels": map[string]any{"role": name},
			"spec":   map[string]any{"roleName": name, "replicas": int64(1), "minAvailable": int64(1), "podSpec": pods("image")},
		}
	}
	return map[string]any{"replicas": int64(1), "template": map[string]any{
		"terminationDelay":       "4h",
		"cliques":                []any{clique("frontend"), clique("decode-ldr")},
		"podCliqueScalingGroups": []any{map[string]any{"name": "decode", "replicas": int64(2), "cliqueNames": []any{"decode-ldr"}}},
	}}
}

func leaderWorkerSetSpec() map[string]any {
	template := func() map[string]any {
		return map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}, "spec": map[string]any{}}
	}
	return map[string]any{"replicas": int64(1), "startupPolicy": "LeaderCreated", "leaderWorkerTemplate": map[string]any{
		"size": int64(2), "leaderTemplate": template(), "workerTemplate": template(),
	}}
}

func deploymentSpec() map[string]any {
	return map[string]any{"replicas": int64(1), "selector": map[string]any{"matchLabels": map[string]any{"a": "b"}}, "template": map[string]any{"spec": map[string]any{}}}
}

func TestRoles(t *testing.T) {
	set := func(value any, path ...string) func(t *testing.T, object *unstructured.Unstructured) {
		return func(t *testing.T, object *unstructured.Unstructured) {
			t.Helper()
			if err := unstructured.SetNestedField(object.Object, value, path...); err != nil {
				t.Fatal(err)
			}
		}
	}
	inClique := func(change func(clique map[string]any)) func(t *testing.T, object *unstructured.Unstructured) {
		return func(t *testing.T, object *unstructured.Unstructured) {
			t.Helper()
			cliques, _ := valueAt(object.Object, "spec", "template", "cliques").([]any)
			clique, ok := cliques[1].(map[string]any)
			if !ok {
				t.Fatal("there is no clique")
			}
			change(clique)
		}
	}
	inCliqueSpec := func(field string, value any) func(t *testing.T, object *unstructured.Unstructured) {
		return inClique(func(clique map[string]any) {
			if spec, ok := clique["spec"].(map[string]any); ok {
				spec[field] = value
			}
		})
	}

	cases := map[string]struct {
		reason string
		kind   string
		spec   map[string]any
		change func(t *testing.T, object *unstructured.Unstructured)
		want   []string
	}{
		"CliqueLabel": {
			reason: "Grove replaces the pods of a clique when a label of it changes, and no others.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: inClique(func(clique map[string]any) { clique["labels"] = map[string]any{"role": "other"} }),
			want:   []string{"decode-ldr"},
		},
		"CliqueAnnotation": {
			reason: "Grove replaces the pods of a clique when an annotation of it changes, and no others.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: inClique(func(clique map[string]any) { clique["annotations"] = map[string]any{"a": "b"} }),
			want:   []string{"decode-ldr"},
		},
		"CliqueOrderOfEnv": {
			reason: "Grove compares lists in their order.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: inClique(func(clique map[string]any) {
				pods, _ := valueAt(clique, "spec", "podSpec").(map[string]any)
				containers, _ := pods["containers"].([]any)
				pods["containers"] = append([]any{map[string]any{"name": "sidecar"}}, containers...)
			}),
			want: []string{"decode-ldr"},
		},
		"PriorityClass": {
			reason: "The priority class of the set is in the pods of all cliques.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: set("high", "spec", "template", "priorityClassName"),
			want:   []string{"decode-ldr", "frontend"},
		},
		"CliqueMinAvailable": {
			reason: "Grove refuses a change of the gang.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: inCliqueSpec("minAvailable", int64(2)),
			want:   []string{fixed},
		},
		"CliqueReplicas": {
			reason: "Scaling a clique replaces no pods.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: inCliqueSpec("replicas", int64(2)),
		},
		"GroveAnnotation": {
			reason: "Grove refuses a change of what it is told about NVLink.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: set("enabled", "metadata", "annotations", "grove.io/auto-mnnvl"),
			want:   []string{fixed},
		},
		"OtherAnnotation": {
			reason: "Other annotations of a set reach no pod.",
			kind:   "PodCliqueSet", spec: podCliqueSetSpec(),
			change: set("b", "metadata", "annotations", "a"),
		},
		"Name": {
			reason: "An object with another name is another object.",
			kind:   "Deployment", spec: deploymentSpec(),
			change: set("other", "metadata", "name"),
			want:   []string{fixed},
		},
		"Selector": {
			reason: "The API server refuses a change of the selector.",
			kind:   "Deployment", spec: deploymentSpec(),
			change: set("c", "spec", "selector", "matchLabels", "a"),
			want:   []string{fixed},
		},
		"DeploymentTemplate": {
			reason: "What is in the template is in the pods.",
			kind:   "Deployment", spec: deploymentSpec(),
			change: set("b", "spec", "template", "metadata", "labels", "a"),
			want:   []string{"pods"},
		},
		"LeaderTemplate": {
			reason: "What is in the template of the leader is in its pod.",
			kind:   "LeaderWorkerSet", spec: leaderWorkerSetSpec(),
			change: set("c", "spec", "leaderWorkerTemplate", "leaderTemplate", "metadata", "labels", "a"),
			want:   []string{"leader"},
		},
		"Size": {
			reason: "Groups of another size are other groups.",
			kind:   "LeaderWorkerSet", spec: leaderWorkerSetSpec(),
			change: set(int64(4), "spec", "leaderWorkerTemplate", "size"),
			want:   []string{"leader", "worker"},
		},
		"NetworkConfig": {
			reason: "LeaderWorkerSet has the network configuration in its revisions.",
			kind:   "LeaderWorkerSet", spec: leaderWorkerSetSpec(),
			change: set("UniquePerReplica", "spec", "networkConfig", "subdomainPolicy"),
			want:   []string{"leader", "worker"},
		},
		"LeaderWorkerSetReplicas": {
			reason: "Scaling a LeaderWorkerSet replaces no pods.",
			kind:   "LeaderWorkerSet", spec: leaderWorkerSetSpec(),
			change: set(int64(3), "spec", "replicas"),
		},
		"ComputeDomain": {
			reason: "The spec of a domain cannot be changed.",
			kind:   "ComputeDomain", spec: map[string]any{"numNodes": int64(0)},
			change: set(int64(2), "spec", "numNodes"),
			want:   []string{fixed},
		},
		"Service": {
			reason: "A Service has no pods.",
			kind:   "Service", spec: map[string]any{"type": "ClusterIP"},
			change: set("LoadBalancer", "spec", "type"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			source, workload := object("DynamoGraphDeployment", nil), object(tc.kind, tc.spec)
			before, err := OutlineOf("chat", "cluster", source, []*unstructured.Unstructured{workload})
			if err != nil {
				t.Fatal(err)
			}
			changed := workload.DeepCopy()
			tc.change(t, changed)
			after, err := OutlineOf("chat", "cluster", source, []*unstructured.Unstructured{changed})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range Changes([]Outline{before}, []Outline{after}) {
				got = append(got, c.Role)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nroles that change: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
