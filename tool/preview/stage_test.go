package preview

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSucceed checks what stays of a composite resource that is applied again.
func TestSucceed(t *testing.T) {
	cases := map[string]struct {
		reason             string
		old, applied, want string
	}{
		"Kept": {
			reason:  "What the API server and Crossplane have written stays, and the generation counts the change.",
			old:     `{"kind":"XR","metadata":{"name":"a-x7k2p","uid":"u","generation":3,"labels":{"crossplane.io/composite":"a-x7k2p","team":"x"}},"spec":{"a":1,"crossplane":{"resourceRefs":[],"compositionRef":{"name":"b"}}},"status":{"phase":"s"}}`,
			applied: `{"kind":"XR","metadata":{"name":"a-other"},"spec":{"a":2,"crossplane":{"compositionRef":{"name":"c"}}}}`,
			want:    `{"kind":"XR","metadata":{"name":"a-x7k2p","uid":"u","generation":4,"labels":{"crossplane.io/composite":"a-x7k2p"}},"spec":{"a":2,"crossplane":{"resourceRefs":[],"compositionRef":{"name":"c"}}},"status":{"phase":"s"}}`,
		},
		"Same": {
			reason:  "The same spec is no new generation.",
			old:     `{"kind":"XR","metadata":{"name":"a","generation":3},"spec":{"a":1,"crossplane":{"resourceRefs":[]}}}`,
			applied: `{"kind":"XR","metadata":{"name":"a"},"spec":{"a":1}}`,
			want:    `{"kind":"XR","metadata":{"name":"a","generation":3},"spec":{"a":1,"crossplane":{"resourceRefs":[]}}}`,
		},
		"Annotations": {
			reason:  "Only annotations that kubectl has applied are removed.",
			old:     `{"kind":"XR","metadata":{"name":"a","annotations":{"mine":"x","theirs":"y","kubectl.kubernetes.io/last-applied-configuration":"{\"metadata\":{\"annotations\":{\"mine\":\"x\"}}}"}}}`,
			applied: `{"kind":"XR","metadata":{"name":"a"}}`,
			want:    `{"kind":"XR","metadata":{"name":"a","annotations":{"theirs":"y","kubectl.kubernetes.io/last-applied-configuration":"{\"metadata\":{\"annotations\":{\"mine\":\"x\"}}}"}}}`,
		},
		"Removed": {
			reason:  "Without kubectl, the annotations are those of the file.",
			old:     `{"kind":"XR","metadata":{"name":"a","annotations":{"mine":"x"}}}`,
			applied: `{"kind":"XR","metadata":{"name":"a","annotations":{"new":"y"}}}`,
			want:    `{"kind":"XR","metadata":{"name":"a","annotations":{"new":"y"}}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := succeed(parsed(t, tc.old), parsed(t, tc.applied))
			if diff := cmp.Diff(parsed(t, tc.want).Object, got.Object); diff != "" {
				t.Errorf("%s\nsucceed(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCarriedOut checks what the cluster makes of an object that is applied.
func TestCarriedOut(t *testing.T) {
	const desired = `{"kind":"Deployment","metadata":{"name":"a"},"spec":{"paused":false}}`
	fresh := carriedOut(parsed(t, desired), nil)
	if fresh.GetUID() == "" || fresh.GetGeneration() != 1 {
		t.Errorf("want a new object with a UID and its first generation, got %v", fresh.Object["metadata"])
	}
	before := parsed(t, `{"kind":"Deployment","metadata":{"name":"a","uid":"u","generation":4},"spec":{"paused":false,"replicas":3}}`)
	got := carriedOut(parsed(t, desired), before)
	if replicas, _ := Integer(got.Object, "spec", "replicas"); replicas != 3 || got.GetGeneration() != 4 || got.GetUID() != "u" {
		t.Errorf("want the replicas that somebody else has set, and no new generation, got %v", got.Object)
	}
	if ready, _ := Integer(got.Object, "status", "readyReplicas"); ready != 3 {
		t.Errorf("want all replicas ready, got %v", got.Object["status"])
	}
	changed := carriedOut(parsed(t, `{"kind":"Deployment","metadata":{"name":"a"},"spec":{"paused":true}}`), before)
	if seen, _ := Integer(changed.Object, "status", "observedGeneration"); changed.GetGeneration() != 5 || seen != 5 {
		t.Errorf("want a new generation that is observed, got %v", changed.Object)
	}
	holds := carriedOut(parsed(t, `{"kind":"Deployment","metadata":{"name":"a"},"spec":{"minReadySeconds":2147483646,"replicas":2}}`), before)
	status := map[string]int64{}
	for _, key := range []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"} {
		status[key], _ = Integer(holds.Object, "status", key)
	}
	want := map[string]int64{"replicas": 3, "updatedReplicas": 1, "readyReplicas": 3, "availableReplicas": 2}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Errorf("new pods are ready, and old ones stay because the new ones are not available yet: -want, +got:\n%s", diff)
	}
}

// TestChildren checks what Grove makes of a PodCliqueSet, and what scales that.
func TestChildren(t *testing.T) {
	set := *parsed(t, `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"a","namespace":"ns"},"spec":{"template":{
		"cliques":[{"name":"frontend","spec":{"replicas":2}},{"name":"w-ldr","spec":{"replicas":1}},{"name":"w-wkr","spec":{"replicas":3}},{"name":"none","spec":{}}],
		"podCliqueScalingGroups":[{"name":"w","replicas":4,"cliqueNames":["w-ldr","w-wkr"]}]}}}`)
	helper := func(kind, name string, least, most int64) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{"kind": "HorizontalPodAutoscaler", "spec": map[string]any{
			"scaleTargetRef": map[string]any{"kind": kind, "name": name}, "minReplicas": least, "maxReplicas": most,
		}}}
	}
	replicas := func(children []unstructured.Unstructured) map[string]int64 {
		all := map[string]int64{}
		for i := range children {
			n, _ := Integer(children[i].Object, "spec", "replicas")
			all[children[i].GetKind()+" "+children[i].GetName()] = n
		}
		return all
	}
	created := childrenOf([]unstructured.Unstructured{set}, nil)
	want := map[string]int64{"PodClique a-0-frontend": 2, "PodClique a-0-none": 1, "PodCliqueScalingGroup a-0-w": 4}
	if diff := cmp.Diff(want, replicas(created)); diff != "" {
		t.Errorf("new children: -want, +got:\n%s", diff)
	}
	items(set.Object, "spec", "template", "cliques")[0]["spec"] = map[string]any{"replicas": int64(9)}
	objects := []unstructured.Unstructured{set, helper("PodCliqueScalingGroup", "a-0-w", 6, 6), helper("PodClique", "a-0-none", 0, 5), helper("PodClique", "a-0-w", 7, 7)}
	want = map[string]int64{"PodClique a-0-frontend": 2, "PodClique a-0-none": 1, "PodCliqueScalingGroup a-0-w": 6}
	if diff := cmp.Diff(want, replicas(childrenOf(objects, created))); diff != "" {
		t.Errorf("Grove reads replicas once, and then autoscalers count: -want, +got:\n%s", diff)
	}
	s := &State{children: created}
	if n, ok := s.Replicas("a-0-w"); n != 4 || !ok {
		t.Errorf("want 4 replicas, got %d, %t", n, ok)
	}
	if _, ok := s.Replicas("a-0-other"); ok {
		t.Error("want no replicas of what does not exist")
	}
}

// TestObjects checks that the objects of a state are those that Crossplane applies, and contain no secret.
func TestObjects(t *testing.T) {
	const metadata = `"metadata":{"name":"a","uid":"u","annotations":{"crossplane.io/composition-resource-name":"key"}}`
	s := &State{Composed: []unstructured.Unstructured{*parsed(t, `{"apiVersion":"v1","kind":"Secret",`+metadata+`,"data":{"k":"c2VjcmV0"},"status":{}}`)}}
	want := map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"k": "REDACTED"}}
	if diff := cmp.Diff(want, s.Objects()["key"].Object); diff != "" {
		t.Errorf("Objects(): -want, +got:\n%s", diff)
	}
	if got, _, _ := unstructured.NestedString(s.Composed[0].Object, "data", "k"); got != "c2VjcmV0" {
		t.Errorf("want the state as it is, got %s", got)
	}
}

// TestExisting checks what is read of a graph in a cluster.
func TestExisting(t *testing.T) {
	const owner = `"ownerReferences":[{"apiVersion":"nvidia.com/v1beta1","kind":"X","name":"x","uid":"u","controller":true}]`
	composed := func(kind, name, owner string) string {
		return `{"apiVersion":"v1","kind":"` + kind + `","metadata":{"name":"` + name + `","annotations":{"crossplane.io/composition-resource-name":"` + name + `"},` + owner + `}}`
	}
	const refs = `"resourceRefs":[{"apiVersion":"v1","kind":"Service","name":"one"},{"apiVersion":"v1","kind":"Service","name":"two"},{"apiVersion":"v1","kind":"Secret"}]`
	cases := map[string]struct {
		reason  string
		answers map[string]string
		objects []string
		xr      types.UID
	}{
		"Absent": {reason: "There is no such graph.", answers: map[string]string{}},
		"Namespaced": {
			reason: "The objects of others are not those of the graph.",
			answers: map[string]string{
				"DynamoGraphDeployment.v1beta1.nvidia.com a": `{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"ns","uid":"u"},"spec":{"crossplane":{` + refs + `}}}`,
				"Service.v1. one two":                        `{"apiVersion":"v1","kind":"List","items":[` + composed("Service", "one", owner) + `,` + composed("Service", "two", `"labels":{}`) + `]}`,
			},
			objects: []string{"one"}, xr: "u",
		},
		"Claim": {
			reason: "The composite resource of a claim has the objects.",
			answers: map[string]string{
				"DynamoGraphDeployment.v1beta1.nvidia.com a":    `{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"ns","uid":"c"},"spec":{"resourceRef":{"name":"a-1"}}}`,
				"XDynamoGraphDeployment.v1beta1.nvidia.com a-1": `{"kind":"XDynamoGraphDeployment","metadata":{"name":"a-1","uid":"u"},"spec":{"resourceRefs":[{"apiVersion":"v1","kind":"Service","name":"one","namespace":"ns"}]}}`,
				"--namespace=ns -- Service.v1. one":             composed("Service", "one", owner),
			},
			objects: []string{"one"}, xr: "u",
		},
		"Children": {
			reason: "What Grove has made of the graph counts its replicas.",
			answers: map[string]string{
				"DynamoGraphDeployment.v1beta1.nvidia.com a": `{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"ns","uid":"u"},"spec":{"crossplane":{"resourceRefs":[{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","name":"a"}]}}}`,
				"PodCliqueSet.v1alpha1.grove.io a": `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"a","namespace":"ns","annotations":{"crossplane.io/composition-resource-name":"podcliqueset"},` + owner +
					`},"spec":{"template":{"cliques":[{"name":"w"}]}}}`,
				"PodClique.v1alpha1.grove.io a-0-w": `{"apiVersion":"grove.io/v1alpha1","kind":"PodClique","metadata":{"name":"a-0-w"},"spec":{"replicas":5}}`,
			},
			objects: []string{"podcliqueset", "child a-0-w"}, xr: "u",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			live := &Live{Run: (&fakeKubectl{answers: tc.answers}).run}
			got, err := live.Existing(manifest.Object{Unstructured: graphA()}, "")
			if err != nil {
				t.Fatal(err)
			}
			var objects []string
			uid := types.UID("")
			if got != nil {
				uid = got.CompositeResource.GetUID()
				for i := range got.Composed {
					objects = append(objects, Key(&got.Composed[i]))
				}
				for i := range got.children {
					objects = append(objects, "child "+got.children[i].GetName())
				}
			}
			if diff := cmp.Diff(tc.objects, objects); diff != "" || uid != tc.xr {
				t.Errorf("%s\nwant UID %q, got %q, and objects: -want, +got:\n%s", tc.reason, tc.xr, uid, diff)
			}
		})
	}
}

// TestNumbers checks that objects have whole numbers as the API machinery has them, whoever has decoded them.
func TestNumbers(t *testing.T) {
	objects, err := decoded([]byte(`{"kind":"Deployment","spec":{"replicas":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok, err := unstructured.NestedInt64(objects[0].Object, "spec", "replicas"); got != 3 || !ok || err != nil {
		t.Errorf("want 3, got %d, %t, %v", got, ok, err)
	}
	var loose map[string]any
	if err := json.Unmarshal([]byte(`{"replicas":3}`), &loose); err != nil {
		t.Fatal(err)
	}
	if got, ok := Integer(loose, "replicas"); got != 3 || !ok {
		t.Errorf("want 3, got %d, %t", got, ok)
	}
	if _, ok := Integer(map[string]any{"replicas": "3"}, "replicas"); ok {
		t.Error("want no number")
	}
}
