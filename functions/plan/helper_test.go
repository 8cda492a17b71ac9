package plan

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// withoutCapabilities is a caller before Crossplane v2.2.
func withoutCapabilities() plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.Meta.Capabilities = nil }
}

// withObject delivers an object, or JSON, under the name of its requirement.
func withObject(requirement string, object any) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.RequiredResources[requirement] = plantest.Objects(object) }
}

// withoutObject delivers that an object does not exist.
func withoutObject(requirement string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.RequiredResources[requirement] = &fnv1.Resources{} }
}

// withQueue delivers the KAI queue that the graph uses.
func withQueue() plantest.RequestOption {
	return withObject("kai-queue", plantest.Named("scheduling.run.ai/v2", "Queue", "dynamo"))
}

// withSchemaOf delivers under the name of its requirement whether a kind is served.
func withSchemaOf(requirement string, served bool) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		schema := &fnv1.Schema{}
		if served {
			schema.OpenapiV3 = resource.MustStructJSON(`{"type":"object"}`)
		}
		req.RequiredSchemas[requirement] = schema
	}
}

// withSchema delivers whether ClusterTopologyBinding is served.
func withSchema(served bool) plantest.RequestOption {
	return withSchemaOf("schema-clustertopologybinding", served)
}

// withTopology delivers a topology of levels zone, block, rack and host.
func withTopology() plantest.RequestOption {
	return withLevels("zone=z", "block=b", "rack=r", "host=h")
}

// unready is a graph of which something observed does not do its work.
func unready(message string) responseOption {
	return conditioned("ServicesReady", isFalse, "some_resources_are_not_ready", "Resources not ready: "+message)
}

// unserved is a graph that lacks an API of the cluster, among other things.
func unserved(message string) responseOption {
	return conditioned("ServicesReady", isFalse, "selected_workload_provider_unavailable", "Resources not ready: "+message)
}

// withLost delivers what is found of a graph that has lost its references: objects by the names of requirements. Nothing else
// exists, and no optional kind is served.
func withLost(found map[string]any) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		for name := range requirements(want(asksForLost("PodCliqueSet", "LeaderWorkerSet", "PodGroup", "ComputeDomain", "Usage"))) {
			if _, given := req.GetRequiredResources()[name]; !given {
				withoutObject(name)(req)
			}
		}
		for _, name := range []string{"lost-podcliqueset-llama", "lost-deployment-llama-frontend", "lost-deployment-llama-worker"} {
			withoutObject(name)(req)
		}
		for name, object := range found {
			withObject(name, object)(req)
		}
		withSchemaOf("schema-scalingadapter", false)(req)
		withSchemaOf("schema-snapshotjob", false)(req)
	}
}

// withMistake gives a service of the graph a field that its type does not have.
func withMistake(service, field string, value any) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) {
		services := tree.At(req.GetObserved().GetComposite().GetResource(), "spec", "services")
		tree.At(services, service).Fields[field] = plantest.Struct(map[string]any{field: value}).GetFields()[field]
	}
}

// withText sets the input of the step, JSON.
func withText(input string) plantest.RequestOption {
	return func(req *fnv1.RunFunctionRequest) { req.Input = plantest.Struct(input) }
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

// planOf is the plan in the context. The nodes of vllmServices wait for their leader.
func planOf(p graphplan.Plan) responseOption {
	p.WaitForLeader = p.Services["Worker"].Executor == "mp"
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Context = plantest.Struct(map[string]any{graphplan.ContextKey: p})
	}
}

// planIn the context of a response.
func planIn(t *testing.T, rsp *fnv1.RunFunctionResponse) *graphplan.Plan {
	t.Helper()
	document, err := rsp.GetContext().GetFields()[graphplan.ContextKey].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	plan := &graphplan.Plan{}
	if err := json.Unmarshal(document, plan); err != nil {
		t.Fatal(err)
	}
	return plan
}

// plainServices are services without an engine in a plan.
func plainServices(names ...string) map[string]graphplan.Service {
	return steptest.Services(graphplan.Kubernetes, names...)
}

// vllmServices are plantest.Multinode and services without an engine in a plan.
func vllmServices(others ...string) map[string]graphplan.Service {
	return workerAnd(graphplan.Service{Framework: v1alpha1.BackendVLLM, Executor: "mp", ExecutorFrom: graphplan.ExecutorFromRelease}, others...)
}

// workerAnd services without an engine in a plan.
func workerAnd(worker graphplan.Service, others ...string) map[string]graphplan.Service {
	all := plainServices(append(others, "Worker")...)
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

// asksForChildren asks for what Grove has made from PodCliqueSet llama for single-node services.
func asksForChildren(services ...string) responseOption {
	return asksForChild("PodClique", services...)
}

// asksForScalingGroups asks for what Grove has made for multinode services.
func asksForScalingGroups(services ...string) responseOption {
	return asksForChild("PodCliqueScalingGroup", services...)
}

func asksForChild(kind string, services ...string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		for _, service := range services {
			requirements(rsp)[observed.RequiredChild(&graph.Graph{}, service, kind == "PodCliqueScalingGroup").Name] = &fnv1.ResourceSelector{
				ApiVersion: "grove.io/v1alpha1", Kind: kind, Namespace: new("inference"),
				Match: &fnv1.ResourceSelector_MatchName{MatchName: "llama-0-" + service},
			}
		}
	}
}

