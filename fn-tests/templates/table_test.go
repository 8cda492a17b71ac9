package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestChanges(t *testing.T) {
	row := func(digest, role, hash string) Row { return Row{"chat", digest, "cluster", "workload", role, hash} }
	cases := map[string]struct {
		reason       string
		older, newer Table
		want         []Change
	}{
		"Nothing": {
			reason: "What stays the same is no change.",
			older:  Table{row("1", "leader", "a")},
			newer:  Table{row("1", "leader", "a")},
		},
		"Changed": {
			reason: "The manifest is the same and the pods are not.",
			older:  Table{row("1", "leader", "a"), row("1", "worker", "b")},
			newer:  Table{row("1", "leader", "a"), row("1", "worker", "c")},
			want:   []Change{{"chat", "cluster", "workload", "worker", "changed"}},
		},
		"GoneAndNew": {
			reason: "A workload of another name is another one.",
			older:  Table{row("1", "leader", "a")},
			newer:  Table{row("1", "main", "a")},
			want:   []Change{{"chat", "cluster", "workload", "leader", "gone"}, {"chat", "cluster", "workload", "main", "new"}},
		},
		"Edited": {
			reason: "Another manifest may have other pods.",
			older:  Table{row("1", "leader", "a")},
			newer:  Table{row("2", "leader", "b")},
		},
		"Added": {
			reason: "A manifest that was not there has no pods yet.",
			newer:  Table{row("1", "leader", "a")},
		},
		"Removed": {
			reason: "A manifest that is not there any more tells nothing.",
			older:  Table{row("1", "leader", "a")},
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

// TestRefused holds that a graph that is refused where it was not counts as changed.
func TestRefused(t *testing.T) {
	source := object("DynamoGraphDeployment", nil)
	older, err := RowsOf("chat", "cluster", source, []*unstructured.Unstructured{object("Deployment", deploymentSpec())})
	if err != nil {
		t.Fatal(err)
	}
	newer, err := RowsOf("chat", "cluster", source, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Change{
		{"chat", "cluster", "-", refused, "new"},
		{"chat", "cluster", "workload", fixed, "gone"},
		{"chat", "cluster", "workload", "pods", "gone"},
	}
	if diff := cmp.Diff(want, Changes(older, newer)); diff != "" {
		t.Errorf("Changes(...): -want, +got:\n%s", diff)
	}
}

func TestParseTable(t *testing.T) {
	want := Table{{"a", "1", "c", "k", "leader", "x"}, {"b", "2", "c", "k", fixed, "y"}}
	got, err := ParseTable(Table{want[1], want[0]}.String())
	if err != nil {
		t.Fatalf("ParseTable(...): %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ParseTable(...): -want, +got:\n%s", diff)
	}
	if _, err := ParseTable("a\tb\n"); err == nil {
		t.Error("ParseTable(...): want an error for a line that lacks columns")
	}
}
