package steptest

import "strings"

// Gangs of a plan, JSON, by what makes them.
const (
	ByPodGroup = `{"provider":"PodGroup","schedulerName":"volcano","queue":"team-a"}`
	ByOperator = `{"provider":"LWS","schedulerName":"volcano","queue":"team-a"}`
	ByKAI      = `{"provider":"KAI","schedulerName":"kai-scheduler","queue":"dynamo"}`
)

// PlanOnLWS is a plan, JSON, that runs services without a backend on LeaderWorkerSets, with further fields.
func PlanOnLWS(gang, fields string, services ...string) string {
	var decided []string
	for _, name := range services {
		decided = append(decided, `"`+name+`":{"discovery":"etcd","dynamoNamespace":"inference-llama"}`)
	}
	return `{"version":2,"release":"development","orchestrator":"LeaderWorkerSet","lws":{"gang":` + gang + `},"totalGPUs":0` + fields +
		`,"services":{` + strings.Join(decided, ",") + `}}`
}

// TwoNodes is a spec, JSON, of one service of two nodes, with further fields.
func TwoNodes(fields string) string {
	return `{"services":{"Worker":{"multinode":{"nodeCount":2}` + fields + `}}}`
}
