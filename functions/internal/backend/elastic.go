package backend

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

const (
	// elasticFlag makes the data-parallel engines of vLLM elastic: their number changes while they run.
	elasticFlag = "enable-elastic-ep"
	// systemPort is where Dynamo's system server listens.
	systemPort = "9090"
)

// startElastic makes the leader the head of a Ray cluster and the workers its nodes. vLLM itself places its engines on them. A worker joins
// the cluster when the leader serves requests: if engines were placed on it earlier, they would take the GPUs that later engines need when
// vLLM scales up.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/backend_vllm.go#L463
func startElastic(in invocation, c *corev1.Container, s Settings) []string {
	if !in.found {
		return []string{in.notInjected("ray start")}
	}
	if s.Role == RoleWorker {
		in.assignScript(c, "/bin/sh", awaitServing(s.Hosts.Leader())+" && "+rayStart+"--address="+s.Hosts.Leader().withPort(rayPort).text()+" --block")
		return nil
	}
	head := rayStart + "--head --port=" + rayPort + " --block & " + awaitHead() + " &&"
	in.assignShell(c, "/bin/sh", head, head+" exec", nil)
	return nil
}

// awaitHead waits until the head of the Ray cluster listens on this node.
func awaitHead() string {
	return fmt.Sprintf(`i=0; until python3 -c "import socket; s=socket.create_connection(('127.0.0.1',%s),timeout=1); s.close()" 2>/dev/null; `+
		`do i=$((i+1)); [ "$i" -ge 150 ] && { echo "ERROR: Ray head did not start within 300s" >&2; exit 1; }; sleep 2; done`, rayPort)
}

// awaitServing waits until the engine of the leader serves requests.
func awaitServing(leader Expression) string {
	return fmt.Sprintf(`i=0; until python3 -c "import urllib.request; urllib.request.urlopen('http://%s/live', timeout=5)" 2>/dev/null; `+
		`do i=$((i+1)); [ "$i" -ge 720 ] && { echo "ERROR: leader /live did not become ready within 3h" >&2; exit 1; }; `+
		`echo 'waiting for leader dynamo.vllm /live to return 200...'; sleep 15; done`, leader.withPort(systemPort).text())
}
