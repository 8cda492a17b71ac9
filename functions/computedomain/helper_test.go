package computedomain

import (
	"maps"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

func run(t *testing.T, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	return steptest.Run(t, NewFunction(logging.NewNopLogger()), req)
}

// planOn an orchestrator, with this decision about NVLink.
func planOn(t *testing.T, o graphplan.Orchestrator, mnnvl graphplan.MNNVL) string {
	t.Helper()
	decided := func(p *graphplan.Plan) { p.MNNVL = mnnvl }
	switch o {
	case graphplan.Grove:
		return steptest.OnGrove(t, nil, decided)
	case graphplan.LeaderWorkerSet:
		return steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), nil, decided)
	default:
		return steptest.OnDeployments(t, nil, decided)
	}
}

// without NVLink.
func without() graphplan.MNNVL { return graphplan.MNNVL{} }

// auto is mode Auto in which service Worker claims channels.
func auto(scope graphplan.MNNVLScope) graphplan.MNNVL {
	mnnvl := nobody(scope)
	mnnvl.Members = map[string]graphplan.MNNVLMember{"Worker": {GPUs: []string{"nvidia.com/gpu"}}}
	return mnnvl
}

// nobody claims channels in mode Auto.
func nobody(scope graphplan.MNNVLScope) graphplan.MNNVL {
	return graphplan.MNNVL{Mode: graphplan.MNNVLAuto, Scope: scope}
}

// Graphs, as specs.
const (
	single = `{"services":{"Frontend":{},"Worker":{}}}`
	multi  = `{"services":{"Frontend":{},"Worker":{"replicas":2,"multinode":{"nodeCount":4}}}}`
)

// Pods, JSON.
const (
	gpuPod   = `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"4"}}}]}`
	plainPod = `{"containers":[{"name":"main","resources":{}}]}`
)

func claiming(template string) string {
	return `{"containers":[{"name":"main","resources":{"limits":{"nvidia.com/gpu":"4"},"claims":[{"name":"mnnvl-claim"}]}}],
		"resourceClaims":[{"name":"mnnvl-claim","resourceClaimTemplateName":"` + template + `"}]}`
}

func deployment(name, pod string) string {
	return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"` + name + `","namespace":"inference"},"spec":{"template":{"spec":` + pod + `}}}`
}

func leaderWorkerSet(name, leader, worker string) string {
	return `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet","metadata":{"name":"` + name + `","namespace":"inference"},
		"spec":{"leaderWorkerTemplate":{"leaderTemplate":{"spec":` + leader + `},"workerTemplate":{"spec":` + worker + `}}}}`
}

// podCliqueSet with cliques, JSON without brackets.
func podCliqueSet(cliques string) string {
	return `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet","metadata":{"name":"llama","namespace":"inference"},"spec":{"template":{"cliques":[` + cliques + `]}}}`
}

func clique(name, pod string) string {
	return `{"name":"` + name + `","spec":{"podSpec":` + pod + `}}`
}

// domainOf name with further labels, JSON without braces.
func domainOf(name, index, labels string) string {
	return `{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","metadata":{"name":"` + name + `","namespace":"inference","labels":{
			"app.kubernetes.io/managed-by":"configuration-dynamo","app.kubernetes.io/part-of":"llama","app.kubernetes.io/name":"` + name + `",
			"app.kubernetes.io/component":"pcs-computedomain","grove.io/podcliqueset-replica-index":"` + index + `",
			"nvidia.com/dynamo-graph-deployment-name":"llama","crossplane.io/in-use":"true"` + labels + `}},
		"spec":{"numNodes":0,"channel":{"resourceClaimTemplate":{"name":"` + name + `"}}}}`
}

func replicaDomainOf(index string) string {
	return domainOf("llama-worker-"+index, index, `,"nvidia.com/dynamo-component":"Worker","instance-id":"`+index+`"`)
}

