package computedomain

import (
	"maps"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	protectionv1beta1 "github.com/crossplane/crossplane/apis/v2/protection/v1beta1"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	computedomainv1beta1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/computedomain/v1beta1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
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

// auto is mode Auto in which component Worker claims channels.
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

// gpuPod has a container with GPUs.
func gpuPod() corev1.PodSpec { return podOf(container("main", gpus("4"))) }

// plainPod has no GPUs.
func plainPod() corev1.PodSpec { return podOf(container("main", nil)) }

// claiming is gpuPod with a channel of the domain of this template.
func claiming(template string) corev1.PodSpec {
	return podOf(container("main", gpus("4"), "mnnvl-claim"), claim("mnnvl-claim", template))
}

func inInference(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "inference"}
}

func deployment(name string, pod corev1.PodSpec) *appsv1.Deployment {
	return &appsv1.Deployment{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: inInference(name),
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: pod}},
	}
}

func leaderWorkerSet(name string, leader, worker corev1.PodSpec) *lwsv1.LeaderWorkerSet {
	return &lwsv1.LeaderWorkerSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet"}, ObjectMeta: inInference(name),
		Spec: lwsv1.LeaderWorkerSetSpec{LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
			LeaderTemplate: &corev1.PodTemplateSpec{Spec: leader}, WorkerTemplate: corev1.PodTemplateSpec{Spec: worker},
		}},
	}
}

func podCliqueSet(cliques ...grovev1alpha1.Clique) *grovev1alpha1.PodCliqueSet {
	return &grovev1alpha1.PodCliqueSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "grove.io/v1alpha1", Kind: "PodCliqueSet"}, ObjectMeta: inInference("llama"),
		Spec: grovev1alpha1.PodCliqueSetSpec{Template: grovev1alpha1.PodCliqueSetTemplate{Cliques: cliques}},
	}
}

func clique(name string, pod corev1.PodSpec) grovev1alpha1.Clique {
	return grovev1alpha1.Clique{Name: name, Spec: grovev1alpha1.CliqueSpec{PodSpec: pod}}
}

// domainOf name, with further labels.
func domainOf(name, index string, labels map[string]string) *computedomainv1beta1.ComputeDomain {
	meta := inInference(name)
	meta.Labels = map[string]string{
		"app.kubernetes.io/managed-by": "configuration-dynamo", "app.kubernetes.io/part-of": "llama", "app.kubernetes.io/name": name,
		"app.kubernetes.io/component": "pcs-computedomain", "grove.io/podcliqueset-replica-index": index,
		"nvidia.com/dynamo-graph-deployment-name": "llama", "crossplane.io/in-use": "true",
	}
	maps.Copy(meta.Labels, labels)
	return &computedomainv1beta1.ComputeDomain{
		TypeMeta: metav1.TypeMeta{APIVersion: "resource.nvidia.com/v1beta1", Kind: "ComputeDomain"}, ObjectMeta: meta,
		Spec: computedomainv1beta1.Spec{Channel: computedomainv1beta1.Channel{ResourceClaimTemplate: computedomainv1beta1.ResourceClaimTemplate{Name: name}}},
	}
}

func replicaDomainOf(index string) *computedomainv1beta1.ComputeDomain {
	return domainOf("llama-worker-"+index, index, map[string]string{"nvidia.com/dynamo-component": "Worker", "instance-id": index})
}

func usageOf(name, domain, apiVersion, kind, by string) *protectionv1beta1.Usage {
	meta := inInference(name)
	meta.Labels = map[string]string{
		"app.kubernetes.io/managed-by": "configuration-dynamo", "app.kubernetes.io/part-of": "llama", "nvidia.com/dynamo-graph-deployment-name": "llama",
	}
	return &protectionv1beta1.Usage{
		TypeMeta: metav1.TypeMeta{APIVersion: "protection.crossplane.io/v1beta1", Kind: "Usage"}, ObjectMeta: meta,
		Spec: protectionv1beta1.UsageSpec{
			Of: protectionv1beta1.NamespacedResource{
				APIVersion: "resource.nvidia.com/v1beta1", Kind: "ComputeDomain", ResourceRef: &protectionv1beta1.NamespacedResourceRef{Name: domain},
			},
			By:     &protectionv1beta1.Resource{APIVersion: apiVersion, Kind: kind, ResourceRef: &protectionv1beta1.ResourceRef{Name: by}},
			Reason: new("pods of " + kind + " " + by + " use this NVLink domain"), ReplayDeletion: new(true),
		},
	}
}

func usageOfSet(name, domain, set string) *protectionv1beta1.Usage {
	return usageOf(name, domain, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", set)
}

func with(objects, more map[string]any) map[string]any {
	all := maps.Clone(objects)
	maps.Copy(all, more)
	return all
}

// held are objects of which some are workloads that are deleted in the foreground.
func held(objects map[string]any, keys ...string) map[string]any {
	all := maps.Clone(objects)
	for _, key := range keys {
		all[key] = finalized(all[key], "foregroundDeletion")
	}
	return all
}

// finalized is an object with finalizers.
func finalized(object any, finalizers ...any) *structpb.Struct {
	out := steptest.Struct(object)
	list, err := structpb.NewList(finalizers)
	if err != nil {
		panic(err)
	}
	out.GetFields()["metadata"].GetStructValue().Fields["finalizers"] = structpb.NewListValue(list)
	return out
}

type requestOption func(*fnv1.RunFunctionRequest)

// request for the graph llama in namespace inference with this desired state.
func request(spec, plan string, objects map[string]any, options ...requestOption) *fnv1.RunFunctionRequest {
	req := steptest.Request(spec, plan)
	req.Meta.Capabilities = []fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES}
	if objects != nil {
		req.Desired = steptest.State(objects)
	}
	for _, option := range options {
		option(req)
	}
	return req
}

func observing(objects map[string]any) requestOption {
	return func(req *fnv1.RunFunctionRequest) { req.Observed.Resources = steptest.State(objects).GetResources() }
}

// lookedUp delivers objects by the name of the requirement; nil does not exist.
func lookedUp(objects map[string]any) requestOption {
	return func(req *fnv1.RunFunctionRequest) {
		req.RequiredResources = map[string]*fnv1.Resources{}
		for name, object := range objects {
			found := &fnv1.Resources{}
			if object != nil {
				found.Items = []*fnv1.Resource{{Resource: steptest.Struct(object)}}
			}
			req.RequiredResources[name] = found
		}
	}
}

type responseOption func(*fnv1.RunFunctionResponse)

// answer with this desired state; nil: none.
func answer(req *fnv1.RunFunctionRequest, objects map[string]any, options ...responseOption) *fnv1.RunFunctionResponse {
	rsp := steptest.Answer(req, nil)
	if objects != nil {
		rsp.Desired = steptest.State(objects)
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
