package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

func TestCorpusIsAccepted(t *testing.T) {
	manifests := shared.Corpus(t)
	renders := make([]harness.Render, len(manifests))
	for i, m := range manifests {
		renders[i] = harness.Render{XR: m.Path, Cluster: harness.GroveKAI}
	}
	outputs := harness.New(t).RenderAll(t, renders)

	seen := map[string]bool{}
	for i, m := range manifests {
		seen[m.Name] = true
		t.Run(m.Name, func(t *testing.T) {
			want, refused := refusals[m.Name]
			switch {
			case refused:
				isRefused(t, outputs[i], want)
			case m.Valid || accepted[m.Name] != "":
				isRendered(t, outputs[i])
			default:
				t.Errorf("upstream refused it: list what has to be said of it, or why it is accepted\nerr %v, stderr %s", outputs[i].Err, outputs[i].Stderr)
			}
		})
	}
	for name := range refusals {
		if !seen[name] {
			t.Errorf("%s is listed, and not in the corpus", name)
		}
	}
	for name := range accepted {
		if !seen[name] {
			t.Errorf("%s is listed, and not in the corpus", name)
		}
	}
}

func isRefused(t *testing.T, out harness.Output, want refusal) {
	t.Helper()
	if out.Err == nil {
		t.Fatalf("rendered, want it refused: %s", want.reason)
	}
	if len(out.Stdout) > 0 {
		t.Errorf("refused, but something was printed:\n%s", out.Stdout)
	}
	for _, message := range want.messages {
		if !strings.Contains(out.Stderr, message) {
			t.Errorf("the error does not say %q: %s", message, out.Stderr)
		}
	}
}

func isRendered(t *testing.T, out harness.Output) {
	t.Helper()
	if out.Err != nil {
		t.Fatalf("%v: %s", out.Err, out.Stderr)
	}
	if out.Stderr != "" {
		t.Errorf("rendered, but stderr says: %s", out.Stderr)
	}
	var keys []string
	for _, object := range out.Composed {
		keys = append(keys, harness.Key(object))
	}
	if !slices.Contains(keys, "podcliqueset") {
		t.Errorf("composed no PodCliqueSet but %v", keys)
	}
}
