package backend

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// configureSGLang follows https://docs.sglang.ai/references/multi_node_deployment/multi_node.html.
func configureSGLang(c *corev1.Container, s Settings) []message.Text {
	rank := literal("0")
	if s.Role == RoleWorker {
		removeProbes(c)
		rank = s.Hosts.WorkerRank()
	}
	return injectOrWarn(s.Texts.readInvocation(s.Framework, c), c, []flag{
		{name: "--dist-init-addr", value: s.Hosts.Leader().withPort(masterPort)},
		{name: "--nnodes", value: literal(strconv.Itoa(int(s.NodeCount)))},
		{name: "--node-rank", value: rank},
	})
}
