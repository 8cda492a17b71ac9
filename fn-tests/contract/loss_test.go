package contract

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestNothingIsLost renders each example in a cluster that has its objects. In each render, one of the cluster's other objects is missing,
// or all of them are. If a render fails, Crossplane changes nothing. If it succeeds, it must compose all existing objects.
func TestNothingIsLost(t *testing.T) {
	binary := harness.New(t)
	for _, cluster := range []string{harness.GroveKAI, harness.LWSVolcano} {
		for number, e := range harness.Examples(t) {
			if e.NeedsGrove && cluster != harness.GroveKAI {
				continue
			}
			t.Run(e.Name+"-on-"+strings.TrimSuffix(filepath.Base(cluster), ".yaml"), func(t *testing.T) {
				first := binary.RenderAccepted(t, harness.Render{XR: e.XR, Composition: e.Composition, Cluster: cluster, Secrets: true})
				again := harness.Render{
					XR:          harness.Write(t, first.Composite),
					Composition: e.Composition,
					Observed:    harness.Write(t, first.Composed...),
					Secrets:     true,
				}
				compareWithout(t, binary, again, harness.Read(t, cluster), first.Composed, harness.Sampled(number, 8))
			})
		}
	}
}

// compareWithout all other objects of the cluster, and without each of them.
func compareWithout(t *testing.T, binary *harness.Binary, again harness.Render, cluster, composed []*unstructured.Unstructured, each bool) {
	t.Helper()
	var all []harness.Render
	var missing []string
	add := func(what string, rest []*unstructured.Unstructured) {
		render := again
		if len(rest) > 0 {
			render.Cluster = harness.Write(t, rest...)
		}
		all, missing = append(all, render), append(missing, what)
	}
	add("nothing", cluster)
	add("everything", nil)
	for i, object := range cluster {
		if !each {
			break
		}
		add(object.GetKind()+" "+object.GetName(), slices.Delete(slices.Clone(cluster), i, i+1))
	}

	want := contentByKey(composed)
	for i, out := range binary.RenderAll(t, all) {
		if out.Err != nil {
			if missing[i] == "nothing" {
				t.Errorf("nothing is missing, and it does not render again: %s", out.Stderr)
			}
			continue
		}
		if diff := cmp.Diff(want, contentByKey(out.Composed)); diff != "" {
			t.Errorf("without %s, what is composed changes\nbefore -, after +\n%s", missing[i], diff)
		}
	}
}

func contentByKey(objects []*unstructured.Unstructured) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, object := range objects {
		all[harness.Key(object)] = object.Object
	}
	return all
}
