package check

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
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
			want: []string{`spec.components[a].replicas: Invalid value: "string": spec.components[0].replicas in body must be of type integer: "string"`},
		},
		"Secret": {
			reason: "A command line may contain a password, so nothing of it is shown.", component: `{name: a, podTemplate: {spec: {containers: [{name: main, command: x}]}}}`,
			want: []string{`spec.components[a].podTemplate.spec.containers[main].command: Invalid value: ` +
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

// TestIsFound checks that a mistake that step plan explains is not reported a second time in the words of the API server, and no other one
// is left out.
func TestKnown(t *testing.T) {
	const text = "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}, spec: {components: [{name: a, replicas: x}, {name: b}]}}"
	files, err := manifest.Reader{In: strings.NewReader(text)}.Read([]string{manifest.Stdin})
	if err != nil {
		t.Fatal(err)
	}
	replicas := field.NewPath("spec", "components").Index(0).Child("replicas")
	component := field.NewPath("spec", "components").Index(0)
	cases := map[string]struct {
		reason  string
		err     *field.Error
		planned *field.Error
		want    bool
	}{
		"Field": {
			reason: "The name of a component stands for its index.",
			err:    field.TypeInvalid(replicas, "string", "must be an integer"), planned: field.Invalid(field.NewPath("spec", "components").Key("a").Child("replicas"), "x", "other words"),
			want: true,
		},
		"OtherField": {
			reason: "A mistake in another component is another one.",
			err:    field.TypeInvalid(replicas, "string", "must be an integer"), planned: field.Invalid(field.NewPath("spec", "components").Key("b").Child("replicas"), "x", "other words"),
		},
		"Words": {
			reason: "The same words are the same mistake, wherever it is reported.",
			err:    field.Invalid(field.NewPath("spec"), nil, "must be unique"), planned: field.Invalid(component, "a", "must be unique"),
			want: true,
		},
		"LastWords": {
			reason: "Step plan may say more, and then the same.",
			err:    field.Invalid(field.NewPath("spec"), "a", "names are unique"), planned: field.Invalid(component, "a", "component a is there twice: names are unique"),
			want: true,
		},
		"NoWords": {
			reason: "Errors without words have nothing in common.",
			err:    field.Required(replicas, ""), planned: field.Required(component.Child("type"), ""),
		},
		"Duplicate": {
			reason: "The API server only knows the item that is there twice, and step plan its name.",
			err:    field.Duplicate(component, "a"), planned: field.Duplicate(component.Child("name"), "a"),
			want: true,
		},
		"Rule": {
			reason: "A rule of the API server is about a whole object.",
			err:    field.Invalid(component, field.OmitValueType{}, "a rule"), planned: field.Invalid(replicas, "x", "other words"),
			want: true,
		},
		"NoRule": {
			reason: "An error with a value is about just this value.",
			err:    field.Invalid(component, "x", "is wrong"), planned: field.Invalid(replicas, "x", "other words"),
		},
		"Decoding": {
			reason: "Nothing in a value can be right that cannot be read.",
			err:    field.Required(replicas, "is required"), planned: rule.Mark(rule.WrongType, field.ErrorList{field.Invalid(component, "x", "must be an object")})[0],
			want: true,
		},
		"Parent": {
			reason: "If a field is missing, so may be the object that would contain it.",
			err:    field.Required(field.NewPath("spec"), ""), planned: field.Required(field.NewPath("spec", "services"), "at least one service is required"), want: true,
		},
		"Form": {
			reason: "A graph without anything lacks either components or services.",
			err:    field.Required(field.NewPath("spec", "components"), "one of two"), planned: field.Required(field.NewPath("spec", "services"), "at least one service is required"), want: true,
		},
		"Above": {
			reason: "An error that has another reason says nothing about what is in the object.",
			err:    field.Required(replicas, "is required"), planned: field.Invalid(component, "x", "other words"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := knownOf(&files.Graphs()[0], message.OfErrors(field.ErrorList{tc.planned}), &graph.Graph{}).has(tc.err); got != tc.want {
				t.Errorf("%s\nhas(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
