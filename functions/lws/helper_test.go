package lws

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	appsv1 "k8s.io/api/apps/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

// request for the graph llama in namespace inference with this spec and this plan, both JSON.
func request(spec, plan string) *fnv1.RunFunctionRequest {
	return &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1",
			"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference"},"spec":` + spec + `}`)}},
		Context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":` + plan + `}`),
	}
}

// Gangs of a plan.
const (
	byPodGroup = `{"provider":"PodGroup","schedulerName":"volcano","queue":"team-a"}`
	byOperator = `{"provider":"LWS","schedulerName":"volcano","queue":"team-a"}`
	byKAI      = `{"provider":"KAI","schedulerName":"kai-scheduler","queue":"dynamo"}`
)

// planOf services without a backend, on LeaderWorkerSets with further fields of the plan.
func planOf(gang string, services ...string) string { return planWith(gang, "", services...) }

func planWith(gang, more string, services ...string) string {
	var decided []string
	for _, name := range services {
		decided = append(decided, `"`+name+`":{"discovery":"etcd","dynamoNamespace":"inference-llama"}`)
	}
	return `{"version":1,"orchestrator":"LeaderWorkerSet","lws":{"gang":` + gang + `},"totalGPUs":0` + more + `,"services":{` + strings.Join(decided, ",") + `}}`
}

// worker is a spec of one service of two nodes with further fields, JSON.
func worker(fields string) string {
	return `{"services":{"Worker":{"multinode":{"nodeCount":2}` + fields + `}}}`
}

// answer with this desired state. It is a copy: a response shares its state with the request.
func answer(req *fnv1.RunFunctionRequest, desired *fnv1.State) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)},
		Context: req.GetContext(),
		Desired: proto.CloneOf(desired),
	}
}

func refused(req *fnv1.RunFunctionRequest, message string) *fnv1.RunFunctionResponse {
	rsp := answer(req, req.GetDesired())
	rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}
	return rsp
}

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, err := NewFunction(logging.NewNopLogger()).RunFunction(context.Background(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): want no error, got %v", err)
	}
	return rsp
}

// find a composed object by its key; nil where there is none.
func find[T any](t *testing.T, spec, plan, key string) *T {
	t.Helper()
	rsp := run(t, request(spec, plan))
	for _, result := range rsp.GetResults() {
		t.Fatalf("RunFunction(...): %s", result.GetMessage())
	}
	object, ok := rsp.GetDesired().GetResources()[key]
	if !ok {
		return nil
	}
	data, err := json.Marshal(object.GetResource().AsMap())
	if err != nil {
		t.Fatal(err)
	}
	out := new(T)
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func leaderWorkerSetOf(t *testing.T, spec, plan string) *lwsv1.LeaderWorkerSet {
	t.Helper()
	return find[lwsv1.LeaderWorkerSet](t, spec, plan, "leaderworkerset-worker-0")
}

func podGroupOf(t *testing.T, spec, plan string) *volcanov1beta1.PodGroup {
	t.Helper()
	return find[volcanov1beta1.PodGroup](t, spec, plan, "podgroup-worker-0")
}

func deploymentOf(t *testing.T, spec, plan string) *appsv1.Deployment {
	t.Helper()
	return find[appsv1.Deployment](t, spec, plan, "deployment-worker")
}
