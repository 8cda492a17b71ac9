package upgrade

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	otherRelease = "v0.0.1+0a1b2c3d4e5f"

	// contextKey of the plan.
	contextKey = "plan.dynamo.nvidia.com"
)

// TestMixedReleases follows graphs through updates in which one step has a different release than the others: an older one that is not
// updated yet, or a newer one that was updated first. The graphs are edited during the update. Nothing changes until all steps have the
// same release. Then the edit takes effect.
func TestMixedReleases(t *testing.T) {
	graphs := map[string]struct{ xr, cluster string }{
		"Deployments":      {"examples/v1alpha1/agg-vllm.yaml", "examples/cluster/none.yaml"},
		"LeaderWorkerSets": {"examples/v1alpha1/trtllm-multinode.yaml", harness.LWSVolcano},
		"Grove":            {"examples/v1alpha1/agg-vllm.yaml", harness.GroveKAI},
	}
	pipeline, err := crossplane.ReadPipeline(filepath.Join(harness.Root(), harness.Composition))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range graphs {
		for _, step := range pipeline.Steps {
			t.Run(name+"/"+step.Name, func(t *testing.T) {
				g := crossplane.NewLiveGraph(harness.Read(t, tc.xr)[0], harness.Read(t, tc.cluster))
				servers := crossplane.Servers(logging.NewNopLogger())
				reconcile(t, pipeline, g, servers)
				is(t, g, "Synced", "True")
				before := applied(g.Objects())

				updated := servers[step.Function]
				servers[step.Function] = ofOtherRelease{FunctionRunnerServiceServer: updated, plans: step.Function == "plan"}
				g.Edit(changeImages)
				loseReplicas(g)
				reconcile(t, pipeline, g, servers)
				is(t, g, "Synced", "False")
				is(t, g, "ServicesReady", "False")
				if message, _ := g.Condition("Synced")["message"].(string); !strings.Contains(message, otherRelease) {
					t.Errorf("want the other release named, got %q", message)
				}
				if diff := cmp.Diff(before, applied(g.Objects())); diff != "" {
					t.Errorf("objects of a graph whose steps are of two releases: -before, +after:\n%s", diff)
				}

				servers[step.Function] = updated
				reconcile(t, pipeline, g, servers)
				is(t, g, "Synced", "True")
				for key := range before {
					if g.Object(key) == nil {
						t.Errorf("%s is lost", key)
					}
				}
				if cmp.Equal(before, applied(g.Objects())) {
					t.Error("want the edit carried out once all steps are of one release")
				}
			})
		}
	}
}

// ofOtherRelease is a step with a different release than the others, and otherwise the same.
type ofOtherRelease struct {
	fnv1.FunctionRunnerServiceServer

	plans bool
}

// RunFunction runs the step as one that reads or writes a plan of another release.
func (f ofOtherRelease) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if f.plans {
		rsp, err := f.FunctionRunnerServiceServer.RunFunction(ctx, req)
		label(rsp.GetContext(), otherRelease)
		return rsp, err
	}
	written := label(req.GetContext(), otherRelease)
	rsp, err := f.FunctionRunnerServiceServer.RunFunction(ctx, req)
	label(rsp.GetContext(), written)
	return rsp, err
}

// label the plan in a context with another release, and return the previous one.
func label(plan *structpb.Struct, release string) string {
	fields := plan.GetFields()[contextKey].GetStructValue().GetFields()
	before := fields["release"].GetStringValue()
	if fields != nil {
		fields["release"] = structpb.NewStringValue(release)
	}
	return before
}

// reconcile a graph several times, as Crossplane does.
func reconcile(t *testing.T, pipeline *crossplane.Pipeline, g *crossplane.Graph, servers map[string]fnv1.FunctionRunnerServiceServer) {
	t.Helper()
	for range 3 {
		if _, err := pipeline.Run(t.Context(), g, crossplane.InProcess(servers)); err != nil {
			t.Fatal(err)
		}
	}
}

func is(t *testing.T, g *crossplane.Graph, conditionType, status string) {
	t.Helper()
	if c := g.Condition(conditionType); c["status"] != status {
		t.Errorf("want %s %s, got %v", conditionType, status, c)
	}
}

func changeImages(xr *unstructured.Unstructured) {
	components, _, _ := unstructured.NestedMap(xr.Object, "spec", "services")
	for _, component := range components {
		fields, _ := component.(map[string]any)
		_ = unstructured.SetNestedField(fields, "registry.example.org/edited:1", "extraPodSpec", "mainContainer", "image")
	}
	_ = unstructured.SetNestedMap(xr.Object, components, "spec", "services")
}

// loseReplicas of all workloads.
func loseReplicas(g *crossplane.Graph) {
	for _, object := range g.Objects() {
		status, ok := object.Object["status"].(map[string]any)
		if !ok {
			continue
		}
		for _, field := range []string{"readyReplicas", "availableReplicas"} {
			if _, ok := status[field]; ok {
				status[field] = int64(0)
			}
		}
	}
}
