package harness

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestRecall(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	graph := write("graph.yaml", "graph")
	first := Render{XR: graph, Composition: write("first.yaml", "composition"), Cluster: write("cluster.yaml", "cluster")}
	with := func(change func(r *Render)) Render {
		r := first
		change(&r)
		return r
	}
	cases := map[string]struct {
		reason string
		render Render
		known  bool
	}{
		"Same":             {reason: "What was rendered is not rendered again.", render: first, known: true},
		"SameContent":      {reason: "Two copies of a Composition are the same.", render: with(func(r *Render) { r.Composition = write("copy.yaml", "composition") }), known: true},
		"OtherGraph":       {reason: "The path of a graph may be in messages.", render: with(func(r *Render) { r.XR = write("other.yaml", "graph") })},
		"OtherComposition": {reason: "Another Composition has another input.", render: with(func(r *Render) { r.Composition = write("second.yaml", "other") })},
		"OtherCluster":     {reason: "Another cluster has other objects.", render: with(func(r *Render) { r.Cluster = "" })},
		"Observed":         {reason: "A live graph is another one than a new graph.", render: with(func(r *Render) { r.Observed = write("observed.yaml", "object") })},
		"OtherOutput":      {reason: "Options change what is printed.", render: with(func(r *Render) { r.Everything = true })},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, rendered := &remembered{}, 0
			do := func() (Output, error) {
				rendered++
				return Output{Composed: []*unstructured.Unstructured{{Object: map[string]any{"kind": "Service"}}}}, nil
			}
			out, err := m.recall(first, do)
			if err != nil {
				t.Fatal(err)
			}
			out.Composed[0].SetKind("Changed")
			if out, err = m.recall(tc.render, do); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.known, rendered == 1); diff != "" {
				t.Errorf("%s\nknown: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff("Service", out.Composed[0].GetKind()); diff != "" {
				t.Errorf("What a test changes in an output is not in that of another.\n-want, +got:\n%s", diff)
			}
		})
	}
}
