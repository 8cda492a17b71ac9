package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// diffReport is what the command diff prints about a graph.
type diffReport struct {
	Verdict    string `json:"verdict"`
	Note       string `json:"note"`
	Components []struct {
		Name    string `json:"component"`
		Verdict string `json:"verdict"`
	} `json:"components"`
}

// preview compares graphs that run with their manifests, and with an edit, as their users do before they apply it. The manifest of a claim
// does not show that it is one.
func (s *suite) preview(t *T) {
	binary := harness.New(t).Path(t)
	cases := map[string]struct {
		reason  string
		example string
		change  []func(*unstructured.Unstructured)
	}{
		"Grove":            {reason: "What is a PodCliqueSet stays one.", example: "disagg-vllm"},
		"LeaderWorkerSets": {reason: "The Secret with the keys of the pods stays as it is.", example: "trtllm-multinode", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			t.Parallel()
			g := s.run(t, tc.example, "previewed-"+strings.ToLower(name), tc.change...)
			got := s.diff(t, binary, g)
			if got.Verdict != "nothing" || got.Note != "" {
				t.Errorf("%s\nwant nothing to change, got %+v", tc.reason, got)
			}
			set(g.Object, "registry.example.org/frontend:previewed", "spec", "services", "Frontend", "extraPodSpec", "mainContainer", "image")
			restarting := map[string]string{}
			got = s.diff(t, binary, g)
			for _, c := range got.Components {
				restarting[c.Name] = c.Verdict
			}
			want := map[string]string{}
			for component := range restarting {
				want[component] = "nothing"
			}
			want["Frontend"] = "restarts"
			if diff := cmp.Diff(want, restarting); diff != "" || got.Verdict != "restarts" || got.Note != "" {
				t.Errorf("%s\nwant only the pod of the frontend to restart, got %+v: -want, +got:\n%s", tc.reason, got, diff)
			}
			s.remove(t, g)
		})
	}
}

// diff of a manifest and what runs.
func (s *suite) diff(t testing.TB, binary string, manifest *unstructured.Unstructured) diffReport {
	t.Helper()
	// What the command says about its progress is not part of the report.
	out, err := s.Shell(s.ctx, fmt.Sprintf("%s diff %s --output=json 2>/dev/null", binary, harness.Write(t, manifest)))
	if err != nil {
		t.Fatal(err)
	}
	report := struct {
		Graphs []diffReport `json:"graphs"`
	}{}
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Graphs) != 1 {
		t.Fatalf("want a report on one graph, got %v: %s", err, out)
	}
	return report.Graphs[0]
}
