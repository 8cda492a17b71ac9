package lws

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

// podSpec of the services in these tests: a main container with the given fields, and further fields of the pod.
func podSpec(container, pod string) string {
	return `{"containers":[{"name":"main"` + container + `,"command":["/bin/sh","-c"],"volumeMounts":[{"name":"shared-memory","mountPath":"/dev/shm"}],"env":[
			{"name":"DYN_COMPONENT"},
			{"name":"DYN_NAMESPACE","value":"inference-llama"},
			{"name":"DYN_PARENT_DGD_K8S_NAME","value":"llama"},
			{"name":"DYN_PARENT_DGD_K8S_NAMESPACE","value":"inference"},
			{"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
			{"name":"POD_NAMESPACE","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}},
			{"name":"POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}}]}],
		"restartPolicy":"Always","securityContext":{"fsGroup":1000},"terminationGracePeriodSeconds":60,
		"volumes":[{"name":"shared-memory","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}}]` + pod + `}`
}

// identity are the labels of everything of a service, JSON without braces.
func identity(service string) string {
	return `"nvidia.com/dynamo-component":"` + service + `","nvidia.com/dynamo-graph-deployment-name":"llama","nvidia.com/dynamo-namespace":"inference-llama"`
}

func composedAs(objects map[string]string) *fnv1.State {
	state := &fnv1.State{Resources: map[string]*fnv1.Resource{}}
	for key, object := range objects {
		state.Resources[key] = &fnv1.Resource{Resource: resource.MustStructJSON(object)}
	}
	return state
}

