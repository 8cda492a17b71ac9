package grove

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

const singleSpec = `{"labels":{"team":"a"},"annotations":{"note":"b"},"priorityClassName":"high","services":{
		"Frontend":{"replicas":2,"extraPodSpec":{"mainContainer":{"image":"i"}}}}}`

// single is the PodCliqueSet of singleSpec, with changes of its clique.
func single(changes ...func(*grovev1alpha1.Clique)) *grovev1alpha1.PodCliqueSet {
	field := func(name, path string) corev1.EnvVar {
		return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
	}
	clique := grovev1alpha1.Clique{
		Name: "frontend",
		Labels: map[string]string{
			"team": "a", "nvidia.com/selector": "llama-frontend", "nvidia.com/dynamo-graph-deployment-name": "llama",
			"nvidia.com/dynamo-component": "Frontend", "nvidia.com/dynamo-namespace": "inference-llama", "nvidia.com/metrics-enabled": "true",
		},
		Annotations: map[string]string{"note": "b", "nvidia.com/dynamo-discovery-backend": "etcd"},
		Spec: grovev1alpha1.CliqueSpec{RoleName: "frontend", Replicas: 2, MinAvailable: 1, PodSpec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyAlways, TerminationGracePeriodSeconds: new(int64(60)),
			SecurityContext: &corev1.PodSecurityContext{FSGroup: new(int64(1000))},
			Volumes: []corev1.Volume{{Name: "shared-memory", VolumeSource: corev1.VolumeSource{
				EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(apiresource.MustParse("8Gi"))},
			}}},
			Containers: []corev1.Container{{
				Name: "main", Image: "i", Command: []string{"/bin/sh", "-c"},
				VolumeMounts: []corev1.VolumeMount{{Name: "shared-memory", MountPath: "/dev/shm"}},
				Env: []corev1.EnvVar{
					{Name: "DYN_COMPONENT"},
					{Name: "DYN_NAMESPACE", Value: "inference-llama"},
					{Name: "DYN_PARENT_DGD_K8S_NAME", Value: "llama"},
					{Name: "DYN_PARENT_DGD_K8S_NAMESPACE", Value: "inference"},
					field("POD_NAME", "metadata.name"), field("POD_NAMESPACE", "metadata.namespace"), field("POD_UID", "metadata.uid"),
				},
			}},
		}},
	}
	for _, change := range changes {
		change(&clique)
	}
	return &grovev1alpha1.PodCliqueSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "grove.io/v1alpha1", Kind: "PodCliqueSet"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "llama", Namespace: "inference", Labels: map[string]string{"nvidia.com/dynamo-graph-deployment-name": "llama", "team": "a"},
			Annotations: map[string]string{"note": "b"},
		},
		Spec: grovev1alpha1.PodCliqueSetSpec{Replicas: 1, Template: grovev1alpha1.PodCliqueSetTemplate{
			StartupType: grovev1alpha1.StartupAnyOrder, PriorityClassName: "high", TerminationDelay: "15m0s",
			HeadlessServiceConfig: grovev1alpha1.HeadlessServiceConfig{PublishNotReadyAddresses: true},
			Cliques:               []grovev1alpha1.Clique{clique},
		}},
	}
}

func TestRunFunction(t *testing.T) {
	set := func(changes ...func(*grovev1alpha1.Clique)) *fnv1.State {
		return steptest.State(map[string]any{"podcliqueset": single(changes...)})
	}
	inQueue := func(c *grovev1alpha1.Clique) {
		c.Labels["kai.scheduler/queue"], c.Spec.PodSpec.SchedulerName = "dynamo", "kai-scheduler"
	}
	components := steptest.Components("etcd", "Frontend")
	plan := steptest.OnGrove(t, components)
	plain := steptest.Request(singleSpec, plan)
	withKAI := steptest.Request(singleSpec, steptest.OnGrove(t, components, onKAI))
	elsewhere := steptest.Request(singleSpec, steptest.OnDeployments(t, components))
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
	added.Resources["podcliqueset"] = set().GetResources()["podcliqueset"]
	noPlan := steptest.Request(singleSpec, plan)
	noPlan.Context = nil
	withInput := steptest.Request(singleSpec, plan)
	withInput.Input = resource.MustStructJSON(`{}`)
	half := steptest.Request(singleSpec, steptest.OnGrove(t, components, func(p *graphplan.Plan) { p.Grove = nil }))

	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   *fnv1.RunFunctionResponse
	}{
		"SingleNode": {
			reason: "A single-node service is a clique.",
			req:    plain,
			want:   steptest.Answer(plain, set()),
		},
		"OnKAI": {
			reason: "With KAI the pods name the scheduler, and its queue.",
			req:    withKAI,
			want:   steptest.Answer(withKAI, set(inQueue)),
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
