package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChanges(t *testing.T) {
	row := func(role, hash string) Row { return Row{"Deployment", "chat-worker", "workload", role, hash} }
	graph := func(digest string, rows ...Row) []Outline {
		return []Outline{{Manifest: "chat", Digest: digest, Platform: "cluster", Rows: rows}}
	}
	cases := map[string]struct {
		reason       string
		older, newer []Outline
		want         []Change
	}{
		"Nothing": {
			reason: "What stays the same is no change.",
			older:  graph("1", row("leader", "a")),
			newer:  graph("1", row("leader", "a")),
		},
		"Changed": {
			reason: "The manifest is the same and the pods are not.",
			older:  graph("1", row("leader", "a"), row("worker", "b")),
			newer:  graph("1", row("leader", "a"), row("worker", "c")),
			want:   []Change{{"chat", "cluster", "workload", "worker", "changed"}},
		},
		"GoneAndNew": {
			reason: "A workload of another name is another one.",
			older:  graph("1", row("leader", "a")),
			newer:  graph("1", row("main", "a")),
			want:   []Change{{"chat", "cluster", "workload", "leader", "gone"}, {"chat", "cluster", "workload", "main", "new"}},
		},
		"Edited": {
			reason: "Another manifest may have other pods.",
			older:  graph("1", row("leader", "a")),
			newer:  graph("2", row("leader", "b")),
		},
		"Added": {
			reason: "A manifest that was not there has no pods yet.",
			newer:  graph("1", row("leader", "a")),
		},
		"Removed": {
			reason: "A manifest that is not there any more tells nothing.",
			older:  graph("1", row("leader", "a")),
		},
		"WithoutPods": {
			reason: "Objects without pods may come and go.",
			older:  graph("1", row("", "")),
			newer:  graph("1"),
		},
		"Refused": {
			reason: "A graph that is refused where it was not counts as changed.",
			older:  graph("1", row("pods", "a")),
			newer:  []Outline{{Manifest: "chat", Digest: "1", Platform: "cluster", Messages: []string{"spec: no"}}},
			want:   []Change{{"chat", "cluster", "workload", "pods", "gone"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Changes(tc.older, tc.newer)); diff != "" {
				t.Errorf("\n%s\nChanges(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
