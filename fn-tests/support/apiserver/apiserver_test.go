package apiserver

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestApply(t *testing.T) {
	object := func(text string) *unstructured.Unstructured {
		if text == "" {
			return nil
		}
		parsed := &unstructured.Unstructured{}
		if err := parsed.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	const before = `{"kind":"Deployment","metadata":{"name":"a","uid":"6f1c2d3e-0000-4000-8000-000000000001","generation":1,"resourceVersion":"100000",
		"creationTimestamp":"2026-01-01T00:00:00Z","managedFields":[{"manager":"m"}]},"spec":{"replicas":1},"status":{"replicas":1}}`
	cases := map[string]struct {
		reason          string
		applied, before string
		want            string
	}{
		"New": {
			reason:  "A new object gets a UID, its first generation and the time of its creation.",
			applied: `{"kind":"Deployment","metadata":{"name":"a"}}`, want: `{"kind":"Deployment","metadata":{"name":"a","uid":"6f1c2d3e-0000-4000-8000-000000000001","generation":1,"resourceVersion":"100000","creationTimestamp":"2026-01-01T00:00:00Z"}}`,
		},
		"Unchanged": {
			reason:  "An apply that changes nothing leaves generation and resource version as they are.",
			applied: `{"kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":1}}`, before: before,
			want: `{"kind":"Deployment","metadata":{"name":"a","uid":"6f1c2d3e-0000-4000-8000-000000000001","generation":1,"resourceVersion":"100000","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"replicas":1},"status":{"replicas":1}}`,
		},
		"Label": {
			reason:  "A change outside of the spec is no new generation.",
			applied: `{"kind":"Deployment","metadata":{"name":"a","labels":{"b":"c"}},"spec":{"replicas":1}}`, before: before,
			want: `{"kind":"Deployment","metadata":{"name":"a","labels":{"b":"c"},"uid":"6f1c2d3e-0000-4000-8000-000000000001","generation":1,
				"resourceVersion":"1000001","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"replicas":1},"status":{"replicas":1}}`,
		},
		"Spec": {
			reason:  "A change of the spec is a new generation, and the status is still that of the one before.",
			applied: `{"kind":"Deployment","metadata":{"name":"a"},"spec":{"replicas":2}}`, before: before,
			want: `{"kind":"Deployment","metadata":{"name":"a","uid":"6f1c2d3e-0000-4000-8000-000000000001","generation":2,
				"resourceVersion":"1000001","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"replicas":2},"status":{"replicas":1}}`,
		},
		"BeingDeleted": {
			reason:  "An object that is being deleted stays so, whatever is applied.",
			applied: `{"kind":"Secret","metadata":{"name":"a"}}`,
			before:  `{"kind":"Secret","metadata":{"name":"a","uid":"6f1c2d3e-0000-4000-8000-000000000001","generation":1,"resourceVersion":"100000","creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T00:00:00Z"}}`,
			want:    `{"kind":"Secret","metadata":{"name":"a","uid":"6f1c2d3e-0000-4000-8000-000000000001","generation":1,"resourceVersion":"100000","creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T00:00:00Z"}}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := new(Server).Apply(object(tc.applied), object(tc.before))
			if diff := cmp.Diff(object(tc.want), got); diff != "" {
				t.Errorf("%s\nApply(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
