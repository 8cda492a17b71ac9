package applied

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

func TestOf(t *testing.T) {
	const managed = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama","namespace":"inference","uid":"u","resourceVersion":"7",
		"labels":{"crossplane.io/composite":"llama","a":"b","theirs":"c"},
		"annotations":{"crossplane.io/composition-resource-name":"deployment-worker","deployment.kubernetes.io/revision":"1"},
		"finalizers":["foregroundDeletion","theirs/finalizer"],
		"ownerReferences":[{"uid":"x","controller":true}],
		"managedFields":[
			{"manager":"kube-controller-manager","operation":"Update","apiVersion":"apps/v1","fieldsV1":{"f:spec":{"f:paused":{}}}},
			{"manager":"apiextensions.crossplane.io/composed/01","operation":"Apply","apiVersion":"apps/v1","fieldsV1":{
				"f:metadata":{"f:labels":{"f:crossplane.io/composite":{},"f:a":{}},"f:annotations":{"f:crossplane.io/composition-resource-name":{}},
					"f:finalizers":{"v:\"foregroundDeletion\"":{}},"f:ownerReferences":{"k:{\"uid\":\"x\"}":{}}},
				"f:spec":{"f:replicas":{},"f:missing":{},"f:template":{"f:spec":{"f:volumes":{"k:{\"name\":\"tmp\"}":{".":{},"f:emptyDir":{},"f:name":{}}},
					"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:name":{},"f:args":{},
						"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}}}}}]},
		"spec":{"replicas":2,"paused":true,"template":{"spec":{"dnsPolicy":"ClusterFirst","volumes":[{"name":"tmp","emptyDir":{}}],
			"containers":[
				{"name":"injected","image":"x"},
				{"name":"main","args":["a","b"],"terminationMessagePath":"/dev/log","ports":[{"containerPort":80,"protocol":"TCP"},{"containerPort":80,"protocol":"UDP"}]}]}}},
		"status":{"replicas":2}}`
	cases := map[string]struct {
		reason   string
		observed string
		want     string
	}{
		"Managed": {
			reason:   "Only what Crossplane applied is extracted, and nothing that Crossplane adds by itself.",
			observed: managed,
			want: `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"llama","namespace":"inference","labels":{"a":"b"},"finalizers":["foregroundDeletion"]},
				"spec":{"replicas":2,"template":{"spec":{"volumes":[{"name":"tmp","emptyDir":{}}],
					"containers":[{"name":"main","args":["a","b"],"ports":[{"containerPort":80}]}]}}}}`,
		},
		"Unmanaged": {
			reason: "An object of a preview does not say who manages its fields, and is taken without what servers write.",
			observed: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama","namespace":"inference","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z",
				"annotations":{"crossplane.io/composition-resource-name":"service-worker","a":"b"},"labels":{"crossplane.io/composite":"llama"}},
				"spec":{"clusterIP":"None"},"status":{"loadBalancer":{}}}`,
			want: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama","namespace":"inference","annotations":{"a":"b"}},"spec":{"clusterIP":"None"}}`,
		},
		"Foreign": {
			reason: "An object that Crossplane never applied cannot be desired as it was applied.",
			observed: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama","managedFields":[
				{"manager":"kubectl","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:spec":{}}}]},"spec":{"clusterIP":"None"}}`,
		},
		"OtherVersion": {
			reason: "The paths of fields in one version may not be those of another.",
			observed: `{"apiVersion":"x/v2","kind":"Y","metadata":{"name":"llama","managedFields":[
				{"manager":"apiextensions.crossplane.io/composed/01","operation":"Apply","apiVersion":"x/v1","fieldsV1":{"f:spec":{}}}]},"spec":{"a":1}}`,
		},
		"Status": {
			reason: "What Crossplane applied to a subresource is not the object.",
			observed: `{"apiVersion":"v1","kind":"Y","metadata":{"name":"llama","managedFields":[
				{"manager":"apiextensions.crossplane.io/composed/01","operation":"Apply","subresource":"status","apiVersion":"v1","fieldsV1":{"f:status":{}}}]}}`,
		},
		"OddKeys": {
			reason: "Keys that cannot be read own nothing.",
			observed: `{"apiVersion":"v1","kind":"Y","metadata":{"name":"llama","managedFields":[
				{"manager":"apiextensions.crossplane.io/composed/01","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:spec":{"f:list":{"k:{":{},"v:{":{},"i:0":{}},"odd":{}}}}]},
				"spec":{"list":[1],"odd":2}}`,
			want: `{"apiVersion":"v1","kind":"Y","metadata":{"name":"llama"},"spec":{"list":[]}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			observed := resource.MustStructJSON(tc.observed)
			before := resource.MustStructJSON(tc.observed)
			got, ok := Of(observed)
			if ok != (tc.want != "") {
				t.Fatalf("%s\nOf(...): ok is %t", tc.reason, ok)
			}
			var want *structpb.Struct
			if ok {
				want = resource.MustStructJSON(tc.want)
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, observed, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nOf(...) changed the observed object: -before, +after:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOfNothing(t *testing.T) {
	if got, ok := Of(nil); ok {
		t.Errorf("Of(nil): want nothing, got %v", got)
	}
}

// TestWhole shows that the fields of all managers are taken, but for what servers and Crossplane write by themselves.
func TestWhole(t *testing.T) {
	observed := resource.MustStructJSON(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama","namespace":"inference","uid":"u","labels":{"a":"b"},
		"annotations":{"crossplane.io/composition-resource-name":"service-worker"},"ownerReferences":[{"uid":"x"}],
		"managedFields":[{"manager":"kubectl","operation":"Apply","apiVersion":"v1","fieldsV1":{"f:spec":{"f:type":{}}}}]},
		"spec":{"clusterIP":"None","type":"ClusterIP"},"status":{"loadBalancer":{}}}`)
	want := resource.MustStructJSON(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama","namespace":"inference","labels":{"a":"b"}},
		"spec":{"clusterIP":"None","type":"ClusterIP"}}`)
	if diff := cmp.Diff(want, whole(observed), protocmp.Transform()); diff != "" {
		t.Errorf("whole(...): -want, +got:\n%s", diff)
	}
}

