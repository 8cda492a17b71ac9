package main

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	manifests "github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/compare"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/definitions"
)

// stored is a graph as the API server stores it, with defaults and without unknown fields.
func stored(t *testing.T, validators *definitions.Validators, graph *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	_, version, _ := strings.Cut(graph.GetAPIVersion(), "/")
	validator, err := validators.Of(definitions.Graph, version)
	if err != nil {
		t.Fatal(err)
	}
	object, _ := validator.Admit(graph, nil)
	return object
}

// TestDiffDefaults checks that what the API server adds to a graph is no change: graphs in clusters have it, and those in files do not.
func TestDiffDefaults(t *testing.T) {
	if testing.Short() {
		t.Skip("the graphs of TestDiffFormats are enough for the race detector, with which the command is slow")
	}
	validators := &definitions.Validators{}
	byPlatform := map[string][]manifests.Manifest{}
	for _, m := range manifests.Manifests(t) {
		if !m.Refused && !m.Warned {
			byPlatform[m.Platform.Name] = append(byPlatform[m.Platform.Name], m)
		}
	}
	for name, platform := range byPlatform {
		t.Run(name, func(t *testing.T) {
			var old, written []*unstructured.Unstructured
			for _, m := range platform {
				graph := harness.Read(t, m.Path)[0]
				old, written = append(old, stored(t, validators, graph)), append(written, graph)
			}
			report := diffOf(t, platform[0].Platform, harness.Write(t, old...), harness.Write(t, written...), harness.Composition)
			for _, g := range report.Graphs {
				if g.Effect != compare.Nothing {
					t.Errorf("want nothing changed, got %+v", g)
				}
			}
		})
	}
}
