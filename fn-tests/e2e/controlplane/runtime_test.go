package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestRuntimeRunsWhatWasPushed has a registry that answers with an image which this run has not pushed.
func TestRuntimeRunsWhatWasPushed(t *testing.T) {
	const ours, other = "sha256:0000000000000000000000000000000000000000000000000000000000000001", "sha256:2"
	cases := map[string]struct {
		reason string
		pushed []byte
		want   string
	}{
		"Pushed":  {reason: "What the run has pushed runs, and fails here because it has no command.", pushed: []byte(other + "\n" + ours + "\n"), want: "the image has no command"},
		"Other":   {reason: "What others have pushed does not run.", pushed: []byte(other + "\n"), want: "this run has not pushed its digest " + ours},
		"Within":  {reason: "A digest is compared whole.", pushed: []byte(ours + "1\n"), want: "this run has not pushed its digest " + ours},
		"Nothing": {reason: "Before anything is pushed, nothing runs.", want: "cannot read what was pushed"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			crane := filepath.Join(folder, "crane")
			script := "#!/bin/sh\n[ \"$1\" = digest ] && echo 127.0.0.1:1/a@" + ours + " || echo {}\n"
			if err := os.WriteFile(crane, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			c := &ControlPlane{folder: folder, tools: tools{"crane": crane}}
			if tc.pushed != nil {
				if err := os.WriteFile(c.pushed(), tc.pushed, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			revision := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"image": Package("function-dynamo-graph")}}}
			if _, _, err := newRuntime(c).prepare(t.Context(), revision); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s\nprepare(...): want %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
