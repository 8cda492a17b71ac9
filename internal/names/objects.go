package names

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Graph derives the names of a graph's objects from the name of the DynamoGraphDeployment. Objects that the graph has adopted have their
// own names.
type Graph struct {
	name     string
	adoption Adoption
}

// Of a graph of this name.
func Of(name string, adoption Adoption) Graph { return Graph{name: name, adoption: adoption} }

// Adoption contains the names that another controller has given to objects which a graph has adopted. All other names are derived from the
// name of the graph.
type Adoption struct {
	// PodCliqueSet of the graph. It is empty if it is called as the graph.
	PodCliqueSet string `json:"podCliqueSet,omitempty"`

	// Components are their base names, by the lower-cased names in the graph.
	Components map[string]string `json:"components,omitempty"`

	// Sets are the components, lower-cased and sorted, of which all replicas run in one LeaderWorkerSet.
	Sets []string `json:"sets,omitempty"`
}

// IsZero reports whether all names are derived from the name of the graph.
func (a *Adoption) IsZero() bool {
	return a.PodCliqueSet == "" && len(a.Components) == 0 && len(a.Sets) == 0
}

// PodCliqueSet of the graph.
func (g Graph) PodCliqueSet() string { return cmp.Or(g.adoption.PodCliqueSet, g.name) }

// GroveService is the headless Service that Grove makes for the pods of the graph.
func (g Graph) GroveService() string { return g.PodCliqueSet() + "-0" }

// Component is the base name of what runs one component and leads to it, and the value of its selector label.
func (g Graph) Component(component string) string {
	return cmp.Or(g.adoption.Components[Lower(component)], g.Plain(component))
}

// Plain is the base name of a component that the graph has not adopted.
func (g Graph) Plain(component string) string { return g.name + "-" + Lower(component) }

// ScalingAdapter of a component.
func (g Graph) ScalingAdapter(component string) string { return g.Plain(component) }

// InOneSet reports whether all replicas of a multinode component run in one LeaderWorkerSet, which is called as that of replica 0. The Dynamo
// operator makes such sets since May 2026, and their pods cannot move to other sets without a restart.
// https://github.com/ai-dynamo/dynamo/pull/5468
func (g Graph) InOneSet(component string) bool {
	return slices.Contains(g.adoption.Sets, Lower(component))
}

// Replica i of a multinode component: its LeaderWorkerSet and its gang.
func (g Graph) Replica(component string, i int32) string {
	return g.Component(component) + "-" + strconv.FormatInt(int64(i), 10)
}

// Replicas is the helper that scales a live component.
func (g Graph) Replicas(component string) string { return g.Component(component) + "-replicas" }

// Service of a component. Dots of the graph's name become dashes: the name of a Service is a DNS label.
func (g Graph) Service(component string) string { return dashes(g.Component(component)) }

