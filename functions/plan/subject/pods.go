package subject

import (
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// Roles of the pods of a component.
func Roles(g *graph.Graph, name string) []backend.Role {
	component := g.Component(name)
	var roles []backend.Role
	if component.RunsWeightServers() {
		roles = append(roles, backend.RoleWeights)
	}
	if component.IsMultinode() {
		return append(roles, backend.RoleLeader, backend.RoleWorker)
	}
	return append(roles, backend.RoleMain)
}

// Hosts is how a pod of a component with a role finds the others on an orchestrator. Of several workers it is the first.
func Hosts(g *graph.Graph, o graphplan.Orchestrator, component string, role backend.Role) backend.Hosts {
	if o != graphplan.Grove {
		return backend.LWSHosts{}
	}
	rank := int32(0)
	if role == backend.RoleWorker {
		rank = 1
	}
	return pod.HostsOnGrove(g.Component(component), rank)
}
