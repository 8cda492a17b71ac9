package plan_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/apimachinery/pkg/util/intstr"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest/whole"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// unready is a graph of which something observed does not do its work.
func unready(message string) responseOption {
	return conditioned("ServicesReady", isFalse, "some_resources_are_not_ready", "Resources not ready: "+message)
}

// unserved is a graph that lacks an API of the cluster, among other things.
func unserved(message string) responseOption {
	return conditioned("ServicesReady", isFalse, "selected_workload_provider_unavailable", "Resources not ready: "+message)
}

type responseOption func(*fnv1.RunFunctionResponse)

// want is the response with these parts and nothing else.
func want(options ...responseOption) *fnv1.RunFunctionResponse {
	rsp := &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)}}
	for _, option := range options {
		option(rsp)
	}
	return rsp
}

// soon is a response after which Crossplane runs the pipeline again within a minute.
func soon() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) { rsp.Meta.Ttl = durationpb.New(step.PendingTTL) }
}

// planOf is the plan in the context. The nodes of vllmComponents wait for their leader.
func planOf(p graphplan.Plan) responseOption {
	p.WaitForLeader = p.Components["Worker"].Executor == "mp"
	p.Components = maps.Clone(p.Components)
	for name, component := range p.Components {
		component.Endpoints = graphplan.Endpoints{Port: intstr.FromString("system"), Number: 9090, FirstNodeOnly: component.Executor != ""}
		if strings.EqualFold(name, "frontend") {
			component.Endpoints = graphplan.Endpoints{Port: intstr.FromString("http"), Number: 8000}
		}
		p.Components[name] = component
	}
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Context = plantest.Struct(map[string]any{graphplan.ContextKey: p})
	}
}

// plainComponents are components without an engine in a plan.
func plainComponents(names ...string) map[string]graphplan.Component {
	return steptest.Components(graphplan.Kubernetes, names...)
}

// vllmComponents are plantest.Multinode and components without an engine in a plan.
func vllmComponents(others ...string) map[string]graphplan.Component {
	return workerAnd(graphplan.Component{Framework: v1alpha1.BackendVLLM, Executor: "mp", ExecutorFrom: graphplan.ExecutorFromRelease}, others...)
}

// workerAnd components without an engine in a plan.
func workerAnd(worker graphplan.Component, others ...string) map[string]graphplan.Component {
	all := plainComponents(append(others, "Worker")...)
	worker.Discovery, worker.DynamoNamespace = all["Worker"].Discovery, all["Worker"].DynamoNamespace
	all["Worker"] = worker
	return all
}

// withGPUTotal is the number of GPUs that a planned graph requests.
func withGPUTotal(gpus int64) steptest.Change { return func(p *graphplan.Plan) { p.TotalGPUs = gpus } }

// inQueue is a planned graph whose pods are in a queue of KAI.
func inQueue(queue string) steptest.Change {
	return func(p *graphplan.Plan) { p.Grove.SchedulerName, p.Grove.Queue = graphplan.KAIScheduler, queue }
}

func requirements(rsp *fnv1.RunFunctionResponse) map[string]*fnv1.ResourceSelector {
	if rsp.GetRequirements() == nil {
		rsp.Requirements = &fnv1.Requirements{}
	}
	if rsp.Requirements.Resources == nil {
		rsp.Requirements.Resources = map[string]*fnv1.ResourceSelector{}
	}
	return rsp.GetRequirements().GetResources()
}

// asksFor an object.
func asksFor(name, apiVersion, kind, object string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		requirements(rsp)[name] = &fnv1.ResourceSelector{
			ApiVersion: apiVersion, Kind: kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: object},
		}
	}
}

// asksForGroups is what every response asks for: the API groups, and the policy of the platform.
func asksForGroups() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		for name, group := range map[string]string{
			"apiservice-grove":   "v1alpha1.grove.io",
			"apiservice-lws":     "v1.leaderworkerset.x-k8s.io",
			"apiservice-volcano": "v1beta1.scheduling.volcano.sh",
			"apiservice-kai":     "v2.scheduling.run.ai",
		} {
			asksFor(name, "apiregistration.k8s.io/v1", "APIService", group)(rsp)
		}
		asksForPolicy("dynamo")(rsp)
	}
}

// asksForPolicy asks for the EnvironmentConfig of a name.
func asksForPolicy(name string) responseOption {
	return asksFor("environmentconfig-"+name, "apiextensions.crossplane.io/v1beta1", "EnvironmentConfig", name)
}

