package sshsecret

import (
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

// Plans of a graph that needs a key pair, and of one that does not.
const (
	withSecret    = `{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"sshSecret":"mpirun-ssh-key-llama","services":{}}`
	withoutSecret = `{"version":2,"release":"development","orchestrator":"Deployment","totalGPUs":0,"services":{}}`
)

type requestOption func(*fnv1.RunFunctionRequest)

// request for the graph llama in namespace inference with this plan, JSON.
func request(plan string, options ...requestOption) *fnv1.RunFunctionRequest {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion":"nvidia.com/v1alpha1",
			"kind":"DynamoGraphDeployment","metadata":{"name":"llama","namespace":"inference","uid":"u1"},"spec":{"services":{"Worker":{}}}}`)}},
		Context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":` + plan + `}`),
	}
	for _, option := range options {
		option(req)
	}
	return req
}

// lookedUp delivers the Secret of the requirement, JSON; empty: it does not exist.
func lookedUp(secret string) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		found := &fnv1.Resources{}
		if secret != "" {
			found.Items = []*fnv1.Resource{{Resource: resource.MustStructJSON(secret)}}
		}
		req.RequiredResources = map[string]*fnv1.Resources{"ssh-secret": found}
	}
}

// observed is the Secret, JSON, as composed before.
func observed(secret string) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Observed.Resources = map[string]*fnv1.Resource{"ssh-secret": {Resource: resource.MustStructJSON(secret)}}
	}
}

// running is a Deployment at rest whose pods mount a Secret.
func running(secret string) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Observed.Resources["deployment-worker"] = &fnv1.Resource{Resource: resource.MustStructJSON(`{"apiVersion":"apps/v1","kind":"Deployment",
			"metadata":{"name":"llama-worker","generation":1},"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1},
			"spec":{"template":{"spec":{"containers":[],"volumes":[{"name":"keys","secret":{"secretName":"` + secret + `"}}]}}}}`)}
	}
}

// passing passes through what another step composes.
func passing(key, object string) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{key: {Resource: resource.MustStructJSON(object)}}}
	}
}

type responseOption func(*fnv1.RunFunctionResponse)

// answer that passes through the desired state. It is a copy: a response shares its state with the request.
func answer(req *fnv1.RunFunctionRequest, options ...responseOption) *fnv1.RunFunctionResponse {
	rsp := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(10 * time.Minute)},
		Context: req.GetContext(),
		Desired: proto.CloneOf(req.GetDesired()),
	}
	for _, option := range options {
		option(rsp)
	}
	return rsp
}

func asks() responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Requirements = &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"ssh-secret": {
			ApiVersion: "v1", Kind: "Secret", Namespace: new("inference"), Match: &fnv1.ResourceSelector_MatchName{MatchName: "mpirun-ssh-key-llama"},
		}}}
	}
}

// composes the Secret with this data, JSON.
func composes(data string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{"ssh-secret": {Resource: resource.MustStructJSON(`{"apiVersion":"v1","kind":"Secret",
			"metadata":{"name":"mpirun-ssh-key-llama","namespace":"inference","labels":{
				"app.kubernetes.io/managed-by":"configuration-dynamo","nvidia.com/dynamo-graph-deployment-name":"llama"}},
			"type":"Opaque","immutable":true,"data":` + data + `}`)}}}
	}
}

// keeps the Secret, JSON, for a while.
func keeps(secret string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{"ssh-secret": {Resource: resource.MustStructJSON(secret)}}}
	}
}

func fatal(message string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}
	}
}

func function() *Function { return NewFunction(logging.NewNopLogger()) }

// secretOf data, JSON, that a composite resource controls; empty: none does.
func secretOf(data, controller string) string {
	owner := ""
	if controller != "" {
		owner = `,"ownerReferences":[{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","name":"llama","uid":"` + controller + `","controller":true}]`
	}
	return strings.ReplaceAll(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"mpirun-ssh-key-llama","namespace":"inference"OWNER},"immutable":true,"data":`, "OWNER", owner) + data + `}`
}
