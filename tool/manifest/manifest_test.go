package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// graphOf a name, in one document.
func graphOf(name string) string {
	return "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata:\n  name: " + name + "\n"
}

// read is what a test reads of files.
type read struct {
	Graphs, Others []string
	Documents      int
	Problems       []Problem
}

func summaryOf(files *Files) read {
	r := read{Documents: files.Others, Problems: files.Problems}
	for _, o := range files.Graphs() {
		r.Graphs = append(r.Graphs, o.GetName())
	}
	for _, o := range files.NotGraphs() {
		r.Others = append(r.Others, o.GetKind())
	}
	return r
}

func TestSkipped(t *testing.T) {
	in := graphOf("a") + "---\napiVersion: v1\nkind: Secret\n---\n- text\n---\nkind: None\n"
	files, err := Reader{In: strings.NewReader(in)}.Read([]string{Stdin})
	if err != nil {
		t.Fatal(err)
	}
	if got := files.Skipped(); got != 3 {
		t.Errorf("objects of other kinds and documents that are no objects are skipped: want 3, got %d", got)
	}
}

func TestErr(t *testing.T) {
	files, err := Reader{In: strings.NewReader(graphOf("a") + "---\na: [\n---\nb: [\n")}.Read([]string{Stdin})
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Err(); err == nil || !strings.HasPrefix(err.Error(), "-:6:1: cannot parse YAML: ") {
		t.Errorf("want the first of two problems with its position, got %v", err)
	}
	if err := (&Files{}).Err(); err != nil {
		t.Errorf("want no error for files without problems, got %v", err)
	}
}

