package why

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/output"
)

// FuzzDiagnose diagnoses graphs with objects and events of any content. It must never panic, and name a cause with a command for each graph
// that is not ready.
func FuzzDiagnose(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		f.Fatalf("there are no seeds: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		objects, err := harness.Parse(data)
		if err != nil {
			f.Fatal(err)
		}
		list := make([]any, 0, len(objects))
		for _, o := range objects {
			list = append(list, o.Object)
		}
		seed, err := json.Marshal(list)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Add([]byte(`[{"kind": "Pod", "apiVersion": "v1", "metadata": {"uid": "a", "ownerReferences": [{"uid": "a", "controller": true}]}, "status": 1}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var list []any
		if err := json.Unmarshal(data, &list); err != nil {
			return
		}
		facts := &Facts{Graph: &unstructured.Unstructured{Object: map[string]any{}}}
		for _, item := range list {
			content, isObject := item.(map[string]any)
			if !isObject {
				continue
			}
			o := unstructured.Unstructured{Object: content}
			switch o.GetKind() {
			case "DynamoGraphDeployment":
				facts.Graph = &o
			case "Event":
				facts.Events = append(facts.Events, o)
			default:
				facts.Objects = append(facts.Objects, o)
			}
		}
		d := Diagnose(facts, "kubectl")
		if !d.Ready && (len(d.Causes) == 0 || d.Causes[0].Next == "" || d.Causes[0].Message == "") {
			t.Errorf("want a cause with a command, got %+v", d.Causes)
		}
		var out bytes.Buffer
		for _, format := range []string{output.FormatText, output.FormatJSON} {
			if err := d.Write(&out, format); err != nil {
				t.Fatal(err)
			}
		}
		if bytes.ContainsRune(out.Bytes(), '\x1b') {
			t.Errorf("the output controls the terminal: %q", out.String())
		}
		if err := (&Progress{Out: &out}).Show(d); err != nil {
			t.Fatal(err)
		}
	})
}
