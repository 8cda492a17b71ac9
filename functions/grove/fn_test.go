package grove

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

const singleSpec = `{"labels":{"team":"a"},"annotations":{"note":"b"},"priorityClassName":"high","services":{
		"Frontend":{"replicas":2,"extraPodSpec":{"mainContainer":{"image":"i"}}}}}`

// single is the PodCliqueSet of singleSpec, with further labels and further fields of the pod, JSON with a comma after them.
func single(labels, pod string) string {
	return `{"apiVersion":"grove.io/v1alpha1","kind":"PodCliqueSet",
		"metadata":{"name":"llama","namespace":"inference","labels":{"nvidia.com/dynamo-graph-deployment-name":"llama","team":"a"},"annotations":{"note":"b"}},
		"spec":{"replicas":1,"template":{"cliqueStartupType":"CliqueStartupTypeAnyOrder","priorityClassName":"high","terminationDelay":"15m0s",
			"headlessServiceConfig":{"publishNotReadyAddresses":true},
			"cliques":[{"name":"frontend",
				"labels":{` + labels + `"team":"a","nvidia.com/selector":"llama-frontend","nvidia.com/dynamo-graph-deployment-name":"llama",
					"nvidia.com/dynamo-component":"Frontend","nvidia.com/dynamo-namespace":"inference-llama","nvidia.com/metrics-enabled":"true"},
				"annotations":{"note":"b","nvidia.com/dynamo-discovery-backend":"etcd"},
				"spec":{"roleName":"frontend","replicas":2,"minAvailable":1,"podSpec":{` + pod + `
					"restartPolicy":"Always","terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000},
					"volumes":[{"name":"shared-memory","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}}],
					"containers":[{"name":"main","image":"i","command":["/bin/sh","-c"],"resources":{},
						"volumeMounts":[{"name":"shared-memory","mountPath":"/dev/shm"}],
						"env":[{"name":"DYN_COMPONENT"},{"name":"DYN_NAMESPACE","value":"inference-llama"},
							{"name":"DYN_PARENT_DGD_K8S_NAME","value":"llama"},{"name":"DYN_PARENT_DGD_K8S_NAMESPACE","value":"inference"},
							{"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
							{"name":"POD_NAMESPACE","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}},
							{"name":"POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}}]}]}}}]}}}`
}

func TestRunFunction(t *testing.T) {
	set := func(labels, pod string) *fnv1.State {
		return &fnv1.State{Resources: map[string]*fnv1.Resource{"podcliqueset": {Resource: resource.MustStructJSON(single(labels, pod))}}}
	}
	services := steptest.Services("etcd", "Frontend")
	plan := steptest.OnGrove(t, services)
	plain := steptest.Request(singleSpec, plan)
	withKAI := steptest.Request(singleSpec, steptest.OnGrove(t, services, onKAI))
	elsewhere := steptest.Request(singleSpec, steptest.OnDeployments(t, services))
	others := steptest.Request(singleSpec, plan)
	bucket := &fnv1.Resource{Resource: resource.MustStructJSON(`{"kind":"Bucket"}`), Ready: fnv1.Ready_READY_TRUE}
	for _, req := range []*fnv1.RunFunctionRequest{elsewhere, others} {
		req.Desired = &fnv1.State{
			Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"mine":true}}`)},
			Resources: map[string]*fnv1.Resource{"bucket": bucket},
		}
	}
	unchanged, ok := proto.Clone(elsewhere.GetDesired()).(*fnv1.State)
	if !ok {
		t.Fatal("cannot clone")
	}
	added, ok := proto.Clone(others.GetDesired()).(*fnv1.State)
	if !ok {
		t.Fatal("cannot clone")
	}
	added.Resources["podcliqueset"] = set("", "").GetResources()["podcliqueset"]
	noPlan := steptest.Request(singleSpec, plan)
	noPlan.Context = nil
	withInput := steptest.Request(singleSpec, plan)
	withInput.Input = resource.MustStructJSON(`{}`)
	half := steptest.Request(singleSpec, steptest.OnGrove(t, services, func(p *graphplan.Plan) { p.Grove = nil }))

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
	}{
		"SingleNode": {
			reason: "A single-node service is a clique.",
			req:    plain,
			want:   steptest.Answer(plain, set("", "")),
		},
		"OnKAI": {
			reason: "With KAI the pods name the scheduler, and its queue.",
			req:    withKAI,
			want:   steptest.Answer(withKAI, set(`"kai.scheduler/queue":"dynamo",`, `"schedulerName":"kai-scheduler",`)),
		},
		"AnotherOrchestrator": {
			reason: "A graph of another orchestrator passes through unchanged.",
			req:    elsewhere,
			want:   steptest.Answer(elsewhere, unchanged),
		},
		"OthersPassThrough": {
			reason: "What other steps desire stays as it is.",
			req:    others,
			want:   steptest.Answer(others, added),
		},
		"NoPlan": {
			reason: "Without a plan nothing is composed, so nothing must be applied.",
			req:    noPlan,
			want: steptest.Refused(noPlan, "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, "+
				"and the resources that step plan requires must be provided"),
		},
		"InputGiven": {
			reason: "An input would be ignored silently.",
			req:    withInput,
			want:   steptest.Refused(withInput, "this step does not support input; remove the input from the Composition, and set policy in the input of step plan"),
		},
		"HalfAPlan": {
			reason: "A plan that does not say how to use Grove is refused without a panic.",
			req:    half,
			want:   steptest.Refused(half, "cannot read the plan in context key plan.dynamo.nvidia.com: the orchestrator is Grove, but field grove is missing"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, run(t, tc.req), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nRunFunction(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
