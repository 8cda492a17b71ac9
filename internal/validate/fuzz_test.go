package validate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// maxFuzzed is the size of the largest spec that is tried.
const maxFuzzed = 64 << 10

// FuzzSpec shows that no spec panics, also one of which only a part could be decoded, and that every mistake is said in
// the same words each time.
func FuzzSpec(f *testing.F) {
	for _, seed := range []string{
		`{"services":{"a":{"multinode":{"nodeCount":2},"extraPodSpec":{"mainContainer":{"image":"x","args":["-m","dynamo.vllm"]}}}}}`,
		`{"services":{"a":{"eppConfig":{"config":{"plugins":[{}],"schedulingProfiles":[{"plugins":[{}]}]}},"componentType":"epp"}}}`,
		`{"services":{"a":{"resources":{"requests":{"gpu":"1e30","custom":{"a/b":-1}},"limits":{}},"extraPodSpec":{"volumes":[{}],"tolerations":[{}]}}}}`,
		`{"restart":{"id":"","strategy":{"order":["a"]}},"pvcs":[{"create":true}],"topologyConstraint":{},"envs":[{"valueFrom":{}}]}`,
		`{"services":{"":{"frontendSidecar":{},"livenessProbe":{},"ingress":{"enabled":true},"checkpoint":{},"failover":{}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec := &structpb.Struct{}
		if len(data) > maxFuzzed || protojson.Unmarshal(data, spec) != nil {
			return
		}
		xr := &structpb.Struct{Fields: map[string]*structpb.Value{"spec": structpb.NewStructValue(spec)}}
		g, _ := graph.Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}})
		for _, o := range []validate.Options{{}, {Grove: true, Scheduler: "kai-scheduler"}, {Grove: true}, {LWS: true, VirtualServiceGateway: true}} {
			first, second := validate.Spec(g, o).Texts(g), validate.Spec(g, o).Texts(g)
			if !slices.Equal(first, second) {
				t.Fatalf("two answers for one graph:\n%v\n%v", first, second)
			}
		}
		if diff := cmp.Diff(warningsOf(g), warningsOf(g)); diff != "" {
			t.Fatalf("two lists of warnings for one graph: -first, +second:\n%s", diff)
		}
	})
}
