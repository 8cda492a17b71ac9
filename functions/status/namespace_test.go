package status

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func TestRuntimeNamespace(t *testing.T) {
	pods := func(env ...corev1.EnvVar) corev1.PodSpec {
		return corev1.PodSpec{Containers: []corev1.Container{
			{Name: "main", Env: env},
			{Name: "sidecar", Env: []corev1.EnvVar{{Name: "DYN_NAMESPACE", Value: "of-sidecar"}}},
		}}
	}
	clique := func(name string, spec corev1.PodSpec) grovev1alpha1.Clique {
		return grovev1alpha1.Clique{Name: name, Spec: grovev1alpha1.CliqueSpec{PodSpec: spec}}
	}
	setOf := func(cliques ...grovev1alpha1.Clique) any {
		set := observedSet(1, grovev1alpha1.PodCliqueSetStatus{})
		set.Spec.Template.Cliques = cliques
		return set
	}
	deployment := func(spec corev1.PodSpec) any {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "llama-worker"}, Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: spec}}}
	}
	set := startingWorker()
	set.Spec.LeaderWorkerTemplate.WorkerTemplate.Spec = pods(corev1.EnvVar{Name: "DYN_NAMESPACE", Value: "live"})
	base, suffix := corev1.EnvVar{Name: "DYN_NAMESPACE", Value: "live"}, corev1.EnvVar{Name: "DYN_NAMESPACE_WORKER_SUFFIX", Value: "0a1b2c3d"}
	engines := corev1.PodSpec{Containers: []corev1.Container{{Name: "engine-0", Env: []corev1.EnvVar{base}}, {Name: "engine-1", Env: []corev1.EnvVar{base}}}}
	multinode := &v1alpha1.Multinode{NodeCount: 2}
	cases := map[string]struct {
		reason       string
		orchestrator graphplan.Orchestrator
		service      v1alpha1.Service
		key          string
		object       any
		want         string
	}{
		"New":          {reason: "Before there are pods, the namespace is the one that they will get.", orchestrator: graphplan.Grove, want: "planned"},
		"Clique":       {reason: "Pods of a live graph keep their namespace.", orchestrator: graphplan.Grove, key: "podcliqueset", object: setOf(clique("other", pods()), clique("worker", pods(base))), want: "live"},
		"LeaderClique": {reason: "Leaders and workers of an engine have the same namespace.", orchestrator: graphplan.Grove, service: v1alpha1.Service{Multinode: multinode}, key: "podcliqueset", object: setOf(clique("worker-ldr", pods(base))), want: "live"},
		"OtherCliques": {reason: "Pods of other services say nothing.", orchestrator: graphplan.Grove, key: "podcliqueset", object: setOf(clique("other", pods(base))), want: "planned"},
		"Group":        {reason: "A LeaderWorkerSet has pods too.", orchestrator: graphplan.LeaderWorkerSet, service: v1alpha1.Service{Multinode: multinode}, key: "leaderworkerset-worker-0", object: set, want: "live"},
		"Deployment":   {reason: "A Deployment has pods too.", orchestrator: graphplan.Deployment, key: "deployment-worker", object: deployment(pods(base)), want: "live"},
		"Failover":     {reason: "Pods with two engines have no container main.", orchestrator: graphplan.Deployment, key: "deployment-worker", object: deployment(engines), want: "live"},
		"NoVariable":   {reason: "Pods without the variable get the namespace in another way.", orchestrator: graphplan.Deployment, key: "deployment-worker", object: deployment(pods()), want: "planned"},
		"NoMain":       {reason: "Sidecars have a namespace of their own.", orchestrator: graphplan.Deployment, key: "deployment-worker", object: deployment(corev1.PodSpec{Containers: pods().Containers[1:]}), want: "planned"},
		"Password": {
			reason: "What cannot be the name of a namespace may contain a password.", orchestrator: graphplan.Deployment, key: "deployment-worker",
			object: deployment(pods(corev1.EnvVar{Name: "DYN_NAMESPACE", Value: "https://a:b@example.org"})),
		},
		"AdoptedWorker":  {reason: "Workers of the Dynamo operator keep the suffix of their generation.", orchestrator: graphplan.Deployment, service: v1alpha1.Service{ComponentType: "worker"}, key: "deployment-worker", object: deployment(pods(base, suffix)), want: "live-0a1b2c3d"},
		"SuffixOfOthers": {reason: "Only engines add the suffix.", orchestrator: graphplan.Deployment, service: v1alpha1.Service{ComponentType: "frontend"}, key: "deployment-worker", object: deployment(pods(base, suffix)), want: "live"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := graphtest.Of(&graph.Graph{Name: "llama"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": tc.service}})
			p := &graphplan.Plan{Orchestrator: tc.orchestrator, Components: map[string]graphplan.Component{"Worker": {DynamoNamespace: "planned"}}}
			rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{}}}
			if tc.key != "" {
				rsp.Desired.Resources[tc.key] = &fnv1.Resource{Resource: steptest.Struct(tc.object)}
			}
			if got := runtimeNamespace(rsp.GetDesired().GetResources(), g, p, "Worker"); got != tc.want {
				t.Errorf("%s\nruntimeNamespace(...) = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestReportedNamespace(t *testing.T) {
	pods := func(suffix string) *fnv1.Resource {
		env := []corev1.EnvVar{{Name: "DYN_NAMESPACE", Value: "live"}, {Name: "DYN_NAMESPACE_WORKER_SUFFIX", Value: suffix}}
		return &fnv1.Resource{Resource: steptest.Struct(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Env: env}}},
		}}})}
	}
	g := graphtest.Of(&graph.Graph{Name: "llama"}, v1alpha1.DynamoGraphDeploymentSpec{Services: map[string]v1alpha1.Service{"Worker": {ComponentType: "worker"}}})
	p := &graphplan.Plan{Orchestrator: graphplan.Deployment, Components: map[string]graphplan.Component{"Worker": {DynamoNamespace: "planned"}}}
	cases := map[string]struct {
		reason                    string
		reported, before, desired string
		ready                     bool
		want                      string
	}{
		"New":       {reason: "A planner is told early where the workers of a new graph will be.", desired: "1", want: "live-1"},
		"Unchanged": {reason: "Nothing changes.", reported: "live-1", before: "1", desired: "1", ready: true, want: "live-1"},
		"Changed":   {reason: "Workers that are about to be replaced are where they were.", reported: "live-1", before: "1", desired: "2", ready: true, want: "live-1"},
		"Replacing": {reason: "Workers that are being replaced are where they were.", reported: "live-1", before: "2", desired: "2", want: "live-1"},
		"Replaced":  {reason: "When all are replaced, they are in the new namespace.", reported: "live-1", before: "2", desired: "2", ready: true, want: "live-2"},
		"Disclosed": {reason: "A password that was reported once does not stay.", reported: "password=1", before: "2", desired: "2", want: "live-2"},
		"Reverted":  {reason: "A change that is reverted leaves them where they are.", reported: "live-1", before: "2", desired: "1", want: "live-1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := steptest.Struct(map[string]any{"status": map[string]any{"services": map[string]any{"Worker": map[string]any{"runtimeNamespace": tc.reported}}}})
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}, Resources: map[string]*fnv1.Resource{}}}
			if tc.before != "" {
				req.Observed.Resources["deployment-worker"] = pods(tc.before)
			}
			rsp := &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"deployment-worker": pods(tc.desired)}}}
			if got := reportedNamespace(&step.Call{Request: req, Response: rsp, Graph: g, Plan: p}, "Worker", workload.Workload{Ready: tc.ready}); got != tc.want {
				t.Errorf("%s\nreportedNamespace(...) = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
