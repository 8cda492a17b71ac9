package why

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

var listPods = preview.ForbiddenError{Verb: "list", Resource: "pods", Namespace: "inference"}

// TestCollectAsks checks what is read: nothing that contains secrets, and only kinds that the graph has objects of, because others may not be
// installed.
func TestCollectAsks(t *testing.T) {
	cases := map[string]struct {
		reason string
		file   string
		want   []string
	}{
		"Deployments": {
			reason: "Deployments have ReplicaSets.", file: "image.yaml",
			want: []string{"get DynamoGraphDeployment", "get Deployment", "list ReplicaSet", "list Pod", "list Event"},
		},
		"LeaderWorkerSets": {
			reason: "LeaderWorkerSets have StatefulSets and events of their own.", file: "quota-sets.yaml",
			want: []string{
				"get DynamoGraphDeployment", "get Deployment", "get LeaderWorkerSet", "get PodGroup", "list ReplicaSet", "list StatefulSet", "list Pod", "list Event", "list Event", "list Event",
			},
		},
		"Grove": {
			reason: "A PodCliqueSet has PodCliques, and its pods name the gangs of KAI.", file: "gang.yaml",
			want: []string{
				"get DynamoGraphDeployment", "get PodCliqueSet", "list PodCliqueScalingGroup", "list PodClique", "list PodGang", "list Pod", "get PodGroup", "list Event",
			},
		},
		"Claim": {
			reason: "Without the composite resource, all kinds of objects are looked up by their labels.", file: "claim.yaml",
			want: []string{
				"get DynamoGraphDeployment", "get XDynamoGraphDeployment", "list Deployment", "list HorizontalPodAutoscaler", "list LeaderWorkerSet",
				"list PersistentVolumeClaim", "list PodCliqueSet", "list PodGroup", "list PodGroup", "list ReplicaSet", "list Pod", "list Event",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := clusterIn(t, tc.file)
			graph := graphIn(t, r.objects)
			if _, err := Collect(r, graph.GetNamespace(), graph.GetName()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, r.asked); diff != "" {
				t.Errorf("%s\nasked: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// failing is a cluster that fails when a kind is read.
type failing struct {
	*fakeReader

	kind string
}

func (f *failing) Get(q preview.Query) ([]unstructured.Unstructured, error) {
	if q.Kind == f.kind {
		return nil, errors.New("connection refused")
	}
	return f.fakeReader.Get(q)
}

// TestCollectFails checks that a cluster that cannot be reached is not taken for an empty one.
func TestCollectFails(t *testing.T) {
	for _, file := range []string{"gang.yaml", "quota-sets.yaml", "claim.yaml"} {
		for _, kind := range []string{
			"DynamoGraphDeployment", "XDynamoGraphDeployment", "PodCliqueSet", "PodClique", "PodGang", "PodGroup", "Deployment", "ReplicaSet", "LeaderWorkerSet", "StatefulSet", "Pod", "Event",
		} {
			r := clusterIn(t, file)
			graph := graphIn(t, r.objects)
			if _, err := Collect(r, graph.GetNamespace(), graph.GetName()); err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(r.asked, func(asked string) bool { return strings.HasSuffix(asked, " "+kind) }) {
				continue
			}
			if _, err := Collect(&failing{r, kind}, graph.GetNamespace(), graph.GetName()); err == nil || !strings.Contains(err.Error(), "refused") {
				t.Errorf("%s: %s: want the error of the cluster, got %v", file, kind, err)
			}
		}
	}
}

func TestCollectNotFound(t *testing.T) {
	if _, err := Collect(&fakeReader{}, "inference", "llama"); !errors.Is(err, ErrNotFound) {
		t.Errorf("want %v, got %v", ErrNotFound, err)
	}
	_, err := Collect(&fakeReader{forbidden: []string{"DynamoGraphDeployment"}}, "inference", "llama")
	if _, forbidden := preview.IsForbidden(err); !forbidden {
		t.Errorf("want a missing permission, got %v", err)
	}
}

// TestCollectOthers checks that an object of the same name that belongs to somebody else is none of the graph.
func TestCollectOthers(t *testing.T) {
	graph := object(t, `{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: llama, namespace: inference, uid: graph},
spec: {crossplane: {resourceRefs: [{apiVersion: apps/v1, kind: Deployment, name: llama-decode}, {apiVersion: apps/v1, kind: Deployment, name: llama-other}]}}}`)
	r := &fakeReader{objects: []unstructured.Unstructured{
		graph,
		object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: llama-decode, namespace: inference, ownerReferences: [{uid: other, controller: true}]}}`),
	}}
	f, err := Collect(r, "inference", "llama")
	if err != nil {
		t.Fatal(err)
	}
	deployment := preview.Reference{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "inference"}
	decode, other := deployment, deployment
	decode.Name, other.Name = "llama-decode", "llama-other"
	want := &Facts{Graph: &graph, Absent: []preview.Reference{decode, other}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("Collect(...): -want, +got:\n%s", diff)
	}
	if got := saidBy(Diagnose(f, "kubectl")); got.Code != NotReconciled {
		t.Errorf("want a graph without conditions, got %v", got)
	}
}
