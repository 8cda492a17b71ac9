package names

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Graph derives the names of a graph's objects from the name of the DynamoGraphDeployment.
type Graph string

// PodCliqueSet of the graph.
func (g Graph) PodCliqueSet() string { return string(g) }

// GroveService is the headless Service that Grove makes for the pods of the graph.
func (g Graph) GroveService() string { return g.PodCliqueSet() + "-0" }

// Component is the base name of everything that belongs to one service, and the value of its selector label.
func (g Graph) Component(service string) string { return string(g) + "-" + Lower(service) }

// Replica i of a multinode service: its LeaderWorkerSet and its gang.
func (g Graph) Replica(service string, i int32) string {
	return g.Component(service) + "-" + strconv.FormatInt(int64(i), 10)
}

// Replicas is the helper that scales a live service.
func (g Graph) Replicas(service string) string { return g.Component(service) + "-replicas" }

// Service of a service. Dots of the graph's name become dashes: the name of a Service is a DNS label.
func (g Graph) Service(service string) string { return dashes(g.Component(service)) }

// ModelService is the headless Service over all pods that serve a model. In the name of a Service there is not room for every
// graph's: of a long one it has the beginning, and a hash that tells it from others.
func (g Graph) ModelService(model string) string {
	name, suffix := dashes(string(g)), "-model-"+ModelHash(model)
	if most := validation.DNS1035LabelMaxLength - len(suffix); len(name) > most {
		name = name[:most-len("-")-hashLength] + "-" + hash(string(g))
	}
	return name + suffix
}

// DiscoveryServiceAccount of the pods.
func (g Graph) DiscoveryServiceAccount() string { return string(g) + "-k8s-service-discovery" }

// DiscoveryRole of the discovery ServiceAccount.
func (g Graph) DiscoveryRole() string { return g.DiscoveryServiceAccount() + "-role" }

// DiscoveryRoleBinding of the discovery ServiceAccount.
func (g Graph) DiscoveryRoleBinding() string { return g.DiscoveryServiceAccount() + "-binding" }

// Planner is the name of the planner's ServiceAccount, Role and RoleBinding.
func (g Graph) Planner() string { return string(g) + "-planner" }

// EPP is the name of the Endpoint Picker's ServiceAccount, Role and RoleBinding.
func (g Graph) EPP() string { return string(g) + "-epp" }

// EPPConfigMap holds the configuration of the Endpoint Picker.
func (g Graph) EPPConfigMap() string { return string(g) + "-epp-config" }

// ClaimTemplate of the claims with which the containers of a service's pod share its GPUs.
func (g Graph) ClaimTemplate(service string) string { return g.Component(service) + "-gpu" }

// InferencePool of the graph.
func (g Graph) InferencePool() string { return string(g) + "-pool" }

// WaitForLeader is the ConfigMap of the script with which workers wait for their leader.
func (g Graph) WaitForLeader() string { return string(g) + "-wait-leader-script" }

// Revision of the graph whose content has a hash.
func (g Graph) Revision(hash string) string { return string(g) + "-" + hash }

// SSHSecret holds the MPI key pair.
func (g Graph) SSHSecret() string { return "mpirun-ssh-key-" + string(g) }

// DynamoNamespace of the graph's services.
func (g Graph) DynamoNamespace(namespace string) string { return dashes(namespace + "-" + string(g)) }

// GlobalDynamoNamespace is shared by all services that ask for it.
const GlobalDynamoNamespace = "dynamo"

// Clique of a single-node service.
func Clique(service string) string { return Lower(service) }

// LeaderClique of a multinode service.
func LeaderClique(service string) string { return Lower(service) + "-ldr" }

// WorkerClique of a multinode service.
func WorkerClique(service string) string { return Lower(service) + "-wkr" }

// GroveChild is the PodClique of a single-node service, or the PodCliqueScalingGroup of a multinode one, in the only
// replica of the PodCliqueSet.
func (g Graph) GroveChild(service string) string { return g.PodCliqueSet() + "-0-" + Clique(service) }

func dashes(name string) string { return strings.ReplaceAll(name, ".", "-") }
