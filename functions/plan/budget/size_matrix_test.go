package budget_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/computedomain"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/foundation"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/grove"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/lws"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/budget"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/pods"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status"
)

// TestEstimate holds the estimate to what the chain really answers: it is never more, so that nothing is refused that
// fits, and little less.
func TestEstimate(t *testing.T) {
	for name, xr := range graphs(t) {
		tried := clusters
		if !strings.HasPrefix(name, "Spanning") {
			tried = clusters[:2]
		}
		for _, c := range tried {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				planned, last := answer(t, xr, c)
				if last == nil {
					t.Skip("the graph is refused")
				}
				estimate, components := estimateOf(t, planned)
				answered := int64(proto.Size(last))
				if estimate > answered {
					t.Errorf("the estimate is %d bytes, and the chain answers less: %d", estimate, answered)
				}
				// Beside what runs components there are Services, RBAC, the plan and conditions.
				if most := estimate + estimate/20 + int64(8+2*components)<<10; answered > most {
					t.Errorf("the chain answers %d bytes, and the estimate is %d: want at most %d", answered, estimate, most)
				}
			})
		}
	}
}

// estimateOf what a graph composes that is not refused, in bytes, measured even where it is far from the limit.
func estimateOf(t *testing.T, req *fnv1.RunFunctionRequest) (bytes int64, components int) {
	t.Helper()
	f, p := plantest.Facts(t, req), whole.RunAsIs(t, req).Plan
	size, err := budget.Measure(f, p, pods.Of(f, p))
	if err != nil {
		t.Fatal(err)
	}
	size = size.WithDomains(f.Graph, p)
	return size.Total(), len(f.Buildable.Components)
}

// cluster that a graph is rendered for.
type cluster struct {
	name   string
	groups []string
	// input of step plan.
	input inputv1alpha1.Policy
}

// The first two are tried with every graph.
var clusters = []cluster{
	{name: "GroveKAI", groups: []string{"v1alpha1.grove.io", "v2.scheduling.run.ai"}},
	{name: "LWSDomains", groups: []string{"v1.leaderworkerset.x-k8s.io", "v1beta1.scheduling.volcano.sh", "v1beta1.resource.nvidia.com"}, input: inputv1alpha1.Policy{MNNVL: inputv1alpha1.MNNVL{Mode: inputv1alpha1.MNNVLAuto, Scope: inputv1alpha1.MNNVLScopeReplica}}},
	{name: "Grove", groups: []string{"v1alpha1.grove.io"}},
	{name: "LWSVolcano", groups: []string{"v1.leaderworkerset.x-k8s.io", "v1beta1.scheduling.volcano.sh"}},
	{name: "LWSOwnGang", groups: []string{"v1.leaderworkerset.x-k8s.io", "v1beta1.scheduling.volcano.sh"}, input: inputv1alpha1.Policy{LWS: inputv1alpha1.LWS{GangProvider: inputv1alpha1.GangProviderLWS}}},
	{name: "LWSKAI", groups: []string{"v1.leaderworkerset.x-k8s.io", "v2.scheduling.run.ai"}},
}

// graphs of the examples and of the corpus, and made ones with many components and replicas.
func graphs(t *testing.T) map[string]*structpb.Struct {
	t.Helper()
	paths, err := filepath.Glob("../../../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	all := map[string]*structpb.Struct{}
	for _, path := range paths {
		if !strings.HasPrefix(filepath.Base(path), "functions") {
			all[filepath.Base(path)] = manifest(t, path)
		}
	}
	for components, replicas := range map[int]int32{25: 8, 5: 1, 1: 100} {
		all[fmt.Sprintf("Spanning%dx%d", components, replicas)] = spanning(components, replicas)
	}
	t.Run("Corpus", func(t *testing.T) {
		for _, m := range shared.Corpus(t) {
			all[m.Name] = manifest(t, m.Path)
		}
	})
	return all
}

func manifest(t *testing.T, path string) *structpb.Struct {
	t.Helper()
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return resource.MustStructJSON(string(encoded))
}

// spanning is a graph with a number of components that span nodes.
func spanning(components int, replicas int32) *structpb.Struct {
	xr := plantest.Graph()
	for i := range components {
		service := plantest.ComponentOf("worker", "python3", "-m", "dynamo.sglang")
		service.Envs = []corev1.EnvVar{{Name: "MODEL", Value: "m"}}
		plantest.Component(fmt.Sprintf("decode%d", i), service, plantest.WithArgs("--model-path", "m", "--tp", "16"), plantest.WithGPUs("4"),
			plantest.WithReplicas(replicas), plantest.WithNodes(4))(xr)
	}
	return plantest.Struct(xr)
}

// answer of the last step, and the request that step plan answered last; nil when the graph is refused.
func answer(t *testing.T, xr *structpb.Struct, c cluster) (planned *fnv1.RunFunctionRequest, last *fnv1.RunFunctionResponse) {
	t.Helper()
	log := logging.NewNopLogger()
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}},
	}
	for i, step := range []fnv1.FunctionRunnerServiceServer{
		plan.NewFunction(log), foundation.NewFunction(log), grove.NewFunction(log), lws.NewFunction(log),
		computedomain.NewFunction(log), sshsecret.NewFunction(log), status.NewFunction(log),
	} {
		req.RequiredResources, req.Input = map[string]*fnv1.Resources{}, nil
		if i == 0 {
			plantest.WithInput(c.input)(req)
		}
		for delivered := true; delivered; {
			var err error
			if last, err = step.RunFunction(t.Context(), proto.CloneOf(req)); err != nil {
				t.Fatal(err)
			}
			delivered = deliver(req, last, c)
		}
		for _, result := range last.GetResults() {
			if result.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
				t.Log(result.GetMessage())
				return nil, nil
			}
		}
		if i == 0 {
			planned = proto.CloneOf(req)
		}
		req.Desired, req.Context = last.GetDesired(), last.GetContext()
	}
	return planned, last
}

// deliver what a response asks for, and report whether any of it is new. A queue is there, as are the groups.
func deliver(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse, c cluster) bool {
	added := false
	for name, selector := range rsp.GetRequirements().GetResources() {
		if _, ok := req.GetRequiredResources()[name]; ok {
			continue
		}
		added = true
		found := &fnv1.Resources{}
		for _, there := range append([]string{"dynamo", "default"}, c.groups...) {
			if selector.GetMatchName() == there {
				found.Items = append(found.Items, &fnv1.Resource{Resource: plantest.Struct(map[string]any{
					"kind": selector.GetKind(), "status": map[string]any{"state": "Open"},
				})})
			}
		}
		req.RequiredResources[name] = found
	}
	return added
}
