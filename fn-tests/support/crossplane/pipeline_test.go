package crossplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

func TestReadPipeline(t *testing.T) {
	cases := map[string]struct {
		reason      string
		composition string
		want        *Pipeline
		err         string
	}{
		"Steps": {
			reason: "Steps come with what Crossplane knows of them beforehand.",
			composition: `
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: dgd}
spec:
  pipeline:
    - step: plan
      functionRef: {name: dynamo-crossplane-function-dynamo-plan}
      input: {kind: Input}
      requirements:
        requiredResources:
          - {requirementName: grove, apiVersion: v1, kind: APIService, name: v1alpha1.grove.io}
    - step: last
      functionRef: {name: dynamo-crossplane-function-dynamo-status}
`,
			want: &Pipeline{Composition: "dgd", Steps: []Step{
				{Function: "plan", Step: pipeline.Step{
					Name: "plan", Input: resource.MustStructJSON(`{"kind":"Input"}`),
					Required: map[string]*fnv1.ResourceSelector{"grove": {
						ApiVersion: "v1", Kind: "APIService", Match: &fnv1.ResourceSelector_MatchName{MatchName: "v1alpha1.grove.io"},
					}},
				}},
				{Function: "status", Step: pipeline.Step{Name: "last", Required: map[string]*fnv1.ResourceSelector{}}},
			}},
		},
		"NoSteps": {
			reason:      "A pipeline without a step measures nothing.",
			composition: `{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, spec: {}}`,
			err:         "it has no step",
		},
		"OtherFunction": {
			reason:      "A function of somebody else cannot be started.",
			composition: `{apiVersion: apiextensions.crossplane.io/v1, kind: Composition, spec: {pipeline: [{step: ready, functionRef: {name: function-auto-ready}}]}}`,
			err:         `the function "function-auto-ready" of step ready is not one of ours`,
		},
		"NoYAML": {
			reason:      "What cannot be parsed is no Composition.",
			composition: `spec: [`,
			err:         "cannot parse Composition",
		},
		"OtherKind": {
			reason:      "Only a Composition has a pipeline.",
			composition: `{apiVersion: v1, kind: Service}`,
			err:         "not a Composition",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "composition.yaml")
			if err := os.WriteFile(path, []byte(tc.composition), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := ReadPipeline(path)
			if !failsWith(err, tc.err) {
				t.Fatalf("%s\nReadPipeline(...): want error %q, got %v", tc.reason, tc.err, err)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nReadPipeline(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// failsWith an error that contains some text; with none when the text is empty.
func failsWith(err error, text string) bool {
	if err == nil || text == "" {
		return err == nil && text == ""
	}
	return strings.Contains(err.Error(), text)
}
