package sequences

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// unnamed is a message without the name of its step, which comes from the Composition and not from functions.
func unnamed(message string) string {
	return regexp.MustCompile(`([Pp]ipeline step )"[a-z]+"`).ReplaceAllString(message, "${1}(step)")
}

// asPackaged is a copy of the fused Composition of a flavour, with its name in the Configuration, which is that of the chain.
func asPackaged(t *testing.T, composition string, input map[string]any) string {
	t.Helper()
	path := harness.WithInput(t, fusedOf(composition), input)
	object := harness.Read(t, path)[0]
	object.SetName(strings.TrimSuffix(object.GetName(), "-fused"))
	return harness.Write(t, object)
}

// TestFusedRenders compares the whole output of render, including that for refused graphs.
func TestFusedRenders(t *testing.T) {
	t.Parallel()
	binary := harness.New(t)
	t.Run("Examples", func(t *testing.T) {
		for _, path := range clusters(t) {
			compareRenders(t, binary, examples(t), path)
		}
	})
	t.Run("Corpus", func(t *testing.T) { compareRenders(t, binary, sampleOf(outside(t)), harness.GroveKAI) })
}

func compareRenders(t *testing.T, binary *harness.Binary, manifests []manifest, clusterPath string) {
	t.Helper()
	packaged := map[string]string{}
	for _, composition := range []string{harness.Composition, harness.ClaimsComposition} {
		packaged[composition] = asPackaged(t, composition, nil)
	}
	var chains, fused []harness.Render
	for _, m := range manifests {
		render := harness.Render{XR: m.path, Composition: m.composition, Cluster: clusterPath, Everything: true}
		chains = append(chains, render)
		render.Composition = packaged[m.composition]
		fused = append(fused, render)
	}
	want, got := binary.RenderAll(t, chains), binary.RenderAll(t, fused)
	rendered := 0
	for i, m := range manifests {
		if want[i].Err == nil {
			rendered++
		}
		if diff := cmp.Diff(printed(t, want[i]), printed(t, got[i])); diff != "" {
			t.Errorf("%s on %s: -chain, +fused:\n%s", m.name, manifestName(clusterPath), diff)
		}
	}
	if rendered == 0 {
		t.Errorf("every graph is refused on %s, so little was compared", manifestName(clusterPath))
	}
}

// printed is the whole output of a render in its order, without the names of steps.
func printed(t *testing.T, out harness.Output) string {
	t.Helper()
	var all bytes.Buffer
	if out.Err == nil {
		for _, object := range out.Composed {
			if message, ok := object.Object["message"].(string); ok && object.GetKind() == "Result" {
				object.Object["message"] = unnamed(message)
			}
		}
		all.Write(harness.Format(t, out.Composite))
		all.Write(harness.Format(t, out.Composed...))
	} else {
		all.WriteString(out.Err.Error() + "\n")
	}
	all.WriteString(unnamed(out.Stderr))
	return all.String()
}
