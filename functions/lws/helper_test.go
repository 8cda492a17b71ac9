package lws

import (
	"encoding/json"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"
	volcanov1beta1 "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
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
	return `{"version":2,"release":"development","orchestrator":"LeaderWorkerSet","lws":{"gang":` + gang + `},"totalGPUs":0` + more + `,"services":{` + strings.Join(decided, ",") + `}}`
}

// worker is a spec of one service of two nodes with further fields, JSON.
func worker(fields string) string {
	return `{"services":{"Worker":{"multinode":{"nodeCount":2}` + fields + `}}}`
}

// find a composed object by its key; nil where there is none.
func find[T any](t *testing.T, spec, plan, key string) *T {
	t.Helper()
	rsp := run(t, steptest.Request(spec, plan))
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
