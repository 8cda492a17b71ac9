package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/compare"
)

// TestDiffConverted shows that a graph that is only converted to the other version gets no warning anew, whatever it is warned of, and that a
// warning that it did not have before is told.
func TestDiffConverted(t *testing.T) {
	manifests, err := filepath.Glob(filepath.Join(harness.Root(), "fn-tests/support/corpus/manifests/*/warned-*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for i, path := range manifests {
		if !harness.Sampled(i, 3) {
			continue
		}
		name, err := filepath.Rel(harness.Root(), path)
		if err != nil {
			t.Fatal(err)
		}
		before := harness.Read(t, name)[0]
		if before.GetAPIVersion() != "nvidia.com/v1alpha1" {
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
		messages = append(messages, w.Message)
	}
	return messages, len(report.Graphs[0].Refusals) > 0
}
