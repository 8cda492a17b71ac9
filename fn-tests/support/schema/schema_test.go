package schema

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

func TestLoad(t *testing.T) {
	crds, err := Load(filepath.Join("testdata", "crd.yaml"), filepath.Join("testdata", "xrd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, crd := range crds {
		got = append(got, string(crd.Spec.Scope)+" "+crd.Name)
		errs, err := Check(crd)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range errs {
			t.Errorf("%s: %v", crd.Name, err)
		}
	}
	want := []string{"Namespaced boxes.example.org", "Cluster xcrates.example.org", "Namespaced crates.example.org", "Namespaced pallets.example.org"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

// TestCheck checks that what the API server would refuse in a definition is found.
func TestCheck(t *testing.T) {
	crds, err := Load(filepath.Join("testdata", "crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	spec := crds[0].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.XValidations[0].Rule = "self.colour == oldSelf.colour"
	errs, err := Check(crds[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "undefined field 'colour'") {
		t.Errorf("want one error about an undefined field, got %v", errs)
	}
}

func TestValidate(t *testing.T) {
	set, err := LoadSet(filepath.Join("testdata", "crd.yaml"), filepath.Join("testdata", "xrd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason string
		object string
		want   []string
	}{
		"Valid": {
			reason: "Nulls count as absent and whole numbers as integers.",
			object: "{apiVersion: example.org/v1, kind: Box, metadata: {name: a}, spec: {size: 3.0, note: null, weight: 1, labels: null}}",
		},
		"UnknownFields": {
			reason: "Unknown fields are found at every depth.",
			object: "{apiVersion: example.org/v1, kind: Box, metadata: {name: a}, spec: {colour: red, labels: [{name: x, value: y}]}, data: {}}",
			want: []string{
				"data: Forbidden: unknown field",
				"spec.colour: Forbidden: unknown field",
				"spec.labels[0].value: Forbidden: unknown field",
			},
		},
		"Everything": {
			reason: "Schema and list keys are judged together.",
			object: "{apiVersion: example.org/v1, kind: Box, metadata: {name: A}, spec: {size: 11, labels: [{name: x}, {name: x}]}}",
			want: []string{
				`metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
				"spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
				`spec.labels[1]: Duplicate value: {"name":"x"}`,
			},
		},
		"BadMetadata": {
			reason: "Metadata has its own schema.",
			object: "{apiVersion: example.org/v1, kind: Box, metadata: {name: a, labels: [x]}}",
			want:   []string{`metadata: Invalid value: {"labels":["x"],"name":"a","namespace":"default"}: json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string`},
		},
		"Claim": {
			reason: "A claim is judged by the schema of its composite resource.",
			object: "{apiVersion: example.org/v1, kind: Crate, metadata: {name: a}, spec: {}}",
			want:   []string{"spec.size: Required value"},
		},
		"Composite": {
			reason: "Crossplane's own fields are known, among them those that it adds to the status.",
			object: "{apiVersion: example.org/v1, kind: Pallet, metadata: {name: a}, spec: {size: 1, crossplane: {resourceRefs: []}}, status: {conditions: [{type: Ready, status: 'True', reason: Available, lastTransitionTime: '2026-01-01T00:00:00Z'}]}}",
		},
		"UnknownKind": {
			reason: "A kind without a definition is not passed over.",
			object: "{apiVersion: example.org/v1beta1, kind: Box, metadata: {name: a}}",
			want:   []string{`kind: Invalid value: "Box": no definition of example.org/v1beta1, Kind=Box`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, texts(set.Validate(parse(t, tc.object)))); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAdmit(t *testing.T) {
	validator := box(t)
	given := parse(t, "{apiVersion: example.org/v1, kind: Box, metadata: {name: a}, spec: {size: 3, note: null, extra: 1}}")
	before := given.DeepCopy()

	admitted, errs := validator.Admit(given, nil)
	if diff := cmp.Diff([]string{"spec.extra: Forbidden: unknown field"}, texts(errs)); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	want := map[string]any{
		"apiVersion": "example.org/v1",
		"kind":       "Box",
		"metadata":   map[string]any{"name": "a", "namespace": "default"},
		"spec":       map[string]any{"size": int64(3), "color": "red"},
	}
	if diff := cmp.Diff(want, admitted.Object); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	if diff := cmp.Diff(before, given); diff != "" {
		t.Errorf("the argument changed\nbefore -, after +\n%s", diff)
	}
}

func TestValidateUpdate(t *testing.T) {
	validator := box(t)
	cases := map[string]struct {
		reason string
		old    string
		spec   string
		want   []string
	}{
		"Same": {
			reason: "An update may change what no rule holds.",
			old:    "{color: green, size: 1}",
			spec:   "{color: green, size: 2}",
		},
		"Rule": {
			reason: "Rules see the old object, with its defaults.",
			old:    "{size: 1}",
			spec:   "{color: green}",
			want:   []string{`spec: Invalid value: color cannot change`},
		},
		"OldMistake": {
			reason: "What was wrong before may stay wrong.",
			old:    "{color: blue, size: 12}",
			spec:   "{color: blue, size: 12, note: new}",
		},
		"OldListMistake": {
			reason: "A list key that was wrong before may stay wrong.",
			old:    "{labels: [{name: x}, {name: x}]}",
			spec:   "{labels: [{name: x}, {name: x}], size: 1}",
		},
		"NewListMistake": {
			reason: "List keys are judged on update too.",
			old:    "{labels: [{name: x}]}",
			spec:   "{labels: [{name: x}, {name: x}]}",
			want:   []string{`spec.labels[1]: Duplicate value: {"name":"x"}`},
		},
		"NewMistake": {
			reason: "What was right may not become wrong.",
			old:    "{size: 1}",
			spec:   "{size: 12}",
			want:   []string{`spec.size: Invalid value: 12: spec.size in body should be less than or equal to 10`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := func(spec string) *unstructured.Unstructured {
				return parse(t, "{apiVersion: example.org/v1, kind: Box, metadata: {name: a}, spec: "+spec+"}")
			}
			if diff := cmp.Diff(tc.want, texts(validator.ValidateUpdate(object(tc.spec), object(tc.old)))); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}

func box(t testing.TB) *Validator {
	t.Helper()
	crds, err := Load(filepath.Join("testdata", "crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	validator, err := New(crds[0], "v1")
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

func parse(t testing.TB, manifest string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), &object.Object); err != nil {
		t.Fatal(err)
	}
	return object
}

func texts(errs field.ErrorList) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, err.Error())
	}
	return texts
}
