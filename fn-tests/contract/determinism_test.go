package contract

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

const (
	// processes is the number of renders in separate processes.
	processes = 3
	// sampledManifests is the number of manifests from outside the repository that are tried.
	sampledManifests = 50
)

// repeats is how often each manifest is rendered. Within three renders, which is what -short tries, an order that differs is most likely
// seen in one of several hundred manifests, and within many in each of them.
func repeats() int {
	if testing.Short() {
		return 3
	}
	return 25
}

// TestDeterministicResponses runs the functions repeatedly, and compares all responses.
func TestDeterministicResponses(t *testing.T) {
	t.Run("Examples", func(t *testing.T) {
		for _, e := range harness.Examples(t) {
			repeat(t, e.XR, newChain(t, e.Composition, harness.GroveKAI), repeats())
			if !e.NeedsGrove {
				repeat(t, e.XR, newChain(t, e.Composition, harness.LWSVolcano), repeats())
			}
		}
	})
	t.Run("OwnCorpus", func(t *testing.T) {
		manifests := corpus.Manifests(t)
		for i, render := range corpus.Renders(t, manifests) {
			repeat(t, manifests[i].Path, newChain(t, render.Composition, render.Cluster), repeats())
		}
	})
	t.Run("Corpus", func(t *testing.T) {
		c := newChain(t, harness.Composition, harness.GroveKAI)
		outside := shared.Corpus(t)
		for i := range sampledManifests {
			repeat(t, outside[i*len(outside)/sampledManifests].Path, c, repeats())
		}
	})
}

func repeat(t *testing.T, path string, c *chain, renders int) {
	t.Helper()
	xr := harness.Read(t, path)[0]
	got, errs := make([][]byte, renders), make([]error, renders)
	harness.Parallel(renders, func(i int) { got[i], errs[i] = c.run(t.Context(), xr) })
	for i := range got {
		if errs[i] != nil {
			t.Fatalf("%s: %v", filepath.Base(path), errs[i])
		}
		if !bytes.Equal(got[0], got[i]) {
			t.Fatalf("%s: answers differ: %s", filepath.Base(path), differ(got[0], got[i]))
		}
	}
}

// TestDeterministicProcesses compares the output of renders that share no memory.
func TestDeterministicProcesses(t *testing.T) {
	binary := harness.New(t)
	for i, e := range harness.Examples(t) {
		if !harness.Sampled(i, 8) {
			continue
		}
		var all []harness.Render
		for range processes {
			all = append(all, harness.Render{XR: e.XR, Composition: e.Composition, Cluster: harness.GroveKAI, Alone: true})
		}
		var want []byte
		for i, out := range binary.RenderAll(t, all) {
			if out.Err != nil {
				t.Fatalf("%s: %v: %s", e.Name, out.Err, out.Stderr)
			}
			got := harness.Format(t, append(out.Composed, out.Composite)...)
			if i == 0 {
				want = got
			}
			if !bytes.Equal(want, got) {
				t.Errorf("%s: renders differ: %s", e.Name, differ(want, got))
			}
		}
	}
}
