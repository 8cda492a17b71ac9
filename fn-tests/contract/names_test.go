package contract

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/compositiontest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
)

// platforms are clusters, and inputs of step plan, under which graphs have different objects.
func platforms(t testing.TB, composition string) map[string]platform {
	t.Helper()
	all := map[string]platform{}
	for name, p := range map[string]struct{ cluster, input string }{
		"grove":               {"grove-kai", `{}`},
		"grove-nvlink":        {"grove-kai", `{"mnnvl":{"mode":"Auto"}}`},
		"grove-own-nvlink":    {"grove-kai", `{"mnnvl":{"mode":"Grove"},"grove":{"topologyDialect":"PackDomain"}}`},
		"everything":          {"all", `{"ingress":{"gateway":{"name":"public"}},"istio":{"endpointPickers":{}},"scalingAdapter":{"mode":"Enabled"},"checkpoints":{"mode":"Enabled","contract":"v0.1.0"}}`},
		"lws":                 {"lws-volcano", `{"ingress":{"className":"nginx"},"vllm":{"distributedExecutor":"mp"}}`},
		"lws-kubernetes":      {"lws-kubernetes", `{}`},
		"lws-nvlink":          {"lws-volcano", `{"mnnvl":{"mode":"Auto"}}`},
		"lws-nvlink-replicas": {"lws-volcano", `{"mnnvl":{"mode":"Auto","scope":"Replica"}}`},
	} {
		var input map[string]any
		if err := json.Unmarshal([]byte(p.input), &input); err != nil {
			t.Fatal(err)
		}
		cluster := harness.Read(t, "examples/cluster/"+p.cluster+".yaml")
		if p.cluster != "all" {
			cluster = append(cluster, harness.Driver(t)...)
		}
		all[name] = platform{cluster: cluster, pipeline: compositiontest.Pipeline(t, composition, input)}
	}
	return all
}

// platform is what graphs run on.
type platform struct {
	cluster  []*unstructured.Unstructured
	pipeline *crossplane.Pipeline
}

func functions() crossplane.Functions {
	return crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
}

// manifests are the examples, and beside them what has objects that they do not have.
func manifests(t testing.TB) map[string]string {
	t.Helper()
	paths := map[string]string{"nvlink": "fn-tests/sequences/testdata/nvlink.yaml", "everything": "fn-tests/contract/testdata/names/everything.yaml"}
	for _, e := range harness.ExamplesV1alpha1(t) {
		if e.Composition == harness.Composition {
			paths[e.Name] = e.XR
		}
	}
	return paths
}

// TestNamesLookedUp plays the life of manifests on every platform: what is composed first was looked up by its name, and nothing is
// looked up any more once all is there.
func TestNamesLookedUp(t *testing.T) {
	seen := map[string]bool{}
	for on, p := range platforms(t, harness.Composition) {
		for name, path := range manifests(t) {
			t.Run(on+"/"+name, func(t *testing.T) {
				g := crossplane.NewGraph(harness.Read(t, path)[0], p.cluster)
				if !create(t, p, g, seen) || !harness.Sampled(len(on)+len(name), 4) {
					return
				}
				settled, err := p.pipeline.Settle(t.Context(), g, functions())
				if err != nil {
					t.Fatal(err)
				}
				for requirement := range selectors(settled) {
					if strings.HasPrefix(requirement, "names-") {
						t.Errorf("%s is still looked up when all is there", requirement)
					}
				}
			})
		}
	}
	if diff := cmp.Diff(kinds.ComposedNames(), slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Errorf("-kinds in internal/kinds/kinds.go, +kinds that were composed:\n%s", diff)
	}
}

// create a graph, and report whether it is accepted. Each object that is composed must have been looked up, and each that is
// looked up as one of the graph's own must be composed. seen are the kinds that were.
func create(t *testing.T, p platform, g *crossplane.Graph, seen map[string]bool) bool {
	t.Helper()
	first, err := p.pipeline.Reconcile(t.Context(), g, functions())
	if errors.Is(err, crossplane.ErrFatal) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	asked, composed := selectors(first), first.Desired().GetResources()
	for key, r := range composed {
		o := identity(r.GetResource())
		seen[o.kind] = true
		// The name of a revision or a SnapshotJob ends with a hash of its content, so that no object of anybody else has it.
		isHashed := strings.HasPrefix(key, "revision-") || strings.HasPrefix(key, "snapshotjob-")
		if !isHashed && !slices.Contains(slices.Collect(maps.Values(asked)), o) {
			t.Errorf("%s: %v is composed, and was not looked up; add it to functions/plan/inventory", key, o)
		}
	}
	for requirement := range asked {
		key, ok := strings.CutPrefix(requirement, "names-")
		if _, isComposed := composed[key]; ok && !isComposed && !strings.HasPrefix(key, "of-") && !strings.HasPrefix(key, "beside-") {
			t.Errorf("%s is looked up, and not composed", key)
		}
	}
	return true
}

// object by which two graphs may be in each other's way.
type object struct{ apiVersion, kind, name string }

func identity(o *structpb.Struct) object {
	metadata := o.GetFields()["metadata"].GetStructValue().GetFields()
	return object{o.GetFields()["apiVersion"].GetStringValue(), o.GetFields()["kind"].GetStringValue(), metadata["name"].GetStringValue()}
}

// selectors by name of all steps, by the names of their requirements.
func selectors(r *crossplane.Reconcile) map[string]object {
	all := map[string]object{}
	for _, call := range r.Calls {
		for requirement, s := range call.Response.GetRequirements().GetResources() {
			if match, ok := s.GetMatch().(*fnv1.ResourceSelector_MatchName); ok {
				all[requirement] = object{s.GetApiVersion(), s.GetKind(), match.MatchName}
			}
		}
	}
	return all
}