// TestRunFunction compares whole responses.
func TestRunFunction(t *testing.T) {
	const frontend = `{"services":{"Frontend":{"replicas":3}}}`
	deployment := `{"apiVersion":"apps/v1","kind":"Deployment",
		"metadata":{"name":"llama-frontend","namespace":"inference","labels":{` + identity("Frontend") + `}},
		"spec":{"replicas":3,"selector":{"matchLabels":{"nvidia.com/selector":"llama-frontend"}},
			"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}},
			"template":{"metadata":{"labels":{` + identity("Frontend") + `,"nvidia.com/metrics-enabled":"true","nvidia.com/selector":"llama-frontend"}},
				"spec":` + podSpec(`,"resources":{}`, "") + `}}}`
	template := func(role string) string {
		return `{"metadata":{"annotations":{"scheduling.k8s.io/group-name":"llama-worker-0"},
				"labels":{` + identity("Worker") + `,"instance-id":"0","nvidia.com/metrics-enabled":"true","role":"` + role + `"}},
			"spec":` + podSpec(`,"image":"registry.example.org/runtime:1","resources":{"limits":{"nvidia.com/gpu":"8"}}`, `,"schedulerName":"volcano"`) + `}`
	}
	set := `{"apiVersion":"leaderworkerset.x-k8s.io/v1","kind":"LeaderWorkerSet",
		"metadata":{"name":"llama-worker-0","namespace":"inference","labels":{` + identity("Worker") + `,"instance-id":"0"}},
		"spec":{"replicas":1,"startupPolicy":"LeaderCreated","rolloutStrategy":{"type":"RollingUpdate"},"leaderWorkerTemplate":{
			"size":4,"restartPolicy":"RecreateGroupOnPodRestart","leaderTemplate":` + template("leader") + `,"workerTemplate":` + template("worker") + `}}}`
	group := `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",
		"metadata":{"name":"llama-worker-0","namespace":"inference","labels":{"instance-id":"0"}},
		"spec":{"minMember":4,"queue":"team-a","minResources":{"nvidia.com/gpu":"32"}}}`
	const both = `{"services":{"Frontend":{"replicas":3},"Worker":{"multinode":{"nodeCount":4},"resources":{"limits":{"gpu":"8"}},
		"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}}}}}`
	onGrove := steptest.OnGrove(t, steptest.Services("etcd", "Frontend"))
	onDeployments := steptest.OnDeployments(t, steptest.Services("etcd", "Frontend"))

	others := func() *fnv1.State {
		return composedAs(map[string]string{"service-frontend": `{"kind":"Service"}`, "gateway": `{"kind":"Deployment","apiVersion":"apps/v1"}`})
	}
	with := func(req *fnv1.RunFunctionRequest, desired *fnv1.State) *fnv1.RunFunctionRequest {
		req.Desired = desired
		return req
	}
	withInput := steptest.Request(frontend, onDeployments)
	withInput.Input = resource.MustStructJSON(`{"kind":"Input"}`)
	withoutPlan := with(steptest.Request(frontend, onDeployments), others())
	withoutPlan.Context = nil

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse
	}{
		"Deployment": {
			reason: "A service of one node is a Deployment.",
			req:    steptest.Request(frontend, onDeployments),
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return steptest.Answer(req, composedAs(map[string]string{"deployment-frontend": deployment}))
			},
		},
		"LeaderWorkerSet": {
			reason: "A replica of a service that spans nodes is a LeaderWorkerSet with a gang of its own; the others are Deployments.",
			req:    steptest.Request(both, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Services("etcd", "Frontend", "Worker"))),
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return steptest.Answer(req, composedAs(map[string]string{"deployment-frontend": deployment, "leaderworkerset-worker-0": set, "podgroup-worker-0": group}))
			},
		},
		"DesiredOfOthers": {
			reason: "What other steps compose passes through.",
			req:    with(steptest.Request(frontend, onDeployments), others()),
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				all := composedAs(map[string]string{"deployment-frontend": deployment})
				maps.Copy(all.GetResources(), others().GetResources())
				return steptest.Answer(req, all)
			},
		},
		"Grove": {
			reason: "On Grove there is nothing to do.",
			req:    with(steptest.Request(frontend, onGrove), others()),
			want:   func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return steptest.Answer(req, others()) },
		},
		"NoPlan": {
			reason: "Without a plan silence would delete the workloads.",
			req:    withoutPlan,
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return steptest.Refused(req, "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, and the resources that step plan requires must be provided")
			},
		},
		"PlanWithoutGangs": {
			reason: "A plan that says half of what gangs need must not be taken for one without gangs.",
			req:    steptest.Request(both, steptest.OnLeaderWorkerSets(t, graphplan.Gang{}, steptest.Services("etcd", "Frontend", "Worker"))),
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return steptest.Refused(req, "cannot read the plan in context key plan.dynamo.nvidia.com: the orchestrator is LeaderWorkerSet, but field lws.gang is missing")
			},
		},
		"Input": {
			reason: "An input would be ignored silently.",
			req:    withInput,
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return steptest.Refused(req, "this step does not support input; remove the input from the Composition, and set policy in the input of step plan")
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want(tc.req), run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestScaling follows one graph through scaling out and in: only the sets of the highest indices come and go.
func TestScaling(t *testing.T) {
	plan := steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Services("etcd", "Worker"))
	composed := func(replicas string) map[string]*fnv1.Resource {
		return run(t, steptest.Request(steptest.TwoNodes(`,"replicas":`+replicas), plan)).GetDesired().GetResources()
	}
	first := composed("1")
	cases := []struct {
		reason   string
		replicas string
		want     []string
	}{
		{reason: "A scale-out from one to three replicas adds two.", replicas: "3", want: []string{
			"leaderworkerset-worker-0", "leaderworkerset-worker-1", "leaderworkerset-worker-2", "podgroup-worker-0", "podgroup-worker-1", "podgroup-worker-2",
		}},
		{reason: "A scale-in from three to two replicas removes one.", replicas: "2", want: []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1", "podgroup-worker-0", "podgroup-worker-1"}},
		{reason: "A service that is scaled to zero has no sets.", replicas: "0"},
		{reason: "A service that is scaled back from zero has its first set again.", replicas: "1", want: []string{"leaderworkerset-worker-0", "podgroup-worker-0"}},
	}
	before := first
	for _, tc := range cases {
		after := composed(tc.replicas)
		if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(after))); diff != "" {
			t.Errorf("%s\nkeys: -want, +got:\n%s", tc.reason, diff)
		}
		for key, object := range after {
			old, ok := before[key]
			if !ok {
				continue
			}
			if diff := cmp.Diff(old, object, protocmp.Transform()); diff != "" {
				t.Errorf("%s\n%s changed: -before, +after:\n%s", tc.reason, key, diff)
			}
		}
		before = after
	}
	if diff := cmp.Diff(first, before, protocmp.Transform()); diff != "" {
		t.Errorf("what was scaled to zero and back differs: -before, +after:\n%s", diff)
	}
}
