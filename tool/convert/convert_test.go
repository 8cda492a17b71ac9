package convert

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/document"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

func TestFiles(t *testing.T) {
	cases := map[string]struct {
		reason string
		to     string
	}{
		"comments": {
			reason: "Comments, order and style of what the user wrote stay, and documents that are not converted stay to the letter.",
			to:     "v1beta1",
		},
		"list": {
			reason: "Graphs in a list are converted where they are, and what they share by anchors is written out.",
			to:     "v1beta1",
		},
		"json": {
			reason: "JSON becomes YAML, in which text that YAML 1.1 takes for a boolean is quoted.",
			to:     "v1alpha1",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".yaml")
			converter := Converter{To: tc.to}
			got, err := converter.File(path, nil)
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			for _, warning := range converter.Warnings {
				got = fmt.Appendf(got, "# warning: %s\n", warning)
			}
			harness.Golden(t, filepath.Join("testdata", "golden", name+".yaml"), got)
		})
	}
}

func TestFilesRefused(t *testing.T) {
	cases := map[string]struct {
		reason string
		input  string
		want   string
	}{
		"not YAML": {
			reason: "A file that is no YAML is refused with the document.",
			input:  "kind: a\n---\na: [\nb: c\n",
			want:   `cannot convert document 2 of "-": line 3: cannot parse YAML: did not find expected ',' or ']'`,
		},
		"duplicate key": {
			reason: "Of two values of one key one would be lost.",
			input:  "spec: 1\nspec: 2\n",
			want:   `cannot convert document 1 of "-": line 2: key "spec" is already set in line 1, and one of the two values is lost; remove one of them`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := (&Converter{To: "v1beta1"}).File(manifest.Stdin, strings.NewReader(tc.input))
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("%s: want error %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

// TestComments writes comments everywhere into the examples. None is there twice afterwards, where a field becomes two fields, and all are still comments.
func TestComments(t *testing.T) {
	for folder, to := range map[string]string{"": "v1alpha1", "v1alpha1": "v1beta1"} {
		for _, path := range harness.Glob(t, filepath.Join("examples", folder, "*.yaml")) {
			data := harness.File(t, path)
			var commented strings.Builder
			for line := range strings.Lines(string(data)) {
				line = strings.TrimRight(line, "\n")
				text := strings.TrimLeft(line, " ")
				if strings.HasPrefix(text, "#") || text == "---" {
					fmt.Fprintln(&commented, line)
					continue
				}
				n := commented.Len()
				fmt.Fprintf(&commented, "%s# above %d.\n%s # beside %d.\n", strings.Repeat(" ", len(line)-len(text)), n, line, n)
			}
			out, err := (&Converter{To: to}).File(manifest.Stdin, strings.NewReader(commented.String()))
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for _, comment := range regexp.MustCompile(`# (?:above|beside) \d+\.`).FindAllString(commented.String(), -1) {
				if n := strings.Count(string(out), comment); n > 1 {
					t.Errorf("%s: %q is there %d times:\n%s", path, comment, n, out)
				}
			}
		}
	}
}

// TestCorpus holds that the layout never changes what is said, that a second conversion changes nothing, and that comments stay.
func TestCorpus(t *testing.T) {
	shared.SkipShort(t)
	for folder, to := range map[string]string{"": "v1beta1", "v1beta1": "v1alpha1"} {
		paths, err := filepath.Glob(filepath.Join(shared.Path(t, 307+181, "corpus", folder), "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			t.Run(filepath.Join(folder, filepath.Base(path)), func(t *testing.T) { layOutManifest(t, path, to) })
		}
	}
}

func layOutManifest(t *testing.T, path, to string) {
	t.Helper()
	data := harness.File(t, path)
	out, err := (&Converter{To: to}).File(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, got := objectsOf(t, data), objectsOf(t, out)
	for i, object := range want {
		if holdsGraph(object) {
			ready, _ := prepared(object, "nvidia.com/"+to)
			want[i], _ = conversion.ToV1beta1(ready)
			if to == "v1alpha1" {
				want[i], _ = conversion.ToV1alpha1(ready)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("layout changes what is said, -want, +got:\n%s", diff)
	}
	again, err := (&Converter{To: to}).File(manifest.Stdin, strings.NewReader(string(out)))
	if diff := cmp.Diff(string(out), string(again)); diff != "" || err != nil {
		t.Errorf("a second conversion, error %v, -want, +got:\n%s", err, diff)
	}
	for line := range strings.Lines(string(data)) {
		if comment := strings.TrimSpace(line); strings.HasPrefix(comment, "#") && !strings.Contains(string(out), comment) {
			t.Errorf("lost: %s", comment)
		}
	}
}

func objectsOf(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	var all []map[string]any
	for _, doc := range document.Split(data) {
		object := unstructured.Unstructured{}
		encoded, err := yaml.YAMLToJSON(doc.Text)
		if err != nil {
			t.Fatal(err)
		}
		if string(encoded) == "null" {
			continue
		}
		if err := object.UnmarshalJSON(encoded); err != nil {
			t.Fatal(err)
		}
		all = append(all, object.Object)
	}
	return all
}
