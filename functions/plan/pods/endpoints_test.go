package pods

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestEndpoints shows that what selects pods fits those that run as well as those that will, until the last one of an earlier template is gone.
func TestEndpoints(t *testing.T) {
	tensor, data := []string{"-tp", "16"}, []string{"-dp", "16"}
	graphWith := func(args []string, changes ...plantest.GraphChange) *v1alpha1.DynamoGraphDeployment {
		worker := plantest.Component("Worker", plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm"), plantest.WithNodes(2), plantest.WithGPUs("8"), plantest.WithArgs(args...))
		return plantest.Graph(append([]plantest.GraphChange{worker}, changes...)...)
	}
	plan := func(written graphplan.Written) *graphplan.Plan {
		return &graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, Components: map[string]graphplan.Component{
			"Worker": {Framework: "vllm", Executor: "mp", Discovery: graphplan.Kubernetes, DynamoNamespace: "inference-llama", Written: written},
		}}
	}
	// running is a LeaderWorkerSet with the pods of arguments, all of which are ready or not.
	running := func(args []string, ready int) plantest.RequestOption {
		f := plantest.Facts(t, plantest.Request(graphWith(args)))
		var templates []corev1.PodTemplateSpec
		for _, built := range Of(f, plan("a"))["Worker"] {
			templates = append(templates, built.Template)
		}
		encoded, err := json.Marshal(templates)
		if err != nil {
			t.Fatal(err)
		}
		var parts []json.RawMessage
		if err := json.Unmarshal(encoded, &parts); err != nil {
			t.Fatal(err)
		}
		return plantest.WithObserved("leaderworkerset-worker-0", fmt.Sprintf(`{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"llama-worker-0","namespace":"inference"},
			"spec":{"replicas":1,"leaderWorkerTemplate":{"size":2,"leaderTemplate":%s,"workerTemplate":%s}},
			"status":{"replicas":1,"updatedReplicas":1,"readyReplicas":%d,"conditions":[{"type":"Available","status":"True"}]}}`, parts[0], parts[1], ready))
	}
	written := func(hash string) plantest.GraphChange {
		return plantest.Status(v1alpha1.DynamoGraphDeploymentStatus{Services: map[string]v1alpha1.ServiceStatus{"Worker": {Revision: &v1alpha1.ServiceRevision{Written: hash}}}})
	}
	selecting := func(role string) plantest.RequestOption {
		return plantest.WithObserved("service-worker", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-worker","namespace":"inference"},"spec":{"selector":{`+role+`"a":"b"},"ports":[{"targetPort":"system"}]}}`)
	}
	first := selecting(`"role":"leader",`)
	cases := map[string]struct {
		reason  string
		graph   *v1alpha1.DynamoGraphDeployment
		options []plantest.RequestOption
		want    bool
	}{
		"NewTensor":  {reason: "The other nodes of an engine have no runtime.", graph: graphWith(tensor), want: true},
		"NewData":    {reason: "Each node with hybrid load balancing is a worker.", graph: graphWith(data)},
		"LiveData":   {reason: "A live Service reaches more of what serves already.", graph: graphWith(data, written("b")), options: []plantest.RequestOption{running(data, 1), first}},
		"LiveTensor": {reason: "A live Service stays as it is.", graph: graphWith(tensor, written("b")), options: []plantest.RequestOption{running(tensor, 1), first}, want: true},
		"ToData":     {reason: "The pods that run have no runtime on the other nodes.", graph: graphWith(data, written("a")), options: []plantest.RequestOption{running(tensor, 1), first}, want: true},
		"RollsData":  {reason: "Pods of the template before may still run.", graph: graphWith(data, written("b")), options: []plantest.RequestOption{running(data, 0), first}, want: true},
		"ToTensor":   {reason: "The pods that come have no runtime on the other nodes.", graph: graphWith(tensor, written("a")), options: []plantest.RequestOption{running(data, 1), selecting("")}, want: true},
		"Pinned":     {reason: "Pods that their user does not change stay as they are, whatever new ones would be.", graph: graphWith(data, written("b")), options: []plantest.RequestOption{running(tensor, 1), selecting("")}, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(tc.graph, tc.options...))
			got, _ := Endpoints(f, plan("b"), Of(f, plan("b")))
			want := graphplan.Endpoints{FirstNodeOnly: tc.want, Port: intstr.FromString("system"), Number: 9090}
			if diff := cmp.Diff(want, got["Worker"]); diff != "" {
				t.Errorf("%s\nEndpoints(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
