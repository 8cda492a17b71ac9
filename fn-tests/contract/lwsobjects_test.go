package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crds"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// TestObjectsOffGrove holds every object of the corpus to the schemas of the oldest and the newest versions that are supported,
// and to what the webhook of LWS and the API server would refuse.
func TestObjectsOffGrove(t *testing.T) {
	binary := harness.New(t)
	manifests := slices.DeleteFunc(shared.Corpus(t), func(m shared.Manifest) bool { return !m.Valid })
	cases := map[string]struct {
		reason      string
		cluster     string
		definitions []string
	}{
		"VolcanoOldest": {
			reason: "The objects are valid in the first versions that are supported.", cluster: harness.LWSVolcano,
			definitions: []string{"lws-v0.9.0", "volcano-v1.12.0"},
		},
		"VolcanoNewest": {
			reason: "The objects are valid in the last versions that are supported.", cluster: harness.LWSVolcano,
			definitions: []string{"lws-v0.10.0", "volcano-v1.15.1"},
		},
		"KAI": {
			reason: "KAI groups the pods itself.", cluster: kaiCluster(t),
			definitions: []string{"lws-v0.10.0", "kai-v0.13.0"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := definitions.Load(t, tc.definitions...)
			for _, object := range harness.Read(t, tc.cluster) {
				if object.GetKind() == "Queue" {
					reportBroken(t, "the cluster", object, customResource(set, object))
				}
			}
			sets := 0
			for i, out := range binary.RenderAll(t, onCluster(manifests, tc.cluster)) {
				if out.Err != nil {
					t.Errorf("%s: %v: %s", manifests[i].Name, out.Err, out.Stderr)
					continue
				}
				for _, object := range out.Composed {
					reportBroken(t, manifests[i].Name, object, brokenOffGrove(t, set, object))
					if object.GetKind() == "LeaderWorkerSet" {
						sets++
					}
				}
			}
			if sets < 20 {
				t.Errorf("%s\nonly %d LeaderWorkerSets were checked", tc.reason, sets)
			}
		})
	}
}

// onCluster are the renders of manifests on a cluster.
func onCluster(manifests []shared.Manifest, cluster string) []harness.Render {
	renders := make([]harness.Render, len(manifests))
	for i, m := range manifests {
		renders[i] = harness.Render{XR: m.Path, Cluster: cluster}
	}
	return renders
}

// kaiCluster has LeaderWorkerSet and KAI, and neither Grove nor Volcano.
func kaiCluster(t *testing.T) string {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, path := range []string{harness.LWSVolcano, harness.GroveKAI} {
		for _, object := range harness.Read(t, path) {
			group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
			switch {
			case group == "leaderworkerset.x-k8s.io", group == "scheduling.run.ai", strings.HasPrefix(object.GetAPIVersion(), "scheduling.run.ai/"):
				objects = append(objects, object)
			}
		}
	}
	if len(objects) < 3 {
		t.Fatalf("want the groups of LeaderWorkerSet and KAI and a queue, got %d objects", len(objects))
	}
	return harness.Write(t, objects...)
}

func reportBroken(t *testing.T, where string, object *unstructured.Unstructured, broken []string) {
	t.Helper()
	for _, b := range broken {
		t.Errorf("%s: %s %s: %s", where, object.GetKind(), object.GetName(), b)
	}
}

// brokenOffGrove says everything that is wrong with an object.
func brokenOffGrove(t *testing.T, set schema.Set, object *unstructured.Unstructured) []string {
	t.Helper()
	switch {
	case object.GetKind() == "LeaderWorkerSet":
		leaderWorkerSet := into[lwsv1.LeaderWorkerSet](t, object)
		return append(customResource(set, object), leaderWorkerSetWebhook(leaderWorkerSet)...)
	case object.GetKind() == "Deployment":
		template := into[appsv1.Deployment](t, object).Spec.Template
		return crds.Pod(template.ObjectMeta, &template.Spec)
	case clientscheme.Scheme.Recognizes(object.GroupVersionKind()):
		return nil
	default:
		return customResource(set, object)
	}
}

// leaderWorkerSetWebhook of LWS: a headless Service has the name of the set, and what the StatefulSets below it add must fit a label.
func leaderWorkerSetWebhook(set *lwsv1.LeaderWorkerSet) []string {
	broken := validation.IsDNS1035Label(set.Name)
	if len(set.Name) > 50 {
		broken = append(broken, "the name has no room for the revision hash of a StatefulSet")
	}
	group := set.Spec.LeaderWorkerTemplate
	if *group.Size < 2 || *set.Spec.Replicas != 1 {
		broken = append(broken, "want one group of two pods or more")
	}
	for _, template := range []*corev1.PodTemplateSpec{group.LeaderTemplate, &group.WorkerTemplate} {
		broken = append(broken, crds.Pod(template.ObjectMeta, &template.Spec)...)
	}
	return broken
}

func into[T any](t *testing.T, object *unstructured.Unstructured) *T {
	t.Helper()
	data, err := json.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	out := new(T)
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}
