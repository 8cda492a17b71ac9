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
	if p.Components == nil {
		p.Components = map[string]graphplan.Component{}
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// A Change of a plan.
type Change func(*graphplan.Plan)

// PlanOnGrove is a plan of components on Grove.
func PlanOnGrove(components map[string]graphplan.Component, changes ...Change) graphplan.Plan {
	return changed(graphplan.Plan{
		Orchestrator: graphplan.Grove, Grove: &graphplan.GrovePlan{TerminationDelay: "15m0s"}, Components: components,
	}, changes)
}

// OnGrove is PlanOnGrove as JSON.
func OnGrove(t *testing.T, components map[string]graphplan.Component, changes ...Change) string {
	t.Helper()
	return Plan(t, PlanOnGrove(components, changes...))
}

// PlanOnLeaderWorkerSets is a plan of components on LeaderWorkerSets.
func PlanOnLeaderWorkerSets(gang graphplan.Gang, components map[string]graphplan.Component, changes ...Change) graphplan.Plan {
	return changed(graphplan.Plan{Orchestrator: graphplan.LeaderWorkerSet, LWS: graphplan.LWSPlan{Gang: gang}, Components: components}, changes)
}

// OnLeaderWorkerSets is PlanOnLeaderWorkerSets as JSON.
func OnLeaderWorkerSets(t *testing.T, gang graphplan.Gang, components map[string]graphplan.Component, changes ...Change) string {
	t.Helper()
	return Plan(t, PlanOnLeaderWorkerSets(gang, components, changes...))
}

// PlanOnDeployments is a plan of components on Deployments.
func PlanOnDeployments(components map[string]graphplan.Component, changes ...Change) graphplan.Plan {
	return changed(graphplan.Plan{Orchestrator: graphplan.Deployment, Components: components}, changes)
}

// OnDeployments is PlanOnDeployments as JSON.
func OnDeployments(t *testing.T, components map[string]graphplan.Component, changes ...Change) string {
	t.Helper()
	return Plan(t, PlanOnDeployments(components, changes...))
}

func changed(p graphplan.Plan, changes []Change) graphplan.Plan {
	p.Version, p.Release = graphplan.Version, compatibility.Development
	for _, change := range changes {
		change(&p)
	}
	return p
}

// Components without a backend, with this discovery backend.
func Components(discovery string, names ...string) map[string]graphplan.Component {
	components := map[string]graphplan.Component{}
	for _, name := range names {
		components[name] = graphplan.Component{Discovery: discovery, DynamoNamespace: "inference-llama"}
	}
	return components
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