func asksForQueue(name string) responseOption {
	return asksFor("kai-queue", "scheduling.run.ai/v2", "Queue", name)
}

// asksForPVC asks for claim cache.
func asksForPVC() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		asksFor("pvc-cache", "v1", "PersistentVolumeClaim", "cache")(rsp)
		rsp.Requirements.Resources["pvc-cache"].Namespace = new("inference")
	}
}

// asksForChildren asks for what Grove has made from PodCliqueSet llama for single-node components.
func asksForChildren(components ...string) responseOption {
	return asksForChild("PodClique", components...)
}

// asksForScalingGroups asks for what Grove has made for multinode components.
func asksForScalingGroups(components ...string) responseOption {
	return asksForChild("PodCliqueScalingGroup", components...)
}

func asksForChild(kind string, components ...string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		for _, component := range components {
			requirements(rsp)[observed.RequiredChild(&graph.Graph{}, component, kind == "PodCliqueScalingGroup").Name] = &fnv1.ResourceSelector{
				ApiVersion: "grove.io/v1alpha1", Kind: kind, Namespace: new("inference"),
				Match: &fnv1.ResourceSelector_MatchName{MatchName: "llama-0-" + component},
			}
		}
	}
}

func asksForTopology(kind string) responseOption {
	return asksFor("topology", "grove.io/v1alpha1", kind, "my-topology")
}

func asksForSchema() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		requirements(rsp)
		rsp.Requirements.Schemas = map[string]*fnv1.SchemaSelector{
			"schema-clustertopologybinding": {ApiVersion: "grove.io/v1alpha1", Kind: "ClusterTopologyBinding"},
		}
	}
}

// conditioned sets a condition on the composite resource and its claim.
func conditioned(conditionType string, status fnv1.Status, reason, message string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		c := &fnv1.Condition{Type: conditionType, Status: status, Reason: reason, Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum()}
		if message != "" {
			c.Message = &message
		}
		rsp.Conditions = append(rsp.Conditions, c)
	}
}

const (
	isTrue    = fnv1.Status_STATUS_CONDITION_TRUE
	isFalse   = fnv1.Status_STATUS_CONDITION_FALSE
	isUnknown = fnv1.Status_STATUS_CONDITION_UNKNOWN
)

func accepted() responseOption { return conditioned("Accepted", isTrue, "Valid", "") }

func acceptedWith(warning string) responseOption {
	return conditioned("Accepted", isTrue, "ValidWithWarnings", warning)
}

// refusal is Accepted=False and the Fatal result of the same words.
func refusal(reason, message string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		conditioned("Accepted", isFalse, reason, message)(rsp)
		fatalResult(message)(rsp)
	}
}

func fatalResult(message string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = append(rsp.Results, &fnv1.Result{
			Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
		})
	}
}

func warningResult(message string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = append(rsp.Results, &fnv1.Result{
			Severity: fnv1.Severity_SEVERITY_WARNING, Message: message, Reason: new("ValidWithWarnings"),
			Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
		})
	}
}

func onGrove() responseOption {
	return conditioned("OrchestratorSelected", isTrue, "Selected", "Grove runs the graph: Grove is installed")
}

func queueFound() responseOption {
	return conditioned("QueueAvailable", isTrue, "QueueFound", "KAI Queue dynamo existed when pods were added to it")
}

func noQueue() responseOption {
	return conditioned("QueueAvailable", isTrue, "QueueNotNeeded", "the graph does not use a scheduling queue")
}

// responseCase is one request and the whole response to it.
type responseCase struct {
	reason string
	req    *fnv1.RunFunctionRequest
	want   *fnv1.RunFunctionResponse
}

// run step plan in a namespace where all names of the graph are free.
func run(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return whole.Run(t, req).Response
}

// respond to a request.
func respond(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return whole.RunAsIs(t, req).Response
}

func compare(t *testing.T, cases map[string]responseCase) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := run(t, tc.req)
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	inComponents(t, cases)
}

// inOlderField moves the requirements to where a caller without capabilities looks.
func inOlderField() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		//nolint:staticcheck // Deprecated, and all that such a caller knows.
		rsp.Requirements.ExtraResources = rsp.GetRequirements().GetResources()
		rsp.Requirements.Resources = nil
	}
}
