package backend

import (
	"fmt"
	"strings"
)

// Expression is a value that is only known inside the running pod, in the two languages in which it can be written
// there.
type Expression struct {
	// Argument is how a token of command or args says it: with $(VAR), which the kubelet replaces. Empty when only a
	// shell can compute the value.
	Argument string
	// Shell is how a shell says it. It holds no $(VAR), so that it also works where the kubelet does not look.
	Shell string
}

// literal is a value that needs nobody to expand it.
func literal(value string) Expression { return Expression{Argument: value, Shell: value} }

// withPort is the address of a port on a host.
func (e Expression) withPort(port string) Expression {
	if e.Argument != "" {
		e.Argument += ":" + port
	}
	e.Shell += ":" + port
	return e
}

// text is how a script that the kubelet expands before the shell runs says it.
func (e Expression) text() string {
	if e.Argument != "" {
		return e.Argument
	}
	return e.Shell
}

// Hosts is how the pods of one replica find each other under an orchestrator.
type Hosts interface {
	// Leader is the leader's host name.
	Leader() Expression
	// WorkerRank is the rank of this worker, from 1; the leader has rank 0.
	WorkerRank() Expression
	// All are the host names of the whole replica, the leader first.
	All(nodes int32) []Expression
	// AwaitNames reports whether the leader may start before its workers' names resolve.
	AwaitNames() bool
}

// GroveHosts are the hosts of a Grove PodCliqueScalingGroup whose cliques are <service>-ldr and <service>-wkr.
// https://github.com/ai-dynamo/grove: pods are called <podclique>-<index> in the headless Service of their replica.
type GroveHosts struct {
	// Service is the lower-cased name of the service.
	Service string
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

// AwaitNames implements Hosts: on Grove the leader clique of an engine that cares starts after its worker clique.
func (h GroveHosts) AwaitNames() bool { return false }

func (h GroveHosts) host(pod string) Expression {
	format := "%[1]sGROVE_PCSG_NAME%[2]s-%[1]sGROVE_PCSG_INDEX%[2]s-" + h.Service + "-" + pod + ".%[1]sGROVE_HEADLESS_SERVICE%[2]s"
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

// All implements Hosts. A worker's address is the leader's with the worker's index put before the first dot.
func (h LWSHosts) All(nodes int32) []Expression {
	all := []Expression{h.Leader()}
	for i := int32(1); i < nodes; i++ {
		all = append(all, Expression{Shell: fmt.Sprintf(`$(echo "$LWS_LEADER_ADDRESS" | sed 's/\./-%d\./')`, i)})
	}
	return all
}

// AwaitNames implements Hosts: a LeaderWorkerSet with startup policy LeaderCreated creates the workers after the leader.
func (LWSHosts) AwaitNames() bool { return true }

// joinText writes expressions one after the other for a script.
func joinText(all []Expression, separator string) string {
	texts := make([]string, 0, len(all))
	for _, e := range all {
		texts = append(texts, e.text())
	}
	return strings.Join(texts, separator)
}
