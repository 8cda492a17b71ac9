package packages

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// A renderCase is one call of render, in paths relative to the root of the repository.
type renderCase struct {
	xr          string
	composition string
	xrd         string
	cluster     string
}

const (
	groveKAI   = "examples/cluster/grove-kai.yaml"
	namespaced = "compositions/dynamographdeployment.yaml"
	claims     = "compositions/xdynamographdeployment.yaml"
	// The CLIs take a Composition of exactly the version of the manifest.
	inV1alpha1 = "examples/v1alpha1/"

	namespacedXRD = "apis/dynamographdeployment/definition.yaml"
	claimsXRD     = "apis/xdynamographdeployment/definition.yaml"
)

// TestParity renders every example by the oldest and the newest CLI of Crossplane that support it, which call the functions over gRPC, and by
// `dgd render`, which runs them in its own process. The composed objects must be the same.
func TestParity(t *testing.T) {
	if os.Getenv("CONFIGURATION_DYNAMO_PARITY") != "1" {
		t.Skip("set CONFIGURATION_DYNAMO_PARITY=1 to compare with the real Crossplane CLIs, which are built first")
	}

	r := newRenderers(t)

	cases := examples(t)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) { compare(t, r, cases[name]) })
	}
	t.Run("Refusal", func(t *testing.T) { refuse(t, r) })
}

// examples returns every example with its Composition, and some of them also on every other cluster, and in v1alpha1.
func examples(t *testing.T) map[string]renderCase {
	t.Helper()

	cases := map[string]renderCase{}
	for _, path := range harness.Glob(t, "examples/*.yaml") {
		file := filepath.Join("examples", filepath.Base(path))
		if !strings.HasPrefix(filepath.Base(file), "functions") {
			cases[caseName(file)] = exampleCase(t, file)
		}
	}
	for _, path := range harness.Glob(t, "examples/claims/*-xr.yaml") {
		file := filepath.Join("examples", "claims", filepath.Base(path))
		cases[caseName(file)] = renderCase{xr: file, composition: claims, xrd: claimsXRD, cluster: groveKAI}
	}
	for cluster, name := range map[string]string{
		"grove":       "sglang-multinode",
		"all":         "sglang-multinode",
		"lws-volcano": "trtllm-multinode",
		"none":        "agg-vllm",
	} {
		elsewhere := cases[name]
		elsewhere.cluster = "examples/cluster/" + cluster + ".yaml"
		cases[name+"-on-"+cluster] = elsewhere
	}
	for _, name := range []string{"sglang-multinode", "trtllm-multinode-on-lws-volcano", "agg-vllm-xr"} {
		older := cases[name]
		older.xr = filepath.Join(inV1alpha1, strings.TrimPrefix(older.xr, "examples/"))
		older.composition = filepath.Join(inV1alpha1, older.composition)
		cases[name+"-in-v1alpha1"] = older
	}
	return cases
}

// exampleCase renders an example. What an example with an input of its own needs is enabled by the input, because the newest CLI detects it from
// schemas, which the others do not know.
func exampleCase(t *testing.T, file string) renderCase {
	t.Helper()
	c := renderCase{xr: file, composition: namespaced, xrd: namespacedXRD, cluster: groveKAI}
	input := filepath.Join(harness.Root(), strings.TrimSuffix(file, ".yaml"), "input.yaml")
	if _, err := os.Stat(input); err == nil {
		c.composition, c.cluster = harness.WithInput(t, namespaced, harness.Read(t, input)[0].Object), "examples/cluster/all.yaml"
	}
	return c
}

func caseName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), ".yaml")
}

func compare(t *testing.T, r *renderers, tc renderCase) {
	t.Helper()

	ours := parse(t, "ours", r.ours(t, tc))
	v116 := parse(t, "v1.16", r.v116(t, tc))
	v25 := parse(t, "v2.5", r.v25(t, tc))

	if len(ours.composed) == 0 {
		t.Fatal("our render composes nothing, so there is nothing to compare")
	}
	if diff := cmp.Diff(v116.composed, ours.composed); diff != "" {
		t.Errorf("composed objects: -crossplane v1.16 beta render, +ours:\n%s", diff)
	}
	if diff := cmp.Diff(v25.composed, ours.composed); diff != "" {
		t.Errorf("composed objects: -crossplane v2.5 composition render, +ours:\n%s", diff)
	}
	// Only the newest CLI shows conditions and knows namespaced composites.
	if diff := cmp.Diff(v25.status, ours.status); diff != "" {
		t.Errorf("status of the composite: -crossplane v2.5 composition render, +ours:\n%s", diff)
	}
}

// refuse checks that every CLI fails for a graph with two mistakes, and reports both.
func refuse(t *testing.T, r *renderers) {
	t.Helper()

	tc := renderCase{
		xr:          "fn-tests/packages/testdata/parity/refused.yaml",
		composition: filepath.Join(inV1alpha1, namespaced),
		xrd:         namespacedXRD,
		cluster:     groveKAI,
	}
	outputs := map[string]output{"ours": r.ours(t, tc), "v1.16": r.v116(t, tc), "v2.5": r.v25(t, tc)}
	for name, got := range outputs {
		if got.err == nil {
			t.Errorf("%s: render of a graph with mistakes succeeded:\n%s", name, got.stdout)
		}
		for _, want := range []string{"mainContainer.comand", "resources.limits.gpu"} {
			if !strings.Contains(got.stderr, want) {
				t.Errorf("%s: stderr does not name %s:\n%s", name, want, got.stderr)
			}
		}
	}
}
