package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestPlannerWarnings(t *testing.T) {
	const (
		warning = "spec.services[Worker].autoscaling: the graph has a planner, which also scales its workers, and the autoscaler would undo its changes; remove autoscaling, or remove the planner"
		adapted = "spec.services[Worker].scalingAdapter: the planner of the graph scales the adapter, but up to release 1.5 it then waits for the same number in replicas " +
			"of the service, which an adapter does not change; remove scalingAdapter, and the planner scales the graph"
	)
	const claims = "spec.services[Worker].extraPodSpec.resourceClaims: the planner of the graph reads the GPUs of an engine from limits and requests, and GPUs in claims " +
		"are not in the status of the graph either, so the planner does not know their number; set prefill_engine_num_gpu and decode_engine_num_gpu in its configuration, " +
		"or request nvidia.com/gpu instead of claims"
	planner := plantest.Component("Planner", &v1alpha1.Service{ComponentType: v1alpha1.ComponentPlanner})
	worker := func(componentType string, changes ...plantest.ComponentChange) plantest.GraphChange {
		return plantest.Component("Worker", &v1alpha1.Service{ComponentType: componentType}, changes...)
	}
	scaled := func(s *v1alpha1.Service) { s.Autoscaling = &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 3} }
	off := func(s *v1alpha1.Service) { s.Autoscaling = &v1alpha1.Autoscaling{MaxReplicas: 3} }
	claimed := func(s *v1alpha1.Service) {
		s.ExtraPodSpec = &v1alpha1.ExtraPodSpec{
			PodSpec:       corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu"}}},
			MainContainer: &corev1.Container{Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpu"}}}},
		}
	}
	unused := func(s *v1alpha1.Service) { claimed(s); s.ExtraPodSpec.MainContainer.Resources.Claims = nil }
	configured := plantest.Component("Planner", &v1alpha1.Service{ComponentType: v1alpha1.ComponentPlanner, ExtraPodSpec: &v1alpha1.ExtraPodSpec{
		MainContainer: &corev1.Container{Args: []string{"--config", `{"decode_engine_num_gpu":2}`}},
	}})
	told := func(env ...corev1.EnvVar) plantest.GraphChange {
		return plantest.Component("Planner", &v1alpha1.Service{ComponentType: v1alpha1.ComponentPlanner, Envs: env})
	}
	other := corev1.EnvVar{Name: "DYN_PARENT_DGD_K8S_NAME", Value: "other"}
	secret := corev1.EnvVar{Name: "DYN_PARENT_DGD_K8S_NAME", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{Key: "graph"}}}
	const unreadable = "spec.services[Planner]: the value of variable DYN_PARENT_DGD_K8S_NAME is not in the graph, or is no name, so the ServiceAccount of the planner " +
		"may read and scale this graph only; set the variable to a name, or run the planner as a ServiceAccount with the permissions that it needs"
	withAdapter := func(s *v1alpha1.Service) { s.ScalingAdapter = &v1alpha1.ScalingAdapter{Enabled: true} }
	cases := map[string]struct {
		reason       string
		components   []plantest.GraphChange
		orchestrator graphplan.Orchestrator
		want         []string
	}{
		"Both": {
			reason:       "Two that decide about one number contend for it.",
			components:   []plantest.GraphChange{planner, worker("worker", scaled)},
			orchestrator: graphplan.Deployment, want: []string{warning},
		},
		"Prefill": {
			reason:       "Every kind of worker is the planner's.",
			components:   []plantest.GraphChange{planner, worker("prefill", scaled)},
			orchestrator: graphplan.Grove, want: []string{warning},
		},
		"Claims": {
			reason:     "The planner does not read claims.",
			components: []plantest.GraphChange{planner, worker("worker", claimed)}, orchestrator: graphplan.Grove, want: []string{claims},
		},
		"ClaimsInConfiguration": {
			reason:     "The planner uses the numbers in its configuration where it reads none.",
			components: []plantest.GraphChange{configured, worker("worker", claimed)}, orchestrator: graphplan.Grove,
		},
		"ClaimsOfAnotherContainer": {
			reason:     "A claim that the engine does not use says nothing about its GPUs.",
			components: []plantest.GraphChange{planner, worker("worker", unused)}, orchestrator: graphplan.Grove,
		},
		"OtherGraph": {
			reason:     "The workers of this graph are nothing to the planner of another one.",
			components: []plantest.GraphChange{told(other), worker("worker", scaled)}, orchestrator: graphplan.Grove,
		},
		"OtherNamespace": {
			reason:     "A planner does not look into other namespaces, and may not.",
			components: []plantest.GraphChange{told(other, corev1.EnvVar{Name: "DYN_PARENT_DGD_K8S_NAMESPACE", Value: "batch"})}, orchestrator: graphplan.Grove,
			want: []string{"spec.services[Planner]: variable DYN_PARENT_DGD_K8S_NAMESPACE names namespace batch, but a planner reads and scales graphs of its own namespace, " +
				"and its ServiceAccount has no permission in others; create the planner in a graph of that namespace"},
		},
		"OwnNamespace": {
			reason:     "The namespace of the graph may be named.",
			components: []plantest.GraphChange{told(other, corev1.EnvVar{Name: "DYN_PARENT_DGD_K8S_NAMESPACE", Value: "inference"})}, orchestrator: graphplan.Grove,
		},
		"Unreadable": {
			reason:     "No permission can be given for a graph whose name is elsewhere.",
			components: []plantest.GraphChange{told(secret)}, orchestrator: graphplan.Grove, want: []string{unreadable},
		},
		"UnreadableWithAccount": {
			reason: "The user knows what an account of the user's own may do.",
			components: []plantest.GraphChange{plantest.Component("Planner", &v1alpha1.Service{
				ComponentType: v1alpha1.ComponentPlanner, Envs: []corev1.EnvVar{secret}, ExtraPodSpec: &v1alpha1.ExtraPodSpec{PodSpec: corev1.PodSpec{ServiceAccountName: "scaler"}},
			})}, orchestrator: graphplan.Grove,
		},
		"NotAPlanner": {
			reason:     "A service of another type does not scale what it is told.",
			components: []plantest.GraphChange{planner, worker("worker", func(s *v1alpha1.Service) { s.Envs = []corev1.EnvVar{secret} })}, orchestrator: graphplan.Grove,
		},
		"Together": {
			reason:     "What is scaled together has no numbers of its own.",
			components: []plantest.GraphChange{planner, worker("worker"), plantest.Annotated("dynamo.nvidia.com/scale-together", "Worker=1")}, orchestrator: graphplan.Grove,
			want: []string{"metadata.annotations[dynamo.nvidia.com/scale-together]: the planner of the graph scales each worker by itself, which has no effect on Worker; remove the annotation, or the planner"},
		},
		"NoPlanner": {
			reason:     "An autoscaler alone decides.",
			components: []plantest.GraphChange{worker("worker", scaled)}, orchestrator: graphplan.Grove,
		},
		"Adapter": {
			reason:     "The planner looks at the number in the graph, which an adapter does not change.",
			components: []plantest.GraphChange{planner, worker("decode", withAdapter)}, orchestrator: graphplan.Grove, want: []string{adapted},
		},
		"AdapterOfFrontend": {
			reason:     "The adapter of a service that the planner does not scale is for another client.",
			components: []plantest.GraphChange{planner, worker("frontend", withAdapter)}, orchestrator: graphplan.Grove,
		},
		"Off": {
			reason:     "An autoscaler that is off decides nothing.",
			components: []plantest.GraphChange{planner, worker("worker", off)}, orchestrator: graphplan.Grove,
		},
		"Frontend": {
			reason:     "The planner scales workers only.",
			components: []plantest.GraphChange{planner, worker("frontend", scaled)}, orchestrator: graphplan.Grove,
		},
		"SeveralNodesOnGrove": {
			reason:       "On Grove a service that spans nodes has an autoscaler as well.",
			components:   []plantest.GraphChange{planner, worker("worker", plantest.WithNodes(2), scaled)},
			orchestrator: graphplan.Grove, want: []string{warning},
		},
		"SeveralNodesOffGrove": {
			reason:     "Off Grove, a service that spans nodes has no autoscaler, and another warning says so.",
			components: []plantest.GraphChange{planner, worker("worker", plantest.WithNodes(2), scaled)}, orchestrator: graphplan.LeaderWorkerSet,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := graph.Decode(plantest.Request(plantest.Graph(tc.components...)))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tc.want, validate.PlannerWarnings(g, tc.orchestrator).Texts(g)); diff != "" {
				t.Errorf("%s\nvalidate.PlannerWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
