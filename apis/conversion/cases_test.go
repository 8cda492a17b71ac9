package conversion_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A testCase of a file in testdata/cases.
type testCase struct {
	Name     string         `json:"name"`
	Reason   string         `json:"reason"`
	From     string         `json:"from"`
	Metadata map[string]any `json:"metadata"`
	Spec     map[string]any `json:"spec"`
	Status   map[string]any `json:"status"`
}

// graph of the case.
func (c testCase) graph(t testing.TB) map[string]any {
	t.Helper()
	graph := map[string]any{"apiVersion": "nvidia.com/" + c.From, "kind": "DynamoGraphDeployment"}
	for key, value := range map[string]map[string]any{"metadata": c.Metadata, "spec": c.Spec, "status": c.Status} {
		if value != nil {
			graph[key] = value
		}
	}
	return throughJSON(t, graph)
}

func testCases(t testing.TB) []testCase {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "cases", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []testCase
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		// Not as YAML 1.1, which takes y for true.
		tree := parseManifest(t, []byte("cases:\n"+string(data)))
		data, err = json.Marshal(tree["cases"])
		if err != nil {
			t.Fatal(err)
		}
		var cases []testCase
		if err := yaml.UnmarshalStrict(data, &cases); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		all = append(all, cases...)
	}
	return all
}

// A golden is what a case is converted to, with the annotations decoded.
type golden struct {
	Reason    string         `json:"reason"`
	Converted map[string]any `json:"converted"`
	Kept      map[string]any `json:"kept,omitempty"`
	Status    map[string]any `json:"keptStatus,omitempty"`
	Warnings  []string       `json:"warnings,omitempty"`
}

func TestCases(t *testing.T) {
	for _, c := range testCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			there, _ := away(c.graph(t))
			converted, warnings := there(c.graph(t))
			out := golden{Reason: c.Reason, Converted: withoutNotes(converted)}
			metadata, _ := converted["metadata"].(map[string]any)
			annotations, _ := metadata["annotations"].(map[string]any)
			for key, into := range map[string]*map[string]any{conversion.AnnotationSpec: &out.Kept, conversion.AnnotationStatus: &out.Status} {
				if text, ok := annotations[key]; ok {
					*into = parseManifest(t, fmt.Append(nil, text))
				}
			}
			for _, warning := range warnings {
				out.Warnings = append(out.Warnings, string(warning.Reason)+" "+warning.String())
			}
			data, err := yaml.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			harness.Golden(t, filepath.Join("testdata", "golden", c.Name+".yaml"), data)
		})
	}
}

func TestCasesComeBack(t *testing.T) {
	for _, c := range testCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			comesBack(t, c.graph(t))
			editsComeBack(t, c.graph(t))
		})
	}
}