func TestReadStream(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   read
	}{
		"Kustomize": {
			reason: "Objects of other kinds are kept, because a graph may refer to them.",
			in:     "apiVersion: v1\nkind: Secret\n---\n" + graphOf("a") + "---\napiVersion: v1\nkind: ConfigMap\n",
			want:   read{Graphs: []string{"a"}, Others: []string{"Secret", "ConfigMap"}},
		},
		"List": {
			reason: "Lists are taken apart, also lists of lists.",
			in: "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: a}}\n" +
				"- {apiVersion: v1, kind: List, items: [{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: b}}, text]}\n",
			want: read{Graphs: []string{"a", "b"}, Documents: 1},
		},
		"JSON": {
			reason: "JSON is YAML.",
			in:     `{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "a"}}`,
			want:   read{Graphs: []string{"a"}},
		},
		"Stream": {
			reason: "Objects of JSON follow each other without a separator, as jq and kubectl get --output=json write them.",
			in:     `{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "a"}}` + "\n" + `{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "b"}}`,
			want:   read{Graphs: []string{"a", "b"}},
		},
		"Ended": {
			reason: "What follows the end of a document would be lost.",
			in:     graphOf("a") + "...\n" + graphOf("b"),
			want: read{Problems: []Problem{{
				Position: Position{File: "-", Line: 6, Column: 1}, Message: "more content follows the end of the document, and would be lost; begin each document with a line ---",
			}}},
		},
		"Array": {
			reason: "kubectl refuses a list of objects, as jq --slurp writes it.",
			in:     `[{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "a"}}]`,
			want: read{Problems: []Problem{{
				Position: Position{File: "-", Line: 1, Column: 1}, Message: "a list of objects is no manifest; put them into items of an object with apiVersion: v1 and kind: List",
			}}},
		},
		"ListOfGraphs": {
			reason: "Items of a list of one kind have it, as kubectl reads what clients write.",
			in:     "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeploymentList, items: [{metadata: {name: a}}]}",
			want:   read{Graphs: []string{"a"}},
		},
		"Comments": {
			reason: "Documents without content do not count, and a separator may be followed by a comment.",
			in:     "# Nothing.\n--- # The graph.\n" + graphOf("a") + "---\n\n---\n# Nothing.\n...\n",
			want:   read{Graphs: []string{"a"}},
		},
		"Windows": {
			reason: "Editors on Windows write a byte order mark and two characters at the end of a line.",
			in:     "\xef\xbb\xbf" + strings.ReplaceAll(graphOf("a")+"---\n"+graphOf("b"), "\n", "\r\n"),
			want:   read{Graphs: []string{"a", "b"}},
		},
		"NotObjects": {
			reason: "Values of a chart are no objects.",
			in:     "replicas: 2\n---\n- a\n---\ntext\n",
			want:   read{Documents: 3},
		},
		"NotYAML": {
			reason: "A document that cannot be parsed does not hide the others, and has the line in the file.",
			in:     graphOf("a") + "---\nspec:\n  a: 1\n  b: [\n---\n" + graphOf("b"),
			want: read{Graphs: []string{"a", "b"}, Problems: []Problem{{
				Position: Position{File: "-", Line: 8, Column: 1}, Message: "cannot parse YAML: did not find expected node content",
			}}},
		},
		"Kinds": {
			reason: "The composite resource of a claim and a graph of an unknown version are graphs, and the kind of another group is none.",
			in: "{apiVersion: nvidia.com/v1beta1, kind: XDynamoGraphDeployment, metadata: {name: a}}\n---\n" +
				"{apiVersion: nvidia.com/v3, kind: DynamoGraphDeployment, metadata: {name: b}}\n---\n" +
				"{apiVersion: example.org/v1, kind: DynamoGraphDeployment, metadata: {name: c}}\n",
			want: read{Graphs: []string{"a", "b"}, Others: []string{"DynamoGraphDeployment"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files, err := Reader{In: strings.NewReader(tc.in)}.Read([]string{Stdin})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, summaryOf(files)); diff != "" {
				t.Errorf("%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadPaths(t *testing.T) {
	root := t.TempDir()
	for path, content := range map[string]string{
		"a.yaml": graphOf("a"), "b.yml": graphOf("b"), "c.json": `{"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "c"}}`,
		"notes.txt": "not a manifest", "more/d.yaml": graphOf("d"), ".git/e.yaml": graphOf("e"), "f[1].yaml": graphOf("f"),
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".", filepath.Join(root, "current")); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		reason    string
		paths     []string
		recursive bool
		want      []string
		err       string
	}{
		"Folder":    {reason: "A folder stands for its manifests, in the order of their names.", paths: []string{"."}, want: []string{"a", "b", "c", "f"}},
		"Link":      {reason: "A link to a folder is the folder.", paths: []string{"current"}, want: []string{"a", "b", "c", "f"}},
		"Recursive": {reason: "Hidden folders are not those of users.", paths: []string{"."}, recursive: true, want: []string{"a", "b", "c", "f", "d"}},
		"Pattern":   {reason: "Not all shells expand patterns.", paths: []string{"*.y*ml"}, want: []string{"a", "b", "f"}},
		"Overlap":   {reason: "A file that two paths name is read once.", paths: []string{"a.yaml", "*.yaml"}, want: []string{"a", "f"}},
		"Brackets":  {reason: "A file whose name looks like a pattern is a file.", paths: []string{"f[1].yaml"}, want: []string{"f"}},
		"Missing":   {reason: "A path that does not exist is an error.", paths: []string{"a.yaml", "absent.yaml"}, err: "no such file"},
		"NoMatch":   {reason: "A pattern that matches nothing is probably misspelt.", paths: []string{"*.yamll"}, err: "no file matches"},
		"BadSyntax": {reason: "A pattern has a syntax.", paths: []string{"[a.yaml"}, err: "not a valid pattern"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var paths []string
			for _, path := range tc.paths {
				paths = append(paths, filepath.Join(root, path))
			}
			files, err := Reader{Recursive: tc.recursive}.Read(paths)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s\nwant an error with %q, got %v", tc.reason, tc.err, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, summaryOf(files).Graphs); diff != "" {
				t.Errorf("%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadStdinFails(t *testing.T) {
	if _, err := (Reader{In: failing{}}).Read([]string{Stdin}); err == nil || !strings.Contains(err.Error(), "-") {
		t.Errorf("want an error about standard input, got %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, os.ErrClosed }

// endless input, as a device is.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestReadTooMuch(t *testing.T) {
	if _, err := (Reader{In: endless{}}).Read([]string{Stdin}); err == nil || !strings.Contains(err.Error(), "it is larger than 64 MB") {
		t.Errorf("want an error about the size of standard input, got %v", err)
	}
}

func TestDuplicates(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   []Problem
	}{
		"None": {reason: "Different keys are fine.", spec: "spec:\n  a: 1\n  b: 1\n"},
		"Name": {
			reason: "The second key is what is wrong.", spec: "spec:\n  components:\n    - name: b\n      name: c\n",
			want: []Problem{{
				Position: Position{File: "-", Line: 10, Column: 7},
				Message:  `key "name" is already set in line 9, and one of the two values is lost; remove one of them`,
			}},
		},
		"Quoted": {
			reason: "Quotes make no difference, because all keys of objects are texts.", spec: "spec:\n  1: a\n  \"1\": b\n",
			want: []Problem{{
				Position: Position{File: "-", Line: 9, Column: 3},
				Message:  `key "1" is already set in line 8, and one of the two values is lost; remove one of them`,
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files, err := Reader{In: strings.NewReader("# Comment.\n---\n" + graphOf("a") + tc.spec)}.Read([]string{Stdin})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, files.Graphs()[0].Duplicates()); diff != "" {
				t.Errorf("%s\nDuplicates(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
