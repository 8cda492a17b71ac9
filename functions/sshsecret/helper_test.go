package sshsecret

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// fields of an object.
type fields = map[string]any

// withSecret is the plan of a graph that needs a key pair.
func withSecret() graphplan.Plan {
	return graphplan.Plan{Orchestrator: graphplan.Deployment, SSHSecret: "mpirun-ssh-key-llama"}
}

// withoutSecret is the plan of a graph that does not need one.
func withoutSecret() graphplan.Plan { return graphplan.Plan{Orchestrator: graphplan.Deployment} }

type requestOption func(*fnv1.RunFunctionRequest)

// request for a graph with this plan, by a caller that can look up objects.
func request(t *testing.T, plan graphplan.Plan, options ...requestOption) *fnv1.RunFunctionRequest {
	t.Helper()
	req := steptest.Request(`{"services":{"Worker":{}}}`, steptest.Plan(t, plan))
	req.Meta.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue().GetFields()["uid"] = structpb.NewStringValue(own)
	for _, option := range options {
		option(req)
	}
	return req
}

// lookedUp delivers the Secret of the requirement. Nil: it does not exist.
func lookedUp(secret fields) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		found := &fnv1.Resources{}
		if secret != nil {
			found.Items = []*fnv1.Resource{encoded(secret)}
		}
		req.RequiredResources = map[string]*fnv1.Resources{"ssh-secret": found}
	}
}

// encoded is an object as requests and responses have it.
func encoded(object fields) *fnv1.Resource { return &fnv1.Resource{Resource: steptest.Struct(object)} }

// observed is the Secret as composed before.
func observed(secret fields) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Observed.Resources = map[string]*fnv1.Resource{"ssh-secret": encoded(secret)}
	}
}

// running is a Deployment at rest whose pods mount a Secret.
func running(secret string) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Observed.Resources["deployment-worker"] = encoded(fields{
			"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": fields{"name": "llama-worker", "generation": 1},
			"status":   fields{"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1},
			"spec": fields{"template": fields{"spec": fields{
				"containers": []any{}, "volumes": []any{fields{"name": "keys", "secret": fields{"secretName": secret}}},
			}}},
		})
	}
}

// passing is a request in which another step composes an object under key gateway.
func passing() requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{"gateway": encoded(fields{"kind": "Deployment"})}}
	}
}

type responseOption func(*fnv1.RunFunctionResponse)

// answer is the response to a request, with the desired state of the request unless an option changes it.
func answer(req *fnv1.RunFunctionRequest, options ...responseOption) *fnv1.RunFunctionResponse {
	rsp := steptest.Answer(req, req.GetDesired())
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

// composes the Secret with this data.
func composes(data any) responseOption {
	return keeps(fields{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": true, "data": data,
		"metadata": fields{"name": "mpirun-ssh-key-llama", "namespace": "inference", "labels": fields{
			"app.kubernetes.io/managed-by": "configuration-dynamo", "nvidia.com/dynamo-graph-deployment-name": "llama",
		}},
	})
}

// keeps the Secret as it is.
func keeps(secret fields) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Desired = &fnv1.State{Resources: map[string]*fnv1.Resource{"ssh-secret": encoded(secret)}}
	}
}

func fatal(message string) responseOption {
	return func(rsp *fnv1.RunFunctionResponse) {
		rsp.Results = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}
	}
}

func function() *step.Function { return NewFunction(logging.NewNopLogger()) }

// secretOf data that a composite resource controls. Without a controller, nobody does.
func secretOf(data fields, controller string) fields {
	metadata := fields{"name": "mpirun-ssh-key-llama", "namespace": "inference"}
	if controller != "" {
		metadata["ownerReferences"] = []any{
			fields{"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "name": "llama", "uid": controller, "controller": true},
		}
	}
	return fields{"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "immutable": true, "data": data}
}