// asksForLost asks for all objects of graph llama of every kind that it may have, and of kinds that the cluster serves. A
// PodCliqueSet is asked for by its name too.
func asksForLost(served ...string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		for name, group := range map[string]string{
			"apiservice-resource-nvidia": "v1beta1.resource.nvidia.com",
			"apiservice-resource":        "v1.resource.k8s.io",
			"apiservice-inference":       "v1.inference.networking.k8s.io",
			"apiservice-istio":           "v1.networking.istio.io",
			"apiservice-gateway-api":     "v1.gateway.networking.k8s.io",
		} {
			asksFor(name, "apiregistration.k8s.io/v1", "APIService", group)(rsp)
		}
		asksForPolicy("dynamo")(rsp)
		versions := map[string]string{
			"ControllerRevision": "apps/v1", "Deployment": "apps/v1", "HorizontalPodAutoscaler": "autoscaling/v2", "ConfigMap": "v1", "PersistentVolumeClaim": "v1", "Service": "v1",
			"ServiceAccount": "v1", "Ingress": "networking.k8s.io/v1", "Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1",
		}
		for _, kind := range served {
			versions[kind] = map[string]string{
				"PodCliqueSet": "grove.io/v1alpha1", "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1", "PodGroup": "scheduling.volcano.sh/v1beta1",
				"ComputeDomain": "resource.nvidia.com/v1beta1", "Usage": "protection.crossplane.io/v1beta1",
			}[kind]
		}
		for kind, version := range versions {
			requirements(rsp)["lost-"+strings.ToLower(kind)] = &fnv1.ResourceSelector{
				ApiVersion: version, Kind: kind, Namespace: new("inference"),
				Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{"crossplane.io/composite": "llama"}}},
			}
		}
		rsp.Requirements.Schemas = map[string]*fnv1.SchemaSelector{
			"schema-scalingadapter": {ApiVersion: "nvidia.com/v1alpha1", Kind: "DynamoGraphDeploymentScalingAdapter"},
			"schema-snapshotjob":    {ApiVersion: "nvidia.com/v1alpha1", Kind: "SnapshotJob"},
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

func keptOn(orchestrator string) responseOption {
	return conditioned("OrchestratorSelected", isTrue, "Remembered", "the graph has run on "+orchestrator+" since it was created")
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

// run step plan in a namespace where all names of the graph are free. What it asks about names is left out of the response, and
// so are the hashes of what the user has written, which package written tests.
func run(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp := respond(t, withFreeNames(t, req))
	required := rsp.GetRequirements()
	about := aboutNames(required)
	implied := func(name string, _ *fnv1.ResourceSelector) bool {
		_, given := req.GetRequiredResources()[name]
		return !given && about(name)
	}
	maps.DeleteFunc(required.GetResources(), implied)
	maps.DeleteFunc(required.GetExtraResources(), implied) //nolint:staticcheck // All that some callers know.
	if proto.Size(required) == 0 {
		rsp.Requirements = nil
	}
	dropHashes(t, rsp)
	return rsp
}

// dropHashes of what the user has written from the plan in a response. Each service has one.
func dropHashes(t testing.TB, rsp *fnv1.RunFunctionResponse) {
	t.Helper()
	plan := rsp.GetContext().GetFields()[graphplan.ContextKey].GetStructValue()
	for name, service := range plan.GetFields()["services"].GetStructValue().GetFields() {
		fields := service.GetStructValue().GetFields()
		if fields["written"].GetStringValue() == "" {
			t.Errorf("the plan has no hash of what the user has written for %s", name)
		}
		delete(fields, "written")
	}
}

// respond to a request.
func respond(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, err := NewFunction(logging.NewNopLogger()).RunFunction(t.Context(), req)
	if err != nil {
		t.Fatalf("RunFunction(...): want no error, got %v", err)
	}
	return rsp
}

// withFreeNames is a request to which it is answered that there is no object under any name that step plan looks up.
func withFreeNames(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest {
	t.Helper()
	return answering(t, req, func(*fnv1.ResourceSelector) *fnv1.Resources { return &fnv1.Resources{} })
}

// answering a request what step plan asks about names.
func answering(t testing.TB, req *fnv1.RunFunctionRequest, answer func(*fnv1.ResourceSelector) *fnv1.Resources) *fnv1.RunFunctionRequest {
	t.Helper()
	req = proto.CloneOf(req)
	if req.GetRequiredResources() == nil {
		req.RequiredResources = map[string]*fnv1.Resources{}
	}
	for {
		before := len(req.GetRequiredResources())
		required := respond(t, req).GetRequirements()
		about := aboutNames(required)
		for _, asked := range []map[string]*fnv1.ResourceSelector{required.GetResources(), required.GetExtraResources()} { //nolint:staticcheck // As above.
			for name, selector := range asked {
				if _, answered := req.GetRequiredResources()[name]; !answered && about(name) {
					req.RequiredResources[name] = answer(selector)
				}
			}
		}
		if len(req.GetRequiredResources()) == before {
			return req
		}
	}
}

// aboutNames tells, among what is required, what is about objects that the graph is to have. Lost objects are looked for by the
// API of claim templates, too.
func aboutNames(required *fnv1.Requirements) func(requirement string) bool {
	_, lost := required.GetResources()["lost-service"]
	if _, older := required.GetExtraResources()["lost-service"]; older { //nolint:staticcheck // All that some callers know.
		lost = true
	}
	return func(requirement string) bool {
		return strings.HasPrefix(requirement, "names-") || requirement == "apiservice-resource" && !lost
	}
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
