package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// TestRedacted checks that what is shown has no values of Secrets, and that the next reconcile still observes them.
func TestRedacted(t *testing.T) {
	const secret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"key":"c2VjcmV0"}}`
	output := &render.Output{ComposedResources: []unstructured.Unstructured{*parsed(t, secret)}}
	shown := redacted(output)
	if diff := cmp.Diff(map[string]any{"key": "REDACTED"}, shown.ComposedResources[0].Object["data"]); diff != "" {
		t.Errorf("redacted(...): -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(parsed(t, secret).Object, output.ComposedResources[0].Object); diff != "" {
		t.Errorf("redacted(...) changes the output: -want, +got:\n%s", diff)
	}
	if redacted(nil) != nil {
		t.Error("a graph that is refused has no output")
	}
}

func TestInputIn(t *testing.T) {
	const input = "apiVersion: plan.dynamo.nvidia.com/v1alpha1\nkind: Input\n"
	cases := map[string]struct {
		reason string
		text   string
		err    string
	}{
		"Input":  {reason: "A file with the input is read.", text: input},
		"Bare":   {reason: "What it is, is known without apiVersion and kind.", text: "mnnvl: {mode: Auto}\n"},
		"List":   {reason: "A list is no input.", text: "- a\n", err: "want an object with the fields of an Input"},
		"Empty":  {reason: "Neither is nothing.", text: "# a\n", err: "want one object of kind Input"},
		"Twice":  {reason: "A mistake has its line.", text: input + "mnnvl: {}\nmnnvl: {}\n", err: "input.yaml:4:1: key \"mnnvl\" is already set in line 3"},
		"Kind":   {reason: "The position of a wrong kind is that in the file.", text: "apiVersion: plan.dynamo.nvidia.com/v1alpha1\nkind: Inputs\n", err: "input.yaml:2:7: kind is Inputs: want one object of kind Input"},
		"Broken": {reason: "What cannot be parsed has its line, too.", text: "mnnvl: {}\nlws: {mode\n", err: "input.yaml:2:1: cannot parse YAML"},
		"Policy": {
			reason: "Another kind of policy has another flag.", text: "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\n",
			err: "input.yaml:2:7: kind is EnvironmentConfig: want one object of kind Input of plan.dynamo.nvidia.com/v1alpha1; pass this file with --cluster",
		},
		"Other": {reason: "Another object is not taken for one without settings.", text: "apiVersion: v1\nkind: ConfigMap\n", err: "want one object of kind Input"},
		"Two":   {reason: "Which of two inputs counts is not guessed.", text: input + "---\n" + input, err: "want one object of kind Input"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "input.yaml")
			if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := InputIn(path)
			if tc.err == "" {
				if err != nil || got.GetKind() != "Input" || got.GetAPIVersion() != "plan.dynamo.nvidia.com/v1alpha1" {
					t.Errorf("%s\nInputIn(...): got %v, %v", tc.reason, got, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s\nInputIn(...): want error %q, got %v", tc.reason, tc.err, err)
			}
		})
	}
}
