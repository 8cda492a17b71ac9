package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/tool/preview"
)

// TestSchema checks what the schema alone finds in a component of which step plan says nothing.
func TestSchema(t *testing.T) {
	cases := map[string]struct {
		reason    string
		component string
		want      []string
	}{
		"Valid": {reason: "A valid graph has no findings.", component: `{name: a, replicas: 1}`},
		"Shown": {
			reason: "A value of another type is shown.", component: `{name: a, replicas: x}`,
			want: []string{`spec.components[0].replicas: Invalid value: "string": spec.components[0].replicas in body must be of type integer: "string"`},
		},
		"Secret": {
			reason: "A command line may contain a password, so nothing of it is shown.", component: `{name: a, podTemplate: {spec: {containers: [{name: main, command: x}]}}}`,
			want: []string{`spec.components[0].podTemplate.spec.containers[0].command: Invalid value: ` +
				`spec.components[0].podTemplate.spec.containers[0].command in body must be of type array: "string"`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {components: [" + tc.component + "]}}"
			files, err := manifest.Reader{In: strings.NewReader(text)}.Read([]string{manifest.Stdin})
			if err != nil {
				t.Fatal(err)
			}
			c := Checker{Previewer: &preview.Previewer{}}
			found, err := c.schema(&preview.Result{Source: files.Graphs()[0], Verdict: &plan.Verdict{}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range found {
				got = append(got, found[i].Text())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nschema(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
