package grove

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/grovev1alpha1"
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

// planOf services, JSON without braces, on Grove with further fields of the plan.
func planOf(services string, more ...string) string {
	fields := append([]string{`"version":1,"orchestrator":"Grove","totalGPUs":0`, `"services":{` + services + `}`}, more...)
	return `{` + strings.Join(fields, ",") + `}`
}

const (
	plainGrove = `"grove":{"terminationDelay":"15m0s"}`
	groveOnKAI = `"grove":{"terminationDelay":"15m0s","schedulerName":"kai-scheduler","queue":"dynamo"}`
)

func answer(req *fnv1.RunFunctionRequest, desired *fnv1.State) *fnv1.RunFunctionResponse {
	return &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)},
		Context: req.GetContext(),
		Desired: desired,
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

// compose the PodCliqueSet of a graph.
func compose(t *testing.T, spec, plan string) *grovev1alpha1.PodCliqueSet {
	t.Helper()
	rsp := run(t, request(spec, plan))
	if results := rsp.GetResults(); len(results) > 0 {
		t.Fatalf("RunFunction(...): want no results, got %v", results)
	}
	encoded, err := rsp.GetDesired().GetResources()["podcliqueset"].GetResource().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	set := &grovev1alpha1.PodCliqueSet{}
	if err := json.Unmarshal(encoded, set); err != nil {
		t.Fatal(err)
	}
	return set
}

// outline is what a clique is beside the pod that every clique has.
type outline struct {
	Name         string
	Replicas     int32
	MinAvailable int32
	StartsAfter  []string
	Role         string
	Scheduler    string
	Queue        string
	// Program is the command and the args, a blank between each.
	Program string
	// Probes of the main container, by their first letters.
	Probes         string
	InitContainers []string
	Volumes        []string
}

func outlines(set *grovev1alpha1.PodCliqueSet) []outline {
	var all []outline
	for _, clique := range set.Spec.Template.Cliques {
		main := clique.Spec.PodSpec.Containers[0]
		o := outline{
			Name: clique.Name, Replicas: clique.Spec.Replicas, MinAvailable: clique.Spec.MinAvailable, StartsAfter: clique.Spec.StartsAfter,
			Role: clique.Labels["role"], Scheduler: clique.Spec.PodSpec.SchedulerName, Queue: clique.Labels["kai.scheduler/queue"],
			Program: strings.Join(append(main.Command, main.Args...), " "),
		}
		for i, probe := range []*corev1.Probe{main.LivenessProbe, main.ReadinessProbe, main.StartupProbe} {
			if probe != nil {
				o.Probes += string("lrs"[i])
			}
		}
		for _, c := range clique.Spec.PodSpec.InitContainers {
			o.InitContainers = append(o.InitContainers, c.Name)
		}
		for _, v := range clique.Spec.PodSpec.Volumes {
			o.Volumes = append(o.Volumes, v.Name)
		}
		all = append(all, o)
	}
	return all
}