func usageOf(name, domain, apiVersion, kind, by string) string {
	return `{"apiVersion":"protection.crossplane.io/v1beta1","kind":"Usage","metadata":{"name":"` + name + `","namespace":"inference","labels":{
			"app.kubernetes.io/managed-by":"configuration-dynamo","app.kubernetes.io/part-of":"llama","nvidia.com/dynamo-graph-deployment-name":"llama"}},
		"spec":{"of":{"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain","resourceRef":{"name":"` + domain + `"}},
			"by":{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","resourceRef":{"name":"` + by + `"}},
			"reason":"pods of ` + kind + ` ` + by + ` use this NVLink domain","replayDeletion":true}}`
}

func usageOfSet(name, domain, set string) string {
	return usageOf(name, domain, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", set)
}

// state of objects, JSON, by their keys.
func state(objects map[string]string) *fnv1.State {
	s := &fnv1.State{Resources: map[string]*fnv1.Resource{}}
	for key, object := range objects {
		s.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(object)}
	}
	return s
}

func with(objects, more map[string]string) map[string]string {
	all := maps.Clone(objects)
	maps.Copy(all, more)
	return all
}

// held are objects of which some are workloads that are deleted in the foreground.
func held(objects map[string]string, keys ...string) map[string]string {
	all := maps.Clone(objects)
	for _, key := range keys {
		all[key] = strings.Replace(all[key], `"namespace":"inference"}`, `"namespace":"inference","finalizers":["foregroundDeletion"]}`, 1)
	}
	return all
}

type requestOption func(*fnv1.RunFunctionRequest)

// request for the graph llama in namespace inference with this desired state.
func request(spec, plan string, objects map[string]string, options ...requestOption) *fnv1.RunFunctionRequest {
	req := steptest.Request(spec, plan)
	req.Meta.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	if objects != nil {
		req.Desired = state(objects)
	}
	for _, option := range options {
		option(req)
	}
	return req
}

func observing(objects map[string]string) requestOption {
	return func(req *fnv1.RunFunctionRequest) { req.Observed.Resources = state(objects).GetResources() }
}

// lookedUp delivers objects, JSON, by the name of the requirement; an empty one does not exist.
func lookedUp(objects map[string]string) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.RequiredResources = map[string]*fnv1.Resources{}
		for name, object := range objects {
			found := &fnv1.Resources{}
			if object != "" {
				found.Items = []*fnv1.Resource{{Resource: resource.MustStructJSON(object)}}
			}
			req.RequiredResources[name] = found
		}
	}
}

type responseOption func(*fnv1.RunFunctionResponse)

// answer with this desired state; nil: none.
func answer(req *fnv1.RunFunctionRequest, objects map[string]string, options ...responseOption) *fnv1.RunFunctionResponse {
	rsp := steptest.Answer(req, nil)
	if objects != nil {
		rsp.Desired = state(objects)
	}
	for _, option := range options {
		option(rsp)
	}
	return rsp
}

func announcing(names string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = []*fnv1.Result{{
			Severity: fnv1.Severity_SEVERITY_NORMAL, Message: "creating ComputeDomain " + names,
			Reason: new("ComputeDomainCreated"), Target: fnv1.Target_TARGET_COMPOSITE_AND_CLAIM.Enum(),
		}}
	}
}

func hurrying(rsp *fnv1.RunFunctionResponse) { rsp.Meta.Ttl = durationpb.New(step.PendingTTL) }

// asking for all objects of a kind that are the graph's: requirement, apiVersion and kind of each.
func asking(objects ...[3]string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Requirements = &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{}}
		for _, o := range objects {
			rsp.Requirements.Resources[o[0]] = &fnv1.ResourceSelector{
				ApiVersion: o[1], Kind: o[2], Namespace: new("inference"), Match: &fnv1.ResourceSelector_MatchLabels{
					MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{"nvidia.com/dynamo-graph-deployment-name": "llama"}},
				},
			}
		}
	}
}

// leaving are the objects that are asked for, by their kind.
var leaving = map[string][3]string{
	"LeaderWorkerSet": {"leaving-leaderworkerset", "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"},
	"Usage":           {"leaving-usage", "protection.crossplane.io/v1beta1", "Usage"},
}

// copyOf a request, of which a step may change the desired state.
func copyOf(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionRequest { return proto.CloneOf(req) }