func TestStatusWritten(t *testing.T) {
	type object = map[string]any
	entry := func(manager, subresource, at string) object {
		return object{"manager": manager, "operation": "Apply", "subresource": subresource, "time": at}
	}
	at := func(clock string) time.Time {
		parsed, err := time.Parse(time.RFC3339, "2026-03-01T"+clock+"Z")
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	cases := map[string]struct {
		reason  string
		entries []object
		want    Written
		wantOK  bool
	}{
		"Both": {
			reason: "Crossplane applies the fields and updates the conditions, each as another manager; what is no status does not count.",
			entries: []object{
				entry(ManagerOfComposites, "", "2026-03-01T12:03:00Z"), entry(ManagerOfComposites, "status", "2026-03-01T12:00:00Z"),
				entry("crossplane", "status", "2026-03-01T12:02:00Z"), entry("kubectl", "", "2026-03-01T12:04:00Z"),
			},
			want:   Written{Fields: at("12:00:00"), Conditions: at("12:02:00")},
			wantOK: true,
		},
		"Versions": {
			reason: "There is an entry for each version that an object was applied in: the last one counts.",
			entries: []object{
				entry(ManagerOfComposites, "status", "2026-03-01T12:01:00Z"), entry(ManagerOfComposites, "status", "2026-03-01T12:00:00Z"),
			},
			want:   Written{Fields: at("12:01:00")},
			wantOK: true,
		},
		"ConditionsOnly": {
			reason:  "Before the fields are applied for the first time nothing is told.",
			entries: []object{entry("crossplane", "status", "2026-03-01T12:02:00Z")},
			want:    Written{Conditions: at("12:02:00")},
		},
		"OddTime": {reason: "A time that cannot be read tells nothing.", entries: []object{entry(ManagerOfComposites, "status", "noon")}},
		"Nothing": {reason: "Without managed fields, it is unknown what was applied."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			composite := steptest.Struct(object{"metadata": object{"managedFields": tc.entries}})
			got, ok := StatusWritten(composite)
			if diff := cmp.Diff(tc.want, got); diff != "" || ok != tc.wantOK {
				t.Errorf("%s\nStatusWritten(...): ok is %t: -want, +got:\n%s", tc.reason, ok, diff)
			}
		})
	}
}
