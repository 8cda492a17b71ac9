package backend

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// completeRole adds what a command that connects the nodes leaves to its surroundings: the port on which processes of vLLM meet, the key pair of
// MPI, and the probe of its server, which the command of a worker starts. A node without requests keeps the probes that its user has written.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/kubernetes/guides/multinode.mdx
func completeRole(c *corev1.Container, s Settings) {
	switch engine.Of(s.Framework).Nodes {
	case engine.ByExecutor:
		if s.Executor != ExecutorMP {
			return
		}
		announcePod(c)
		in, read := s.Texts.readInvocation(s.Framework, c), s.Texts.readShape(s.Framework, c)
		if _, given := s.Texts.PortFor(Rendezvous, c); !given && in.found && read.span(s.GPULimit) == spanWorld {
			in.inject(c, []flag{{name: "--master-port", value: literal(masterPort)}})
		}
	case engine.ByRank:
		// Its command names the leader and the rank.
	case engine.ByMPI:
		mountSSH(c)
		if s.Role == RoleWorker && c.ReadinessProbe == nil {
			c.ReadinessProbe = sshProbe()
		}
	}
}
