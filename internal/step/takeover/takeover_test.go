package takeover

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

func TestNamesOf(t *testing.T) {
	requested := map[string]string{"dynamo.nvidia.com/adopt-from": "dynamo-operator"}
	adopted := map[string]string{"dynamo.nvidia.com/adopted-from": "dynamo-operator"}
	object := func(name string, annotations map[string]string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}}
	}
	set := func(name string, replicas int32, annotations map[string]string) *lwsv1.LeaderWorkerSet {
		return &lwsv1.LeaderWorkerSet{
			ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}, Spec: lwsv1.LeaderWorkerSetSpec{Replicas: &replicas},
		}
	}
	numbered := set("llama-worker-0", 2, adopted)
	numbered.Labels = map[string]string{"instance-id": "0"}
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		observed    map[string]any
		want        names.Adoption
	}{
		"NotAdopted": {
			reason:   "A graph that adopts nothing has names of its own.",
			observed: map[string]any{"deployment-worker": object("llama-worker-1f2e3d4c", nil)},
		},
		"Requested": {
			reason:      "The names of what is about to be adopted are kept.",
			annotations: requested,
			observed: map[string]any{
				"podcliqueset": object("lla-1a2b", nil), "deployment-worker": object("llama-worker-1f2e3d4c", nil),
				"deployment-frontend": object("llama-frontend", nil),
			},
			want: names.Adoption{PodCliqueSet: "lla-1a2b", Components: map[string]string{"worker": "llama-worker-1f2e3d4c"}},
		},
		"Adopted": {
			reason:   "An adopted object tells by itself that it was adopted.",
			observed: map[string]any{"deployment-worker": object("llama-worker-1f2e3d4c", adopted)},
			want:     names.Adoption{Components: map[string]string{"worker": "llama-worker-1f2e3d4c"}},
		},
		"Replicas": {
			reason:   "The name of a LeaderWorkerSet ends with the number of its replica.",
			observed: map[string]any{"leaderworkerset-worker-11": object("llama-worker-1f2e3d4c-11", adopted)},
			want:     names.Adoption{Components: map[string]string{"worker": "llama-worker-1f2e3d4c"}},
		},
		"InOneSet": {
			reason:      "A LeaderWorkerSet with several replicas that is about to be adopted runs all replicas of its service.",
			annotations: requested,
			observed:    map[string]any{"leaderworkerset-worker-0": set("llama-worker-1f2e3d4c-0", 3, nil)},
			want:        names.Adoption{Components: map[string]string{"worker": "llama-worker-1f2e3d4c"}, Sets: []string{"worker"}},
		},
		"InOneSetForGood": {
			reason:   "It stays the only one, whatever its number of replicas is now.",
			observed: map[string]any{"leaderworkerset-worker-0": set("llama-worker-0", 1, adopted)},
			want:     names.Adoption{Sets: []string{"worker"}},
		},
		"OneReplica": {
			reason:      "A LeaderWorkerSet with one replica is that of the first one, and others follow.",
			annotations: requested,
			observed:    map[string]any{"leaderworkerset-worker-0": set("llama-worker-0", 1, nil)},
			want:        names.Adoption{},
		},
		"Numbered": {
			reason:   "A LeaderWorkerSet that was adopted with one replica has a number, and someone who scales it by hand does not change that.",
			observed: map[string]any{"leaderworkerset-worker-0": numbered},
			want:     names.Adoption{},
		},
		"Others": {
			reason: "A set beside others runs one replica, even if it has lost its number.",
			observed: map[string]any{
				"leaderworkerset-worker-0": set("llama-worker-0", 1, adopted),
				"leaderworkerset-worker-1": set("llama-worker-1", 1, adopted),
			},
			want: names.Adoption{},
		},
		"ServiceAlone": {
			reason:   "The Service tells the name of a workload that is gone.",
			observed: map[string]any{"service-worker": object("llama-worker-1f2e3d4c", adopted)},
			want:     names.Adoption{Components: map[string]string{"worker": "llama-worker-1f2e3d4c"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := graphtest.Of(&graph.Graph{Name: "llama", Annotations: tc.annotations}, v1alpha1.DynamoGraphDeploymentSpec{
				Services: map[string]v1alpha1.Service{"Frontend": {}, "Worker": {}},
			})
			if diff := cmp.Diff(tc.want, NamesOf(g, steptest.State(tc.observed).GetResources())); diff != "" {
				t.Errorf("%s\nNamesOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWithIdentity(t *testing.T) {
	const live = `{"metadata":{"labels":{"nvidia.com/selector":"a-1f2e3d4c","nvidia.com/dynamo-worker-hash":"1f2e3d4c","theirs":"x"}},
		"spec":{"containers":[{"name":"main","env":[{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"1f2e3d4c"}]}]}}`
	cases := map[string]struct {
		reason, template, live, want string
	}{
		"Kept": {
			reason:   "Pods stay known by the labels and the generation that others know them by, and by nothing else.",
			template: `{"metadata":{"labels":{"nvidia.com/selector":"a"}},"spec":{"containers":[{"name":"main","env":[{"name":"A","value":"1"},{"name":"Z","value":"2"}]},{"name":"other"}]}}`,
			live:     live,
			want: `{"metadata":{"labels":{"nvidia.com/selector":"a-1f2e3d4c","nvidia.com/dynamo-worker-hash":"1f2e3d4c"}},
				"spec":{"containers":[{"name":"main","env":[{"name":"A","value":"1"},{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"1f2e3d4c"},{"name":"Z","value":"2"}]},{"name":"other"}]}}`,
		},
		"Last": {
			reason:   "A variable whose name comes last is the last.",
			template: `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"main","env":[{"name":"A","value":"1"}]}]}}`,
			live:     `{"spec":{"containers":[{"name":"main","env":[{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"1"}]}]}}`,
			want:     `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"main","env":[{"name":"A","value":"1"},{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"1"}]}]}}`,
		},
		"Runtime": {
			reason:   "The runtime may be in an init container.",
			template: `{"spec":{"containers":[{"name":"main"}],"initContainers":[{"name":"runtime"}]}}`,
			live:     `{"spec":{"containers":[{"name":"main"}],"initContainers":[{"name":"runtime","env":[{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"1"}]}]}}`,
			want:     `{"spec":{"containers":[{"name":"main"}],"initContainers":[{"name":"runtime","env":[{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"1"}]}]}}`,
		},
		"Own": {
			reason:   "What the user sets stays as it is.",
			template: `{"spec":{"containers":[{"name":"main","env":[{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"mine"}]}]}}`,
			live:     `{"spec":{"containers":[{"name":"main","env":[{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"1"}]}]}}`,
			want:     `{"spec":{"containers":[{"name":"main","env":[{"name":"DYN_NAMESPACE_WORKER_SUFFIX","value":"mine"}]}]}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := withIdentity(resource.MustStructJSON(tc.template), resource.MustStructJSON(tc.live), []string{"metadata", "labels"}, []string{"spec"})
			if diff := cmp.Diff(resource.MustStructJSON(tc.want), got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nwithIdentity(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMerge shows which fields of a live object stay as they are, of each kind that can be adopted.
func TestMerge(t *testing.T) {
	want := map[string]string{
		"ConfigMap": "", "Ingress": "", "LeaderWorkerSet": "", "Role": "", "RoleBinding": "", "ServiceAccount": "", "VirtualService": "",
		"DynamoGraphDeploymentScalingAdapter": "", "PodCliqueSet": "template",
		"Deployment": "selector", "InferencePool": "all", "ResourceClaimTemplate": "all", "Service": "ports selector",
		"PersistentVolumeClaim": "accessModes storageClassName volumeMode volumeName", "PodGroup": "minResources networkTopology priorityClassName queue",
	}
	fields := []string{
		"accessModes", "all", "minResources", "networkTopology", "ports", "priorityClassName", "queue", "selector", "storageClassName", "template", "volumeMode", "volumeName",
	}
	object := func(k *kinds.Kind, value string) *structpb.Struct {
		spec := &structpb.Struct{Fields: map[string]*structpb.Value{}}
		for _, field := range fields {
			spec.Fields[field] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"is": structpb.NewStringValue(value)}})
		}
		return &structpb.Struct{Fields: map[string]*structpb.Value{
			"apiVersion": structpb.NewStringValue(k.GroupVersion().String()), "kind": structpb.NewStringValue(k.Kind), "spec": structpb.NewStructValue(spec),
		}}
	}
	for _, k := range kinds.Composed() {
		if k.Proof == kinds.NoProof {
			continue
		}
		var kept []string
		merged := merge(object(&k, "desired"), object(&k, "live"), nil)
		for _, field := range fields {
			if tree.Text(merged, "is", "spec", field) == "live" {
				kept = append(kept, field)
			}
		}
		got := strings.Join(kept, " ")
		if len(kept) == len(fields) {
			got = "all"
		}
		if fixed, ok := want[k.Kind]; !ok || got != fixed {
			t.Errorf("%s: want the live %q to stay, got %q", k.Kind, fixed, got)
		}
	}
}

func TestReaching(t *testing.T) {
	pods := []*structpb.Struct{
		resource.MustStructJSON(`{"nvidia.com/dynamo-component":"Other","namespace":"a"}`),
		resource.MustStructJSON(`{"nvidia.com/dynamo-component":"Worker","namespace":"a","role":"leader"}`),
		resource.MustStructJSON(`{"nvidia.com/dynamo-component":"Worker","namespace":"a","role":"worker"}`),
	}
	cases := map[string]struct {
		reason, selector, want string
	}{
		"Reaches":   {reason: "A selector that selects pods stays as it is.", selector: `{"nvidia.com/dynamo-component":"Worker","role":"worker"}`},
		"Missing":   {reason: "A label that no pod has is left out.", selector: `{"nvidia.com/dynamo-component":"Worker","type":""}`, want: `{"nvidia.com/dynamo-component":"Worker"}`},
		"Different": {reason: "A value that no pod has is that of the leaders.", selector: `{"nvidia.com/dynamo-component":"Worker","namespace":"b","role":"leader"}`, want: `{"nvidia.com/dynamo-component":"Worker","namespace":"a","role":"leader"}`},
		"NoPods":    {reason: "Without pods nothing is known to be wrong.", selector: `{"nvidia.com/dynamo-component":"Gone","namespace":"b"}`},
		"NoService": {reason: "A selector that names no component is left alone.", selector: `{"namespace":"b"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var want *structpb.Struct
			if tc.want != "" {
				want = resource.MustStructJSON(tc.want)
			}
			if diff := cmp.Diff(want, reaching(resource.MustStructJSON(tc.selector), pods), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nreaching(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
