// Package compositiontest reads the pipelines of Compositions for tests.
package compositiontest

import (
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// Pipeline of a Composition with these additional fields in the input of step plan. Steps are called as by the newest version
// of Crossplane only: calls of older ones are compared elsewhere.
func Pipeline(t testing.TB, composition string, input map[string]any) *crossplane.Pipeline {
	t.Helper()
	pipeline, err := crossplane.ReadPipeline(harness.WithInput(t, composition, input))
	if err != nil {
		t.Fatal(err)
	}
	pipeline.Once = true
	return pipeline
}
