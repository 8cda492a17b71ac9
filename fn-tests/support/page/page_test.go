package page

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	const text = "# Page\n\n```bash claims\nkubectl get dgd\n\nls\n```\n\n<!-- Not run: It takes an hour. -->\n```console\n$ make bench\n```\n" +
		"\n- item\n\n  ```yaml\n  a:\n    b: 1\n  ```\n\n```\nplain\n```\n"
	want := []Block{
		{Page: "p.md", Line: 3, Language: Bash, Where: Claims, Text: "kubectl get dgd\n\nls\n"},
		{Page: "p.md", Line: 10, Language: Console, NotRun: "It takes an hour.", Text: "$ make bench\n"},
		{Page: "p.md", Line: 16, Language: YAML, Text: "a:\n  b: 1\n"},
		{Page: "p.md", Line: 21, Text: "plain\n"},
	}
	if diff := cmp.Diff(want, Read("p.md", text)); diff != "" {
		t.Errorf("Read(...): -want, +got:\n%s", diff)
	}
}

// TestAll finds what there is for certain.
func TestAll(t *testing.T) {
	blocks, err := All()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, b := range blocks {
		found[b.Page+" "+b.Language] = true
	}
	for _, want := range []string{"README.md console", Install + " bash", "docs/topology.md yaml"} {
		if !found[want] {
			t.Errorf("want a block of %s", want)
		}
	}
}
