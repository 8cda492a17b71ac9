package templates

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestFormat(t *testing.T) {
	outlines := []Outline{
		{Manifest: "b", Digest: "2", Platform: "none", Messages: []string{"spec: wrong: in two ways", "metadata: too"}},
		{
			Manifest: "a", Digest: "1", Platform: "grove", Messages: []string{"spec.x: has no effect"},
			Rows: []Row{{"PodCliqueSet", "a", "podcliqueset", fixed, "x"}, {"PodCliqueSet", "a", "podcliqueset", "worker", "y"}, {"Service", "a-b", "service-b", "", ""}},
		},
	}
	want := header + `a (1) on grove
  warning: spec.x: has no effect
  PodCliqueSet a podcliqueset (fixed) x
  PodCliqueSet a podcliqueset worker y
  Service a-b service-b
b (2) on none
  refused: spec: wrong: in two ways
  refused: metadata: too
`
	text := Format(outlines)
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("Outlines are sorted, and each line stands alone.\nFormat(...): -want, +got:\n%s", diff)
	}
	parsed, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse(...): %v", err)
	}
	if diff := cmp.Diff([]Outline{outlines[1], outlines[0]}, parsed); diff != "" {
		t.Errorf("Parse(...): -want, +got:\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	for name, text := range map[string]string{
		"BeforeTitle": "  Service a service-a\n",
		"NoTitle":     "a on grove\n",
		"Columns":     "a (1) on grove\n  Service a\n",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(text); err == nil {
				t.Errorf("Parse(%q): want an error", text)
			}
		})
	}
}

// TestOutlineOf checks that objects are listed whether or not they have pods.
func TestOutlineOf(t *testing.T) {
	composed := []*unstructured.Unstructured{object("Service", nil), object("Deployment", deploymentSpec())}
	outline, err := OutlineOf("chat", "cluster", object("DynamoGraphDeployment", nil), composed)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range outline.Rows {
		got = append(got, r.Kind+" "+r.Role)
	}
	if diff := cmp.Diff([]string{"Service ", "Deployment (fixed)", "Deployment pods"}, got); diff != "" {
		t.Errorf("OutlineOf(...): -want, +got:\n%s", diff)
	}
	if rows := outline.WithPods().Rows; len(rows) != 2 {
		t.Errorf("WithPods(): want only the Deployment, got %v", rows)
	}
}
