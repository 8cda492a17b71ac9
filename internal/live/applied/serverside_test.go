package applied

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/crossplane/function-sdk-go/resource"
)

// TestServerSideApply holds Of and Changes to Kubernetes' own server-side apply: what was applied comes back as it was, whatever
// others have written beside it, and applying it again changes nothing.
func TestServerSideApply(t *testing.T) {
	const applied = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama","namespace":"inference","labels":{"a":"b"},"finalizers":["foregroundDeletion"]},
		"spec":{"selector":{"matchLabels":{"a":"b"}},"strategy":{"type":"RollingUpdate"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{
			"volumes":[{"name":"tmp","emptyDir":{}},{"name":"script","configMap":{"name":"script","defaultMode":365}}],
			"tolerations":[{"key":"gpu","operator":"Exists"}],
			"initContainers":[{"name":"wait","image":"wait","command":["sh","-c","true"]}],
			"containers":[{"name":"main","image":"vllm","args":["--tp","2"],"env":[{"name":"B","value":"1"},{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],
				"ports":[{"containerPort":8000,"name":"http","protocol":"TCP"},{"containerPort":9090,"name":"system","protocol":"TCP"}],
				"resources":{"limits":{"nvidia.com/gpu":"2"}},"securityContext":{"runAsUser":0},
				"volumeMounts":[{"name":"tmp","mountPath":"/tmp"}]}]}}}}`
	const others = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama","namespace":"inference","annotations":{"theirs":"x"},"labels":{"theirs":"x"}},
		"spec":{"replicas":7,"template":{"spec":{"priorityClassName":"theirs","containers":[{"name":"injected","image":"x"},{"name":"main","imagePullPolicy":"Always","env":[{"name":"THEIRS","value":"x"}]}]}}}}`

	manager := managedfieldstest.NewTestFieldManager(applyconfigurations.NewTypeConverter(scheme.Scheme), schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
	for _, apply := range []struct{ manager, object string }{{managerPrefix + "01", applied}, {"theirs", others}} {
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(apply.object), object); err != nil {
			t.Fatal(err)
		}
		if err := manager.Apply(object, apply.manager, true); err != nil {
			t.Fatal(err)
		}
	}
	live, err := json.Marshal(manager.Live())
	if err != nil {
		t.Fatal(err)
	}
	observed := resource.MustStructJSON(string(live))
	got, ok := Of(observed)
	if !ok {
		t.Fatal("Of(...): want the applied object, got nothing")
	}
	if diff := cmp.Diff(resource.MustStructJSON(applied), got, protocmp.Transform()); diff != "" {
		t.Errorf("Of(...): -applied, +got:\n%s", diff)
	}
	if Changes(resource.MustStructJSON(applied), observed) {
		t.Error("Changes(...): want no change by what was applied already")
	}
	for _, removed := range []string{
		`"strategy":{"type":"RollingUpdate"},`, `{"key":"gpu","operator":"Exists"}`, `,"env":[{"name":"B","value":"1"},{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]`,
		`{"name":"B","value":"1"},`, `,"defaultMode":365`, `"nvidia.com/gpu":"2"`, `"runAsUser":0`,
	} {
		if !Changes(resource.MustStructJSON(strings.Replace(applied, removed, "", 1)), observed) {
			t.Errorf("Changes(...): want a change where %s is no longer desired", removed)
		}
	}
}
