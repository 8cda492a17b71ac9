package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const positioned = `# A graph.
---
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: a
  annotations:
    example.org/a.b: "1"
spec:
  services:
    Front.end[0]:
      replicas: 1
    Worker: &worker
      resources:
        limits: {gpu: 1, nvidia.com/gpu: "2"}
      envs:
        - name: A
          value: |
            text
        - name: B
    Other: *worker
  components:
    - name: Worker
      type: worker
`

func TestAt(t *testing.T) {
	files, err := Reader{In: strings.NewReader(positioned)}.Read([]string{Stdin})
	if err != nil {
		t.Fatal(err)
	}
	o := files.Graphs()[0]
	type position struct {
		Line, Column int
		Exact        bool
	}
	cases := map[string]struct {
		reason    string
		path      string
		want      position
		key       position
		canonical string
	}{
		"Scalar": {
			reason: "A value in the line of its key is what is wrong.",
			path:   "metadata.name", want: position{6, 9, true}, key: position{6, 3, true}, canonical: "/metadata/name",
		},
		"Mapping": {
			reason: "The position of a mapping is that of its key.",
			path:   "spec.services[Worker].resources", want: position{14, 7, true}, key: position{14, 7, true}, canonical: "/spec/services/Worker/resources",
		},
		"Annotation": {
			reason: "Keys with dots are in brackets.",
			path:   "metadata.annotations[example.org/a.b]", want: position{8, 22, true}, key: position{8, 5, true}, canonical: "/metadata/annotations/example.org/a.b",
		},
		"Dots": {
			reason: "Some paths have keys with dots without brackets, and the longest key counts.",
			path:   "spec.services[Worker].resources.limits.nvidia.com/gpu", want: position{15, 42, true}, key: position{15, 26, true}, canonical: "/spec/services/Worker/resources/limits/nvidia.com/gpu",
		},
		"Brackets": {
			reason: "A key may contain brackets.",
			path:   "spec.services[Front.end[0]].replicas", want: position{12, 17, true}, key: position{12, 7, true}, canonical: "/spec/services/Front.end[0]/replicas",
		},
		"MapWithoutBrackets": {
			reason: "The API server writes keys of unknown fields like names of fields.",
			path:   "spec.services.Worker.envs[1].name", want: position{20, 17, true}, key: position{20, 11, true}, canonical: "/spec/services/Worker/envs/1/name",
		},
		"Block": {
			reason: "A block begins in the line of its key.",
			path:   "spec.services[Worker].envs[0].value", want: position{18, 18, true}, key: position{18, 11, true}, canonical: "/spec/services/Worker/envs/0/value",
		},
		"NamedItem": {
			reason: "Items have their index or their name.",
			path:   "spec.components[Worker].type", want: position{24, 13, true}, key: position{24, 7, true}, canonical: "/spec/components/0/type",
		},
		"Item": {
			reason: "An item has no key.",
			path:   "spec.services[Worker].envs[1]", want: position{20, 11, true}, key: position{20, 11, true}, canonical: "/spec/services/Worker/envs/1",
		},
		"Alias": {
			reason: "An alias has the position of what it stands for.",
			path:   "spec.services[Other].envs[1].name", want: position{20, 17, true}, key: position{20, 11, true}, canonical: "/spec/services/Other/envs/1/name",
		},
		"Missing": {
			reason: "What is missing is missing where it should be.",
			path:   "spec.services[Worker].envs[1].value", want: position{20, 11, false}, key: position{20, 11, false}, canonical: "/spec/services/Worker/envs/1/value",
		},
		"MissingItem": {
			reason: "There is no item with this index.",
			path:   "spec.services[Worker].envs[7].value", want: position{16, 7, false}, key: position{16, 7, false}, canonical: "/spec/services/Worker/envs/7].value",
		},
		"Whole": {
			reason: "The position of the whole object is that of its first field.",
			path:   "", want: position{3, 1, true}, key: position{3, 1, true}, canonical: "",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, exact := o.At(tc.path)
			if diff := cmp.Diff(tc.want, position{p.Line, p.Column, exact}); diff != "" {
				t.Errorf("%s\nAt(%q): -want, +got:\n%s", tc.reason, tc.path, diff)
			}
			p, exact = o.Key(tc.path)
			if diff := cmp.Diff(tc.key, position{p.Line, p.Column, exact}); diff != "" {
				t.Errorf("%s\nKey(%q): -want, +got:\n%s", tc.reason, tc.path, diff)
			}
			if diff := cmp.Diff(tc.canonical, o.Canonical(tc.path)); diff != "" {
				t.Errorf("%s\nCanonical(%q): -want, +got:\n%s", tc.reason, tc.path, diff)
			}
		})
	}
}

