package graph

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// afresh is a step that holds graph and plan against those that a step of the chain reads from its request. Before the other
// steps it shows that a plan is what its encoding says; after them, that none of them has changed either.
type afresh struct {
	where string
	t     *testing.T
	calls *int
}

func (a afresh) do(call *step.Call) error {
	*a.calls++
	g, p, err := step.Inputs(call.Request)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(p, call.Plan); diff != "" {
		a.t.Errorf("%s: plan: -as a step of the chain reads it, +as the fused function hands it on:\n%s", a.where, diff)
	}
	if diff := cmp.Diff(g, call.Graph, cmp.AllowUnexported(graph.Graph{}, graph.Component{}), cmpopts.IgnoreFields(graph.Graph{}, "CommandLines"), protocmp.Transform()); diff != "" {
		a.t.Errorf("%s: graph: -as a step of the chain reads it, +as the fused function hands it on:\n%s", a.where, diff)
	}
	return nil
}

// TestShared shows that steps can share one graph and one plan.
func TestShared(t *testing.T) {
	t.Run("Examples", func(t *testing.T) {
		for _, e := range harness.Examples(t) {
			for _, cluster := range []string{"all", "grove-kai", "lws-volcano", "none"} {
				share(t, e.XR, e.Composition, cluster)
			}
		}
	})
	t.Run("OwnCorpus", func(t *testing.T) {
		for _, m := range corpus.Manifests(t) {
			share(t, m.Path, harness.Composition, "all")
			share(t, m.Path, harness.Composition, "lws-volcano")
		}
	})
	t.Run("Corpus", func(t *testing.T) {
		for _, m := range shared.Corpus(t) {
			share(t, m.Path, harness.Composition, "all")
			share(t, m.Path, harness.Composition, "lws-volcano")
		}
	})
}

// share graph and plan of a manifest in a cluster of the examples. It may be refused.
func share(t *testing.T, xr, composition, cluster string) {
	t.Helper()
	calls := 0
	where := fmt.Sprintf("%s on %s", filepath.Base(xr), cluster)
	f := NewFunction(logging.NewNopLogger())
	f.steps = slices.Concat(stepsOf(afresh{where + ", before", t, &calls}.do), f.steps, stepsOf(afresh{where + ", after", t, &calls}.do))

	at := func(path string) string { return filepath.Join(harness.Root(), path) }
	c := render.Command{
		CompositeResource: xr,
		Composition:       at(composition[:len(composition)-len(".yaml")] + "-fused.yaml"),
		Functions:         at(harness.Functions),
		RequiredResources: []string{at("examples/cluster/" + cluster + ".yaml")},
		Timeout:           time.Minute,
	}
	if err := c.Execute(t.Context(), nil, &bytes.Buffer{}, []server.Function{{Name: "graph", Runner: f}}, nil); err == nil && calls < 2 {
		t.Errorf("%s: rendered, and nothing was compared", where)
	}
}
