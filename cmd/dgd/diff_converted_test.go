package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/compare"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/convert"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/manifest"
)

// TestDiffConverted shows that a graph that is only converted to the other version gets no warning anew, whatever it is warned of, and that a
// warning that it did not have before is told.
func TestDiffConverted(t *testing.T) {
	manifests, err := filepath.Glob(filepath.Join(harness.Root(), "fn-tests/support/corpus/manifests/*/warned-*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tried, seen := 0, 0
	for _, path := range manifests {
		name, err := filepath.Rel(harness.Root(), path)
		if err != nil {
			t.Fatal(err)
		}
		before := harness.Read(t, name)[0]
		if before.GetAPIVersion() != "nvidia.com/v1alpha1" {
			continue
		}
		seen++
		if !harness.Sampled(seen, 3) {
			continue
		}
		after := before.DeepCopy()
		after.Object, _ = conversion.ToV1beta1(before.Object)
		got, refused := newWarnings(t, before, after)
		// Not everything that is warned of is possible in the other version.
		if refused {
			continue
		}
		tried++
		if len(got) > 0 {
			t.Errorf("%s: want no new warning, got %q", name, got)
		}
		annotations := map[string]string{"nvidia.com/mpi-ssh-secre": "x"}
		maps.Copy(annotations, after.GetAnnotations())
		after.SetAnnotations(annotations)
		want := []string{`is not a known annotation; did you mean "nvidia.com/mpi-ssh-secret"?`}
		got, _ = newWarnings(t, before, after)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: new warnings: -want, +got:\n%s", name, diff)
		}
	}
	if tried < 3 {
		t.Errorf("want at least 3 manifests, got %d", tried)
	}
}

// TestConvertedPods checks that to apply what convert makes of a graph replaces the pods of those services of which it warns, and of no others: for each
// example with each type of services, and each real manifest with its own types and one of these types.
func TestConvertedPods(t *testing.T) {
	types := []string{"", "main", "default", "router", "prefill", "decode"}
	var before []*unstructured.Unstructured
	add := func(graph *unstructured.Unstructured, types ...string) {
		before = append(before, graph)
		for _, componentType := range types {
			before = append(before, withTypes(t, graph, componentType))
		}
	}
	for _, e := range harness.ExamplesV1alpha1(t) {
		if graph := harness.Read(t, e.XR)[0]; graph.GetKind() == "DynamoGraphDeployment" {
			add(graph, types...)
		}
	}
	t.Run("examples", func(t *testing.T) { convertedPods(t, before, 20) })
	before = nil
	t.Run("corpus", func(t *testing.T) {
		for i, m := range shared.Corpus(t) {
			for _, graph := range harness.Read(t, m.Path) {
				if services, ok, _ := unstructured.NestedMap(graph.Object, "spec", "services"); ok && len(services) > 0 {
					add(graph, types[i%len(types)])
				}
			}
		}
		convertedPods(t, before, 60)
	})
}

// withTypes is a graph whose services have another type: all of them, or workers, if it is a type of workers. Empty: none has one.
func withTypes(t *testing.T, graph *unstructured.Unstructured, componentType string) *unstructured.Unstructured {
	t.Helper()
	graph = graph.DeepCopy()
	services, _, _ := unstructured.NestedMap(graph.Object, "spec", "services")
	for _, value := range services {
		service, isObject := value.(map[string]any)
		if !isObject || slices.Contains([]string{"prefill", "decode"}, componentType) && service["componentType"] != "worker" {
			continue
		}
		delete(service, "subComponentType")
		service["componentType"] = componentType
	}
	if err := unstructured.SetNestedMap(graph.Object, services, "spec", "services"); err != nil {
		t.Fatal(err)
	}
	return graph
}

// replacedPods match a warning that the pods of a service are replaced. Behind an Endpoint Picker, they are under a condition that the warning names.
var replacedPods = regexp.MustCompile(`spec\.services\[(.+)\]\.componentType: .*applying the result replaces`)

// convertedPods compares graphs with what they are converted to. In at least some of them, pods are replaced.
func convertedPods(t *testing.T, graphs []*unstructured.Unstructured, atLeast int) {
	t.Helper()
	var old, converted []byte
	warned := map[string]string{}
	for i, graph := range graphs {
		graph = graph.DeepCopy()
		graph.SetName(fmt.Sprintf("g%d", i))
		graph.SetNamespace("inference")
		written := harness.Format(t, graph)
		converter := convert.Converter{To: "v1beta1"}
		out, err := converter.File(manifest.Stdin, bytes.NewReader(written))
		if err != nil {
			t.Fatal(err)
		}
		old, converted = append(old, written...), append(converted, out...)
		for _, warning := range converter.Warnings {
			if found := replacedPods.FindStringSubmatch(warning); found != nil {
				warned["inference/"+graph.GetName()+"/"+found[1]] = warning
			}
		}
	}
	ended := compared(t, "", asFile(t, "old.yaml", old), asFile(t, "new.yaml", converted), "--output=json", "--cluster", filepath.Join(harness.Root(), "examples/cluster/all.yaml"))
	report := compare.Report{}
	if err := json.Unmarshal([]byte(ended.out), &report); err != nil {
		t.Fatalf("got exit status %d and %s", ended.code, ended.err)
	}
	replaced := 0
	for _, g := range report.Graphs {
		if g.Effect == compare.Refused || g.Note != "" {
			continue
		}
		for _, c := range g.Components {
			warning, restarts := warned[g.Name+"/"+c.Name], c.Effect == compare.Restarts
			if restarts {
				replaced++
			}
			if restarts != (warning != "") && (restarts || !strings.Contains(warning, "InferencePool")) {
				t.Errorf("%s: diff says of %s: %s %q, and convert warns: %q", g.Name, c.Name, c.Text, c.Reasons, warning)
			}
		}
	}
	if replaced < atLeast {
		t.Errorf("want at least %d components whose pods are replaced, got %d", atLeast, replaced)
	}
}

func asFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newWarnings of a graph that replaces another one, unless it is refused. The graphs of the corpus are for different clusters, so all of them are compared on one that
// has everything.
func newWarnings(t *testing.T, before, after *unstructured.Unstructured) (messages []string, refused bool) {
	t.Helper()
	var files []string
	for name, object := range map[string]*unstructured.Unstructured{"a-before.json": before, "b-after.json": after} {
		data, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	ended := compared(t, "", append(files, "--output=json", "--cluster", filepath.Join(harness.Root(), "examples/cluster/all.yaml"))...)
	report := compare.Report{}
	if err := json.Unmarshal([]byte(ended.out), &report); err != nil || len(report.Graphs) != 1 {
		t.Fatalf("want a report on a graph, got exit status %d and %s", ended.code, ended.err)
	}
	for _, w := range report.Graphs[0].Warnings {
		// Only v1beta1 has a command of the frontend sidecar, to which the remedy moves the program.
		if !strings.HasPrefix(w.Message, "begin with the program ") {
			messages = append(messages, w.Message)
		}
	}
	return messages, len(report.Graphs[0].Refusals) > 0
}
