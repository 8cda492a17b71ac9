package api

import (
	"slices"
	"strings"
)

// A mistake is an edit of the graph that is refused.
type mistake struct {
	edit

	// want is the beginning of the message. If it begins with a kind of error, the message is about the edited field.
	want string
}

// message is the beginning of the message about a mistake.
func (m *mistake) message() string {
	for _, kind := range []string{"Forbidden: ", "Invalid value: ", "Required value: ", "Too many: ", "Unsupported value: "} {
		if strings.HasPrefix(m.want, kind) {
			return m.field + ": " + m.want
		}
	}
	return m.want
}

// A dependence of two mistakes prevents the message about one of them, or changes it.
type dependence struct {
	reason string

	// of is how the dependent edits begin, as "field = value", and on how those begin that they depend on. A line end stands
	// after the value.
	of, on []string
}

func (d *dependence) between(a, b *mistake) bool {
	return begins(a.edit, d.of) && begins(b.edit, d.on) || begins(b.edit, d.of) && begins(a.edit, d.on)
}

func begins(e edit, with []string) bool {
	return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(e.String()+"\n", prefix) })
}

// dependences of mistakes. All other mistakes are independent.
func dependences() []dependence {
	return []dependence{
		{
			reason: "The message about a long namespace names the graph.",
			of:     []string{"metadata.namespace"}, on: []string{"metadata.name"},
		},
		{
			reason: "The annotation stands in two places, and a difference between the two is reported.",
			of:     []string{"spec.annotations[grove.io/auto-mnnvl]"}, on: []string{"metadata.annotations[grove.io/auto-mnnvl]"},
		},
		{
			reason: "Which services an order has to name, and which have the same scheduler, depends on the services that there are.",
			of:     []string{"spec.services[New", "spec.services[new", "spec.services[frontend]", "spec.services[worker-0]", "spec.services[Planner] = "},
			on:     []string{"spec.restart.strategy", "spec.services[Frontend].extraPodSpec.schedulerName"},
		},
		{
			reason: "Whether a name is that of a domain depends on the topology, which is not known.",
			of:     []string{"spec.topologyConstraint.topologyProfile"},
			on: []string{
				"metadata.annotations[nvidia.com/topology-preferred-domain]", "spec.topologyConstraint.packDomain",
				"spec.services[Worker].topologyConstraint", "spec.services[Frontend].topologyConstraint",
			},
		},
		{
			reason: "The command is compared with the framework that is declared.",
			of:     []string{"spec.services[Shared].extraPodSpec.mainContainer.command"}, on: []string{"spec.backendFramework"},
		},
		{
			reason: "Only a worker has an engine, whose GPUs can be shared.",
			of:     []string{"spec.services[Shared].componentType = frontend"},
			on:     []string{"spec.services[Shared].resources.limits.gpu", "spec.services[Shared].extraPodSpec.mainContainer.command"},
		},
		{
			reason: "The least number of replicas is compared with that of all.",
			of:     []string{"spec.services[Worker].minAvailable = 3"}, on: []string{"spec.services[Worker].replicas"},
		},
		{
			reason: "The name of a LeaderWorkerSet ends in the number of its replica.",
			of:     []string{"metadata.name = a-graph-with-a-name"},
			on:     []string{"spec.services[Worker].replicas", "spec.services[Worker].multinode", "spec.services[Picker].multinode"},
		},
		{
			reason: "A service of one node has no LeaderWorkerSet.",
			of:     []string{"spec.services[Worker].multinode.nodeCount = 1\n", "spec.services[Worker].multinode = "},
			on: []string{
				"metadata.annotations[scheduling.volcano.sh/queue-name]", "spec.services[worker-0]", "spec.services[Worker].replicas = 90000",
				"spec.services[Worker].annotations", "spec.services[Picker].multinode", "spec.services[Worker].multinode.worker",
			},
		},
		{
			reason: "Whether pods would get a domain depends on the GPUs that they ask for.",
			of:     []string{"metadata.annotations[grove.io/auto-mnnvl] = enabled", "spec.services[Worker].annotations[grove.io/auto-mnnvl]"},
			on:     []string{"spec.services[Worker].resources.limits.gpuType", "spec.services[Frontend].gpuMemoryService"},
		},
		{
			reason: "The message about GPUs that are shared names their class.",
			of:     []string{"spec.services[Shared].resources.limits.gpu"}, on: []string{"spec.services[Shared].gpuMemoryService.deviceClassName"},
		},
		{
			reason: "The message about too many objects names the largest services.",
			of:     []string{"spec.services[Worker].replicas = 90000"}, on: []string{"spec.services[Picker].multinode"},
		},
		{
			reason: "A request is compared with its limit.",
			of:     []string{"spec.services[Worker].resources.requests.gpu"}, on: []string{"spec.services[Worker].resources.limits.gpu"},
		},
	}
}
