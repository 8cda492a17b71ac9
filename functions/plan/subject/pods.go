package subject

import (
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
)

// Roles of the pods of a service.
func Roles(service *v1alpha1.Service) []backend.Role {
	if pod.IsMultinode(service) {
		return []backend.Role{backend.RoleLeader, backend.RoleWorker}
	}
	return []backend.Role{backend.RoleMain}
}

// Hosts is how pods of a service find each other on an orchestrator.
func Hosts(o graphplan.Orchestrator, service string) backend.Hosts {
	if o == graphplan.Grove {
		return backend.GroveHosts{Service: names.Lower(service)}
	}
	return backend.LWSHosts{}
}
