package backend

import (
	"cmp"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// configureSGLang follows https://docs.sglang.ai/references/multi_node_deployment/multi_node.html.
func configureSGLang(c *corev1.Container, s Settings) []message.Text {
	in, rank := s.Texts.readInvocation(s.Framework, c), literal("0")
	if s.Role == RoleWorker {
		removeProbes(c)
		rank = s.Hosts.WorkerRank()
	}
	port, warnings := masterPort, []message.Text(nil)
	// In a script, the address of the user comes later, and counts.
	if told, given := s.Texts.PortFor(Rendezvous, c); given && in.found && in.script < 0 {
		if port = cmp.Or(told.known(), masterPort); told.Number == 0 {
			warnings = append(warnings, message.Format("the port in the value of %s is not in the graph, so the nodes meet on port %s; write the port as a number", told.Place, masterPort))
		}
	}
	return append(warnings, injectOrWarn(in, c, []flag{
		{name: "--dist-init-addr", also: "--nccl-init-addr", value: s.Hosts.Leader().withPort(port)},
		{name: "--nnodes", value: literal(strconv.Itoa(int(s.NodeCount)))},
		{name: "--node-rank", value: rank, perNode: true},
	})...)
}
