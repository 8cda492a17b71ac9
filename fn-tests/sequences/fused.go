package sequences

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// render with the chain. Where it is compared, the fused function has to render the same. As all is the same then after each render, a Composition
// can change from one to the other at any of them.
func render(t *testing.T, c *harness.Chain, s step, compared bool) harness.Output {
	t.Helper()
	if !compared || lacksStep(t, c.Composition) {
		return c.Render(t)
	}
	fused := c.RenderWith(t, fusedLike(t, c.Composition))
	chain := c.Render(t)
	if diff := cmp.Diff(printed(t, chain), printed(t, fused)); diff != "" {
		t.Errorf("%s: -chain, +fused:\n%s", s.name, diff)
	}
	return chain
}

// lacksStep reports whether a Composition is only a part of the chain, which the fused function cannot be.
func lacksStep(t *testing.T, composition string) bool {
	t.Helper()
	return len(stepsOf(t, harness.Read(t, composition)[0])) < len(stepsOf(t, harness.Read(t, harness.Composition)[0]))
}

// fusedOf is the fused Composition of a flavour.
func fusedOf(composition string) string {
	return strings.TrimSuffix(composition, ".yaml") + "-fused.yaml"
}

// fusedLike is the fused Composition with the input of that of the chain, and with its name, which it has in the Configuration.
func fusedLike(t *testing.T, composition string) string {
	t.Helper()
	chain, fused := harness.Read(t, composition)[0], harness.Read(t, fusedOf(harness.Composition))[0]
	fused.SetName(chain.GetName())
	stepsOf(t, fused)[0]["input"] = stepsOf(t, chain)[0]["input"]
	return harness.Write(t, fused)
}

// stepsOf a Composition.
func stepsOf(t *testing.T, composition *unstructured.Unstructured) []map[string]any {
	t.Helper()
	pipeline, _ := valueAt(t, composition.Object, "spec", "pipeline").([]any)
	var steps []map[string]any
	for _, s := range pipeline {
		if fields, ok := s.(map[string]any); ok {
			steps = append(steps, fields)
		}
	}
	return steps
}

// stepName in a message comes from the Composition and not from functions.
var stepName = regexp.MustCompile(`([Pp]ipeline step )"[a-z]+"`)

// printed is the whole output of a render in its order, without the names of steps.
func printed(t *testing.T, out harness.Output) string {
	t.Helper()
	said := stepName.ReplaceAllString(out.Stderr, "${1}(step)")
	if out.Err != nil {
		return out.Err.Error() + "\n" + said
	}
	return string(harness.Format(t, append(out.Composed, out.Composite)...)) + said
}
