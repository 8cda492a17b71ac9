package validate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// valid is the graph that every case changes.
const valid = `
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: llama, namespace: inference}
spec:
  services:
    Frontend:
      componentType: frontend
      extraPodSpec: {mainContainer: {image: runtime}}
    decode:
      componentType: worker
      resources: {limits: {gpu: 8}}
      extraPodSpec: {mainContainer: {image: runtime, command: [python3, -m, dynamo.vllm]}}
`

// A badCase changes the valid graph, by a patch that is merged over it, and says what is found.
type badCase struct {
	reason string
	patch  string
	with   validate.Options
	want   []string
}

// patchAt is a patch, JSON, that sets the field at a path.
func patchAt(t *testing.T, value any, path ...string) string {
	t.Helper()
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return steptest.JSON(t, value)
}

// runBadCases on the graphs as they are, and on their conversions to v1beta1.
func runBadCases(t *testing.T, cases map[string]badCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, problems(t, tc.patch, tc.with)); diff != "" {
				t.Errorf("%s\n-want problems, +got problems:\n%s", tc.reason, diff)
			}
		})
	}
	inComponents(t, cases)
}

// problems of the valid graph with a patch: those of decoding, then those of Spec.
func problems(t *testing.T, patch string, o validate.Options) []string {
	t.Helper()
	g, errs := decode(t, patch)
	return append(errs, validate.Spec(g, o)...).Texts(g)
}

func decode(t *testing.T, patch string) (*graph.Graph, message.List) {
	t.Helper()
	return graph.Decode(request(t, merge(parse(t, valid), parse(t, patch))))
}

// decodeTree decodes a graph that has no mistakes that decoding finds.
func decodeTree(t *testing.T, xr map[string]any) *graph.Graph {
	t.Helper()
	g, errs := graph.Decode(request(t, xr))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return g
}

func merge(into, patch map[string]any) map[string]any {
	for key, value := range patch {
		child, isMap := value.(map[string]any)
		base, hasMap := into[key].(map[string]any)
		if isMap && hasMap {
			into[key] = merge(base, child)
			continue
		}
		into[key] = value
	}
	return into
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	tree := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func request(t *testing.T, xr map[string]any) *fnv1.RunFunctionRequest {
	t.Helper()
	s, err := structpb.NewStruct(xr)
	if err != nil {
		t.Fatal(err)
	}
	return &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: s}}}
}

// A warningCase changes the valid graph as a badCase does, and says what its user is warned of.
type warningCase struct {
	reason string
	patch  string
	want   []string
}

// warningsOf a graph on a platform without defaults.
func warningsOf(g *graph.Graph) []string {
	return validate.Warnings(g, graphplan.Resources{}).Texts(g)
}

func runWarnings(t *testing.T, cases map[string]warningCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := decode(t, tc.patch)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want, warningsOf(g)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
