package lws

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// podSpec of the components in these tests, whose main container has an image and GPUs, or neither.
func podSpec(image string, gpus corev1.ResourceList) corev1.PodSpec {
	field := func(name, path string) corev1.EnvVar {
		return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
	}
	return corev1.PodSpec{
		Containers: []corev1.Container{{
			Name: "main", Image: image, Command: []string{"/bin/sh", "-c"}, Resources: corev1.ResourceRequirements{Limits: gpus},
			VolumeMounts: []corev1.VolumeMount{{Name: "shared-memory", MountPath: "/dev/shm"}},
			Env: []corev1.EnvVar{
				{Name: "DYN_COMPONENT"},
				{Name: "DYN_NAMESPACE", Value: "inference-llama"},
				{Name: "DYN_PARENT_DGD_K8S_NAME", Value: "llama"},
				{Name: "DYN_PARENT_DGD_K8S_NAMESPACE", Value: "inference"},
				field("POD_NAME", "metadata.name"), field("POD_NAMESPACE", "metadata.namespace"), field("POD_UID", "metadata.uid"),
			},
		}},
		RestartPolicy:                 corev1.RestartPolicyAlways,
		SecurityContext:               &corev1.PodSecurityContext{FSGroup: new(int64(1000))},
		TerminationGracePeriodSeconds: new(int64(60)),
		Volumes: []corev1.Volume{{Name: "shared-memory", VolumeSource: corev1.VolumeSource{
			EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("8Gi"))},
		}}},
	}
}

// labelsOf everything of a component, and further labels.
func labelsOf(component string, more map[string]string) map[string]string {
	labels := map[string]string{
		"nvidia.com/dynamo-component": component, "nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-namespace": "inference-llama",
	}
	maps.Copy(labels, more)
	return labels
}

// frontendDeployment is the Deployment of three replicas of component Frontend.
func frontendDeployment() *appsv1.Deployment {
	selector := map[string]string{"nvidia.com/selector": "llama-frontend"}
	quarter := intstr.FromString("25%")
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-frontend", Namespace: "inference", Labels: labelsOf("Frontend", nil)},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: selector},
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter},
			},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labelsOf("Frontend", map[string]string{"nvidia.com/metrics-enabled": "true", "nvidia.com/selector": "llama-frontend"})},
				Spec:       podSpec("", nil),
			},
		},
	}
}

// workerSet is the LeaderWorkerSet of the first replica of component Worker, which spans four nodes.
func workerSet() *lwsv1.LeaderWorkerSet {
	template := func(role string) corev1.PodTemplateSpec {
		pod := podSpec("registry.example.org/runtime:1", corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")})
		pod.SchedulerName = "volcano"
		return corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{
				Annotations: map[string]string{"scheduling.k8s.io/group-name": "llama-worker-0"},
				Labels:      labelsOf("Worker", map[string]string{"instance-id": "0", "nvidia.com/metrics-enabled": "true", "role": role}),
			},
			Spec: pod,
		}
	}
	return &lwsv1.LeaderWorkerSet{
		TypeMeta:   metav1.TypeMeta{APIVersion: "leaderworkerset.x-k8s.io/v1", Kind: "LeaderWorkerSet"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-worker-0", Namespace: "inference", Labels: labelsOf("Worker", map[string]string{"instance-id": "0"})},
		Spec: lwsv1.LeaderWorkerSetSpec{
			Replicas: new(int32(1)), StartupPolicy: lwsv1.LeaderCreatedStartupPolicy,
			RolloutStrategy: lwsv1.RolloutStrategy{Type: lwsv1.RollingUpdateStrategyType},
			LeaderWorkerTemplate: lwsv1.LeaderWorkerTemplate{
				Size: new(int32(4)), RestartPolicy: lwsv1.RecreateGroupOnPodRestart,
				LeaderTemplate: new(template("leader")), WorkerTemplate: template("worker"),
			},
		},
	}
}

// TestRunFunction compares whole responses.
func TestRunFunction(t *testing.T) {
	const frontend = `{"services":{"Frontend":{"replicas":3}}}`
	deployment, set := frontendDeployment(), workerSet()
	const group = `{"apiVersion":"scheduling.volcano.sh/v1beta1","kind":"PodGroup",
		"metadata":{"name":"llama-worker-0","namespace":"inference","labels":{"instance-id":"0"}},
		"spec":{"minMember":4,"queue":"team-a","minResources":{"nvidia.com/gpu":"32"}}}`
	const both = `{"services":{"Frontend":{"replicas":3},"Worker":{"multinode":{"nodeCount":4},"resources":{"limits":{"gpu":"8"}},
		"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}}}}}`
	onGrove := steptest.OnGrove(t, steptest.Components("etcd", "Frontend"))
	onDeployments := steptest.OnDeployments(t, steptest.Components("etcd", "Frontend"))

	others := func() *fnv1.State {
		return steptest.State(map[string]any{"service-frontend": `{"kind":"Service"}`, "gateway": `{"kind":"Deployment","apiVersion":"apps/v1"}`})
	}
	with := func(req *fnv1.RunFunctionRequest, desired *fnv1.State) *fnv1.RunFunctionRequest {
		req.Desired = desired
		return req
	}
	withInput := steptest.Request(frontend, onDeployments)
	withInput.Input = steptest.Struct(`{"kind":"Input"}`)
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
				return steptest.Answer(req, steptest.State(map[string]any{"deployment-frontend": deployment}))
			},
		},
		"LeaderWorkerSet": {
			reason: "A replica of a service that spans nodes is a LeaderWorkerSet with a gang of its own; the others are Deployments.",
			req:    steptest.Request(both, steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Frontend", "Worker"))),
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return steptest.Answer(req, steptest.State(map[string]any{"deployment-frontend": deployment, "leaderworkerset-worker-0": set, "podgroup-worker-0": group}))
			},
		},
		"DesiredOfOthers": {
			reason: "What other steps compose passes through.",
			req:    with(steptest.Request(frontend, onDeployments), others()),
			want: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				all := steptest.State(map[string]any{"deployment-frontend": deployment})
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
			req:    steptest.Request(both, steptest.OnLeaderWorkerSets(t, graphplan.Gang{}, steptest.Components("etcd", "Frontend", "Worker"))),
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
	plan := steptest.OnLeaderWorkerSets(t, steptest.ByPodGroup(), steptest.Components("etcd", "Worker"))
	composed := func(replicas int32) map[string]*fnv1.Resource {
		return run(t, steptest.Request(steptest.TwoNodes(t, steptest.WithReplicas(replicas)), plan)).GetDesired().GetResources()
	}
	first := composed(1)
	cases := []struct {
		reason   string
		replicas int32
		want     []string
	}{
		{reason: "A scale-out from one to three replicas adds two.", replicas: 3, want: []string{
			"leaderworkerset-worker-0", "leaderworkerset-worker-1", "leaderworkerset-worker-2", "podgroup-worker-0", "podgroup-worker-1", "podgroup-worker-2",
		}},
		{reason: "A scale-in from three to two replicas removes one.", replicas: 2, want: []string{"leaderworkerset-worker-0", "leaderworkerset-worker-1", "podgroup-worker-0", "podgroup-worker-1"}},
		{reason: "A service that is scaled to zero has no sets.", replicas: 0},
		{reason: "A service that is scaled back from zero has its first set again.", replicas: 1, want: []string{"leaderworkerset-worker-0", "podgroup-worker-0"}},
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