// RayService is the headless Service by which nodes join the engine of a component. A name that is too long is cut as the Dynamo operator
// does it, because the nodes derive it too.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/graph.go#L980
func (g Graph) RayService(component string) string {
	name := g.Service(component) + "-ray"
	if len(name) <= validation.DNS1035LabelMaxLength {
		return name
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	suffix := fmt.Sprintf("-%04x", sum.Sum32()&0xffff)
	return name[:validation.DNS1035LabelMaxLength-len(suffix)] + suffix
}

// ModelService is the headless Service over all pods that serve a model. In the name of a Service there is not room for every
// graph's: of a long one it has the beginning, and a hash that tells it from others.
func (g Graph) ModelService(model string) string {
	name, suffix := dashes(g.name), "-model-"+ModelHash(model)
	if most := validation.DNS1035LabelMaxLength - len(suffix); len(name) > most {
		name = name[:most-len("-")-hashLength] + "-" + hash(g.name)
	}
	return name + suffix
}

// DiscoveryServiceAccount of the pods.
func (g Graph) DiscoveryServiceAccount() string { return g.name + "-k8s-service-discovery" }

// DiscoveryRole of the discovery ServiceAccount.
func (g Graph) DiscoveryRole() string { return g.DiscoveryServiceAccount() + "-role" }

// DiscoveryRoleBinding of the discovery ServiceAccount.
func (g Graph) DiscoveryRoleBinding() string { return g.DiscoveryServiceAccount() + "-binding" }

// Planner is the name of the planner's ServiceAccount, Role and RoleBinding.
func (g Graph) Planner() string { return g.name + "-planner" }

// EPP is the name of the Endpoint Picker's ServiceAccount, Role and RoleBinding.
func (g Graph) EPP() string { return g.name + "-epp" }

// EPPConfigMap holds the configuration of the Endpoint Picker.
func (g Graph) EPPConfigMap() string { return g.name + "-epp-config" }

// ClaimTemplate of the claims with which the containers of a component's pod share its GPUs.
func (g Graph) ClaimTemplate(component string) string { return g.Plain(component) + "-gpu" }

// InferencePool of the graph.
func (g Graph) InferencePool() string { return g.name + "-pool" }

// WaitForLeader is the ConfigMap of the script with which workers wait for their leader.
func (g Graph) WaitForLeader() string { return g.name + "-wait-leader-script" }

// Revision of the graph whose content has a hash.
func (g Graph) Revision(hash string) string { return g.name + "-" + hash }

// SSHSecret holds the MPI key pair.
func (g Graph) SSHSecret() string { return "mpirun-ssh-key-" + g.name }

// DynamoNamespace of the graph's components.
func (g Graph) DynamoNamespace(namespace string) string { return dashes(namespace + "-" + g.name) }

// GlobalDynamoNamespace is shared by all components that ask for it.
const GlobalDynamoNamespace = "dynamo"

// IsPlain reports whether a text that a user has written into a variable consists of letters, digits, dashes, dots and underscores, as the names of
// Dynamo namespaces and of settings do. Others may contain a password, and belong neither into the status nor into messages, which more people read
// than the spec.
func IsPlain(text string) bool {
	other := func(r rune) bool {
		return !strings.ContainsRune("-._", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}
	return text != "" && len(text) <= validation.DNS1123SubdomainMaxLength && !strings.ContainsFunc(text, other)
}

// Clique of a single-node component.
func Clique(component string) string { return Lower(component) }

// LeaderClique of a multinode component.
func LeaderClique(component string) string { return Lower(component) + "-ldr" }

// WorkerClique of a multinode component.
func WorkerClique(component string) string { return Lower(component) + "-wkr" }

// WeightClique of the weight server of a node, by its rank. Such a component also has a RankClique for each node but the first.
func WeightClique(component string, rank int32) string {
	return weightCliques(component) + strconv.FormatInt(int64(rank), 10)
}

func weightCliques(component string) string { return Lower(component) + "-gms-" }

// IsWeightClique reports whether a clique is that of a weight server of a component.
func IsWeightClique(component, clique string) bool {
	rank, ok := strings.CutPrefix(clique, weightCliques(component))
	_, err := strconv.ParseUint(rank, 10, 31)
	return ok && err == nil
}

// RankClique of the engines on a node other than the first, by its rank.
func RankClique(component string, rank int32) string {
	return WorkerClique(component) + "-" + strconv.FormatInt(int64(rank), 10)
}

// GPUClaimOfRank is the template of the claim for the GPUs of a node, by its rank, within a PodCliqueSet.
func GPUClaimOfRank(component string, rank int32) string {
	return Lower(component) + "-gpu-rank-" + strconv.FormatInt(int64(rank), 10)
}

// GroveChild is the PodClique of a single-node component, or the PodCliqueScalingGroup of another one, in the only
// replica of the PodCliqueSet.
func (g Graph) GroveChild(component string) string {
	return g.PodCliqueSet() + "-0-" + Clique(component)
}

func dashes(name string) string { return strings.ReplaceAll(name, ".", "-") }
