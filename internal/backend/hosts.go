package backend

import (
	"fmt"
	"strconv"
	"strings"
)

// Expression is a value that is only known inside the running pod, in the two languages in which it can be written.
type Expression struct {
	// Argument is the value as a token of command or args, with $(VAR), which the kubelet expands. It is empty if only a shell can compute
	// the value.
	Argument string
	// Shell is the value in a shell. It does not contain $(VAR), so it also works where the kubelet does not expand references.
	Shell string
}

// literal is a value that needs no expansion.
func literal(value string) Expression { return Expression{Argument: value, Shell: value} }

// withPort is the address of a port on a host.
func (e Expression) withPort(port string) Expression {
	if e.Argument != "" {
		e.Argument += ":" + port
	}
	e.Shell += ":" + port
	return e
}

// inScript is the value in a script that the kubelet expands before the shell runs.
func (e Expression) inScript() string {
	if e.Argument != "" {
		return e.Argument
	}
	return e.Shell
}

// Hosts determines how the pods of a replica find each other under an orchestrator.
type Hosts interface {
	// Leader is the host name of the leader.
	Leader() Expression
	// WorkerRank is the rank of this worker, starting at 1. The leader has rank 0.
	WorkerRank() Expression
	// All are the host names of the pods of the replica, starting with the leader.
	All(nodes int32) []Expression
	// AwaitNames reports whether the leader can start before the names of its workers resolve.
	AwaitNames() bool
}

// GroveHosts are the hosts of a Grove PodCliqueScalingGroup with cliques <component>-ldr and <component>-wkr. Pods are named
// <podclique>-<index>, in the headless Service of their replica.
// https://github.com/ai-dynamo/grove
type GroveHosts struct {
	// Component is the lowercase name of the component.
	Component string
}

// RankHosts are the hosts of a Grove PodCliqueScalingGroup with weight servers: each node has a clique of its own, <component>-ldr or
// <component>-wkr-<rank>, with a pod for each engine. The pods with the same index form one engine.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/grove.go#L54
type RankHosts struct {
	// Component is the lowercase name of the component.
	Component string
	// Rank of the node.
	Rank int32
}

// Leader implements Hosts.
func (h RankHosts) Leader() Expression { return h.host("ldr") }

// WorkerRank implements Hosts.
func (h RankHosts) WorkerRank() Expression { return literal(strconv.Itoa(int(h.Rank))) }

// All implements Hosts.
func (h RankHosts) All(nodes int32) []Expression {
	all := []Expression{h.Leader()}
	for rank := int32(1); rank < nodes; rank++ {
		all = append(all, h.host(fmt.Sprintf("wkr-%d", rank)))
	}
	return all
}

// AwaitNames implements Hosts.
func (h RankHosts) AwaitNames() bool { return false }

func (h RankHosts) host(clique string) Expression {
	const format = "%[1]sGROVE_PCSG_NAME%[2]s-%[1]sGROVE_PCSG_INDEX%[2]s-%[3]s-%[4]s-%[1]sGROVE_PCLQ_POD_INDEX%[2]s.%[1]sGROVE_HEADLESS_SERVICE%[2]s"
	return Expression{Argument: fmt.Sprintf(format, "$(", ")", h.Component, clique), Shell: fmt.Sprintf(format, "${", "}", h.Component, clique)}
}

// Leader implements Hosts.
func (h GroveHosts) Leader() Expression { return h.host("ldr-0") }

// WorkerRank implements Hosts. Grove counts the workers from 0, and only a shell can add 1.
func (h GroveHosts) WorkerRank() Expression {
	return Expression{Shell: "$((GROVE_PCLQ_POD_INDEX + 1))"}
}

// All implements Hosts.
func (h GroveHosts) All(nodes int32) []Expression {
	all := []Expression{h.Leader()}
	for i := range nodes - 1 {
		all = append(all, h.host(fmt.Sprintf("wkr-%d", i)))
	}
	return all
}

// AwaitNames implements Hosts. On Grove, the leader starts after its workers if the engine requires it.
func (h GroveHosts) AwaitNames() bool { return false }

func (h GroveHosts) host(pod string) Expression {
	format := "%[1]sGROVE_PCSG_NAME%[2]s-%[1]sGROVE_PCSG_INDEX%[2]s-" + h.Component + "-" + pod + ".%[1]sGROVE_HEADLESS_SERVICE%[2]s"
	return Expression{Argument: fmt.Sprintf(format, "$(", ")"), Shell: fmt.Sprintf(format, "${", "}")}
}

// LWSHosts are the hosts of one group of a LeaderWorkerSet.
// https://lws.sigs.k8s.io/docs/reference/labels-annotations-and-environment-variables/
type LWSHosts struct{}

// Leader implements Hosts.
func (LWSHosts) Leader() Expression {
	return Expression{Argument: "$(LWS_LEADER_ADDRESS)", Shell: "${LWS_LEADER_ADDRESS}"}
}

// WorkerRank implements Hosts.
func (LWSHosts) WorkerRank() Expression {
	return Expression{Argument: "$(LWS_WORKER_INDEX)", Shell: "${LWS_WORKER_INDEX}"}
}

// All implements Hosts. The address of a worker is that of the leader with the index of the worker before the first dot.
func (h LWSHosts) All(nodes int32) []Expression {
	all := []Expression{h.Leader()}
	for i := int32(1); i < nodes; i++ {
		all = append(all, Expression{Shell: fmt.Sprintf(`$(echo "$LWS_LEADER_ADDRESS" | sed 's/\./-%d\./')`, i)})
	}
	return all
}

// AwaitNames implements Hosts. A LeaderWorkerSet with startup policy LeaderCreated creates the workers after the leader.
func (LWSHosts) AwaitNames() bool { return true }

// joinText joins expressions in a script.
func joinText(all []Expression, separator string) string {
	texts := make([]string, 0, len(all))
	for _, e := range all {
		texts = append(texts, e.inScript())
	}
	return strings.Join(texts, separator)
}