// TestAtAmbiguous checks which of several fields a path names.
func TestAtAmbiguous(t *testing.T) {
	cases := map[string]struct {
		reason string
		labels string
		path   string
		want   string
	}{
		"Longest": {reason: "The longest key counts, in any order.", labels: "{a: 1, a.b: 2}", path: "metadata.labels.a.b", want: "-:1:94"},
		"First":   {reason: "The longest key also counts if it comes first.", labels: "{a.b: 1, a: 2}", path: "metadata.labels.a.b", want: "-:1:88"},
		"Twice":   {reason: "Of a duplicated key, the last value counts, so it is the one that is wrong.", labels: "{a: 1, a: 2}", path: "metadata.labels.a", want: "-:1:92"},
		"Bracket": {reason: "The last value also counts in brackets.", labels: "{a: 1, a: 2}", path: "metadata.labels[a]", want: "-:1:92"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {labels: " + tc.labels + "}}"
			files, err := Reader{In: strings.NewReader(text)}.Read([]string{Stdin})
			if err != nil {
				t.Fatal(err)
			}
			if got, exact := files.Objects[0].At(tc.path); got.String() != tc.want || !exact {
				t.Errorf("%s\nAt(%q): want %s, got %s (%t)", tc.reason, tc.path, tc.want, got, exact)
			}
		})
	}
}

func TestPositionString(t *testing.T) {
	if got := (Position{File: "a.yaml", Line: 3, Column: 7}).String(); got != "a.yaml:3:7" {
		t.Errorf("want the form of compilers, got %s", got)
	}
}

// TestRenamed shows that all fields that can be renamed are, in one copy of the object, which itself stays as it is.
func TestRenamed(t *testing.T) {
	files, err := Reader{In: strings.NewReader("apiVersion: v1\nkind: Pod\nspec:\n  nme: a\n  naem: b\n  imag: c\n  image: d\n  items:\n  - {valeu: 1}\n")}.Read([]string{Stdin})
	if err != nil {
		t.Fatal(err)
	}
	object := &files.Objects[0]
	renamed, done := object.Renamed([]Rename{
		{Path: "spec.nme", Name: "name"},
		{Path: "spec.naem", Name: "name"},
		{Path: "spec.imag", Name: "image"},
		{Path: "spec.items[0].valeu", Name: "value"},
		{Path: "spec.absent", Name: "present"},
	})
	if diff := cmp.Diff([]bool{true, false, false, true, false}, done); diff != "" {
		t.Errorf("Renamed(...): a name that is taken, or was given before, is not given: -want done, +got:\n%s", diff)
	}
	want := map[string]any{"name": "a", "naem": "b", "imag": "c", "image": "d", "items": []any{map[string]any{"value": int64(1)}}}
	if diff := cmp.Diff(want, renamed.Object["spec"]); diff != "" {
		t.Errorf("Renamed(...): -want, +got:\n%s", diff)
	}
	before, _ := object.At("spec.items[0].valeu")
	after, exact := renamed.At("spec.items[0].value")
	if !exact || before != after {
		t.Errorf("Renamed(...): the position is %s, exact %t; want %s", after, exact, before)
	}
	if own, _, _ := unstructured.NestedString(object.Object, "spec", "nme"); own != "a" {
		t.Error("Renamed(...): the object itself is changed")
	}
}
