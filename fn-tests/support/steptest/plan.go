package steptest

import (
	"encoding/json"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// Plan of this version and of this release, JSON.
func Plan(t *testing.T, p graphplan.Plan) string {
	t.Helper()
	p.Version, p.Release = graphplan.Version, compatibility.Development
	if p.Services == nil {
		p.Services = map[string]graphplan.Service{}
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// A Change of a plan.
type Change func(*graphplan.Plan)

// PlanOnGrove is a plan of services on Grove.
func PlanOnGrove(services map[string]graphplan.Service, changes ...Change) graphplan.Plan {
	return changed(graphplan.Plan{
		Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{TerminationDelay: "15m0s"}, Services: services,
	}, changes)
}

// OnGrove is PlanOnGrove as JSON.
func OnGrove(t *testing.T, services map[string]graphplan.Service, changes ...Change) string {
	t.Helper()
	return Plan(t, PlanOnGrove(services, changes...))
}

// PlanOnLeaderWorkerSets is a plan of services on LeaderWorkerSets.
func PlanOnLeaderWorkerSets(gang graphplan.Gang, services map[string]graphplan.Service, changes ...Change) graphplan.Plan {
	return changed(graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, LWS: graphplan.LWSPlan{Gang: gang}, Services: services}, changes)
}

// OnLeaderWorkerSets is PlanOnLeaderWorkerSets as JSON.
func OnLeaderWorkerSets(t *testing.T, gang graphplan.Gang, services map[string]graphplan.Service, changes ...Change) string {
	t.Helper()
	return Plan(t, PlanOnLeaderWorkerSets(gang, services, changes...))
}

// PlanOnDeployments is a plan of services on Deployments.
func PlanOnDeployments(services map[string]graphplan.Service, changes ...Change) graphplan.Plan {
	return changed(graphplan.Plan{Orchestrator: graphplan.Deployment, Services: services}, changes)
}

// OnDeployments is PlanOnDeployments as JSON.
func OnDeployments(t *testing.T, services map[string]graphplan.Service, changes ...Change) string {
	t.Helper()
	return Plan(t, PlanOnDeployments(services, changes...))
}

func changed(p graphplan.Plan, changes []Change) graphplan.Plan {
	p.Version, p.Release = graphplan.Version, compatibility.Development
	for _, change := range changes {
		change(&p)
	}
	return p
}

// Services without a backend, with this discovery backend.
func Services(discovery string, names ...string) map[string]graphplan.Service {
	services := map[string]graphplan.Service{}
	for _, name := range names {
		services[name] = graphplan.Service{Discovery: discovery, DynamoNamespace: "inference-llama"}
	}
	return services
}

// ByPodGroup is a gang by a PodGroup that the chain composes.
func ByPodGroup() graphplan.Gang {
	return graphplan.Gang{Provider: graphplan.GangPodGroup, SchedulerName: graphplan.VolcanoScheduler, Queue: "team-a"}
}

// ByOperator is a gang by a PodGroup of the LWS operator.
func ByOperator() graphplan.Gang {
	return graphplan.Gang{Provider: graphplan.GangLWS, SchedulerName: graphplan.VolcanoScheduler, Queue: "team-a"}
}

// ByKubernetes is a gang by a PodGroup of Kubernetes that the chain composes.
func ByKubernetes() graphplan.Gang {
	return graphplan.Gang{Provider: graphplan.GangKubernetes, SchedulerName: graphplan.KubernetesScheduler}
}

// ByKAI is a gang of the KAI scheduler.
func ByKAI() graphplan.Gang {
	return graphplan.Gang{Provider: graphplan.GangKAI, SchedulerName: graphplan.KAIScheduler, Queue: "dynamo"}
}
