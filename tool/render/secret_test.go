package render

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestRedact(t *testing.T) {
	cases := map[string]struct {
		reason string
		object map[string]any
		want   map[string]any
	}{
		"Secret": {
			reason: "The keys of a Secret are shown, its values are not, in whichever field they are.",
			object: map[string]any{
				"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
				"data": map[string]any{"private.key": "aHVudGVyMg==", "empty": ""}, "stringData": map[string]any{"password": "hunter2"},
			},
			want: map[string]any{
				"apiVersion": "v1", "kind": "Secret", "type": "Opaque",
				"data": map[string]any{"private.key": "REDACTED", "empty": "REDACTED"}, "stringData": map[string]any{"password": "REDACTED"},
			},
		},
		"WithoutData": {
			reason: "A Secret without values stays as it is.",
			object: map[string]any{"apiVersion": "v1", "kind": "Secret", "data": nil},
			want:   map[string]any{"apiVersion": "v1", "kind": "Secret", "data": nil},
		},
		"ConfigMap": {
			reason: "Other objects hold no secrets.",
			object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"script": "import os"}},
			want:   map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"script": "import os"}},
		},
		"SomebodyElsesSecret": {
			reason: "A kind of another group that has the same name is another kind.",
			object: map[string]any{"apiVersion": "example.org/v1", "kind": "Secret", "data": map[string]any{"a": "b"}},
			want:   map[string]any{"apiVersion": "example.org/v1", "kind": "Secret", "data": map[string]any{"a": "b"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			Redact([]unstructured.Unstructured{{Object: tc.object}})
			if diff := cmp.Diff(tc.want, tc.object); diff != "" {
				t.Errorf("\n%s\nredact(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRedactedIsBase64(t *testing.T) {
	if _, err := base64.StdEncoding.Strict().DecodeString(redacted); err != nil {
		t.Errorf("the API server would refuse a Secret with the value %q: %v", redacted, err)
	}
}

// TestExecuteRedacts shows that a value of a Secret reaches the output only when it is asked for.
func TestExecuteRedacts(t *testing.T) {
	const value = "aHVudGVyMg=="
	for flag, want := range map[string]bool{"": false, "--include-secret-data": true} {
		args := arguments("-o", "testdata/observed.yaml", "-r", "-c", "-x")
		if flag != "" {
			args = append(args, flag)
		}
		got, err := execute(t, "", args)
		if err != nil {
			t.Fatalf("Execute(...): unexpected error: %v", err)
		}
		if strings.Contains(got, value) != want || strings.Contains(got, redacted) == want {
			t.Errorf("Execute(...) with flag %q: want the value of the Secret: %t, got:\n%s", flag, want, got)
		}
	}
}
