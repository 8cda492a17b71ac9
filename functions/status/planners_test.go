package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/graphtest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
)

// engineWith is the pod of an engine with this number of GPUs and these arguments.
func engineWith(gpus string, args ...string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main", Args: args, Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus)}},
	}}}
}

// callFor component Worker of a graph with these desired and observed objects and this status of the component. nil: the status has no component.
func callFor(orchestrator graphplan.Orchestrator, service v1alpha1.Service, status fields, desired, live map[string]any) *step.Call {
	components := fields{}
	if status != nil {
		components["Worker"] = status
	}
	objects := func(all map[string]any) map[string]*fnv1.Resource {
		resources := map[string]*fnv1.Resource{}
		for key, object := range all {
			resources[key] = &fnv1.Resource{Resource: steptest.Struct(object)}
		}
		return resources
	}
	xr := steptest.Struct(fields{"status": fields{"services": components}})
	return &step.Call{
		Request:  &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: objects(live)}},
		Response: &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: objects(desired)}},
		Graph:    graphtest.Of(&graph.Graph{Name: "llama"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": service}}),
		Plan:     &graphplan.Plan{Orchestrator: orchestrator},
	}
}

// TestForPlanners shows what the status says of the pods of a component on each orchestrator.
func TestForPlanners(t *testing.T) {
	const limit = "dynamo.nvidia.com/gpu-power-limit"
	multinode := v1alpha1.Service{Multinode: &v1alpha1.Multinode{NodeCount: 3}}
	args := []string{"--model", "m", "--endpoint", "dyn://ns.decode.generate"}
	other := []string{"--model", "of-others", "--endpoint", "dyn://ns.others.generate"}
	deployment := func(pods corev1.PodTemplateSpec) map[string]any {
		return map[string]any{"deployment-worker": &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: pods}}}
	}
	annotated := func(watts string) map[string]any {
		return deployment(corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{limit: watts}}, Spec: engineWith("0")})
	}
	set := func(cliques ...grovev1alpha1.Clique) map[string]any {
		all := observedSet(1, grovev1alpha1.PodCliqueSetStatus{})
		all.Spec.Template.Cliques = cliques
		return map[string]any{"podcliqueset": all}
	}
	clique := func(name string, spec corev1.PodSpec) grovev1alpha1.Clique {
		return grovev1alpha1.Clique{Name: name, Annotations: map[string]string{limit: "350"}, Spec: grovev1alpha1.CliqueSpec{PodSpec: spec}}
	}
	group := func(leader *corev1.PodTemplateSpec, worker corev1.PodTemplateSpec) map[string]any {
		set := startingWorker()
		set.Spec.LeaderWorkerTemplate = lwsv1.LeaderWorkerTemplate{LeaderTemplate: leader, WorkerTemplate: worker}
		return map[string]any{"leaderworkerset-worker-0": set}
	}
	runtime := engineWith("2", "vllm", "serve", "--served-model-name", "m")
	runtime.InitContainers = []corev1.Container{{
		Name: "runtime", Args: []string{"--endpoint", "dyn://ns.decode.generate"}, Env: []corev1.EnvVar{{Name: "DYN_SYSTEM_ENABLED", Value: "true"}},
	}}
	standby := corev1.PodSpec{Containers: []corev1.Container{{Name: "engine-0", Args: args}, {Name: "engine-1", Args: other}}}
	sized := func(engine, replica int64) v1alpha1.ServiceStatus {
		return v1alpha1.ServiceStatus{ServedModelName: "m", RuntimeComponentName: "decode", GPUsPerEngine: &engine, GPUsPerReplica: &replica}
	}
	limited := func(watts *int32, status v1alpha1.ServiceStatus) v1alpha1.ServiceStatus {
		status.GPUPowerLimitWatts = watts
		return status
	}
	none := v1alpha1.ServiceStatus{GPUsPerEngine: new(int64(0)), GPUsPerReplica: new(int64(0))}
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		service      v1alpha1.Service
		desired      map[string]any
		want         v1alpha1.ServiceStatus
	}{
		"Deployment":  {reason: "A Deployment has the pods of its service.", orchestrator: graphplan.Deployment, desired: deployment(corev1.PodTemplateSpec{Spec: engineWith("2", args...)}), want: sized(2, 2)},
		"Unnamed":     {reason: "A command without flags says nothing.", orchestrator: graphplan.Deployment, desired: deployment(corev1.PodTemplateSpec{Spec: engineWith("0")}), want: none},
		"NotComposed": {reason: "Nothing is known of pods that are not composed, such as those that wait for a checkpoint.", orchestrator: graphplan.Deployment},
		"Standby":     {reason: "Pods with two engines have no container main.", orchestrator: graphplan.Deployment, desired: deployment(corev1.PodTemplateSpec{Spec: standby}), want: sized(0, 0)},
		"Runtime":     {reason: "The runtime registers, and the engine names its model.", orchestrator: graphplan.Deployment, desired: deployment(corev1.PodTemplateSpec{Spec: runtime}), want: sized(2, 2)},
		"Clique":      {reason: "Grove has a clique for each service.", orchestrator: graphplan.Grove, desired: set(clique("other", engineWith("8", other...)), clique("worker", engineWith("2", args...))), want: limited(new(int32(350)), sized(2, 2))},
		"Cliques":     {reason: "Only the leader serves requests, and all nodes are the engine.", orchestrator: graphplan.Grove, service: multinode, desired: set(clique("worker-wkr", engineWith("2", other...)), clique("worker-ldr", engineWith("2", args...))), want: limited(new(int32(350)), sized(6, 6))},
		"HalfCliques": {reason: "Nothing is said of an engine of which a part is missing.", orchestrator: graphplan.Grove, service: multinode, desired: set(clique("worker-ldr", engineWith("2", args...)))},
		"Group":       {reason: "A LeaderWorkerSet has a leader and workers.", orchestrator: graphplan.LeaderWorkerSet, service: multinode, desired: group(&corev1.PodTemplateSpec{Spec: engineWith("2", args...)}, corev1.PodTemplateSpec{Spec: engineWith("4", other...)}), want: sized(10, 10)},
		"SameGroup":   {reason: "They may have the same template.", orchestrator: graphplan.LeaderWorkerSet, service: multinode, desired: group(nil, corev1.PodTemplateSpec{Spec: engineWith("2", args...)}), want: sized(6, 6)},
		"NoGroup":     {reason: "A service without replicas has no LeaderWorkerSet, and is still known from the graph.", orchestrator: graphplan.LeaderWorkerSet, service: v1alpha1.Service{Multinode: multinode.Multinode, Replicas: new(int32(0)), Annotations: map[string]string{limit: "350"}, ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &engineWith("2", args...).Containers[0]}}, want: limited(new(int32(350)), sized(6, 6))},
		"Limit":       {reason: "The limit of power is in an annotation.", orchestrator: graphplan.Deployment, desired: annotated("350"), want: limited(new(int32(350)), none)},
		"NoWatts":     {reason: "A limit of nothing is none.", orchestrator: graphplan.Deployment, desired: annotated("0"), want: none},
		"NoNumber":    {reason: "A text is no limit.", orchestrator: graphplan.Deployment, desired: annotated("350W"), want: none},
		"TooMany":     {reason: "A number that no field can hold is no limit.", orchestrator: graphplan.Deployment, desired: annotated("4294967296"), want: none},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := v1alpha1.ServiceStatus{}
			addForPlanners(callFor(tc.orchestrator, tc.service, nil, tc.desired, nil), "Worker", workload.Workload{}, &got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\naddForPlanners(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReportedNames shows when the names with which pods register change in the status.
func TestReportedNames(t *testing.T) {
	pods := func(names registered) map[string]any {
		var args []string
		if names.model != "" {
			args = append(args, "--model", names.model)
		}
		if names.component != "" {
			args = append(args, "--endpoint", "ns."+names.component+".generate")
		}
		return map[string]any{"deployment-worker": &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: engineWith("1", args...)}}}}
	}
	older, newer, unnamed := registered{"m1", "c1"}, registered{"m2", "c2"}, registered{}
	half := registered{"m1", "c2"}
	cases := map[string]struct {
		reason string
		// reported in the status, and with which pods exist. nil: there are none.
		reported, live *registered
		desired        registered
		ready          bool
		want           registered
	}{
		"New":        {reason: "Planners are told early what the pods of a new graph serve.", desired: newer, want: newer},
		"Unchanged":  {reason: "Nothing changes while pods are restarted.", reported: &older, live: &older, desired: older, want: older},
		"Changed":    {reason: "Pods that are about to be replaced serve what they served.", reported: &older, live: &older, desired: newer, ready: true, want: older},
		"Replacing":  {reason: "Pods that are being replaced serve what they served.", reported: &older, live: &newer, desired: newer, want: older},
		"Replaced":   {reason: "When all are replaced, they serve what is new.", reported: &older, live: &newer, desired: newer, ready: true, want: newer},
		"Reverted":   {reason: "A change that is reverted leaves what they serve.", reported: &older, live: &newer, desired: older, want: older},
		"Again":      {reason: "A second change waits for its own pods.", reported: &older, live: &unnamed, desired: newer, ready: true, want: older},
		"Named":      {reason: "Pods without flags serve what is not known until they are replaced.", reported: &unnamed, live: &newer, desired: newer, want: unnamed},
		"NowNamed":   {reason: "Then their successors are known.", reported: &unnamed, live: &newer, desired: newer, ready: true, want: newer},
		"Unnamed":    {reason: "A flag that is removed counts until pods are replaced.", reported: &older, live: &unnamed, desired: unnamed, want: older},
		"NowUnnamed": {reason: "Then nothing is known.", reported: &older, live: &unnamed, desired: unnamed, ready: true, want: unnamed},
		"Half":       {reason: "Each name is that of the pods that serve, also if only one of them changes.", reported: &older, live: &half, desired: half, want: older},
		"Lost":       {reason: "Objects that are lost may still run the pods.", reported: &older, desired: newer, want: older},
		"NoPods":     {reason: "A service without pods has no others to wait for.", reported: &older, desired: newer, ready: true, want: newer},
		"First":      {reason: "The first pods of a service have no others to wait for.", reported: &unnamed, desired: newer, want: newer},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var status fields
			var live map[string]any
			if tc.reported != nil {
				status = fields{"servedModelName": tc.reported.model, "runtimeComponentName": tc.reported.component}
			}
			if tc.live != nil {
				live = pods(*tc.live)
			}
			call := callFor(graphplan.Deployment, v1alpha1.Service{}, status, pods(tc.desired), live)
			got := v1alpha1.ServiceStatus{}
			addForPlanners(call, "Worker", workload.Workload{Ready: tc.ready}, &got)
			if diff := cmp.Diff(tc.want, registered{got.ServedModelName, got.RuntimeComponentName}, cmp.AllowUnexported(registered{})); diff != "" {
				t.Errorf("%s\naddForPlanners(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
