package backend

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

const (
	// elasticFlag makes the data-parallel engines of vLLM elastic: their number changes while they run.
	elasticFlag = "enable-elastic-ep"
	// systemPort is where Dynamo's system server listens.
	systemPort = "9090"
	// envPodIP is where the head of a Ray cluster of one node listens, and envMasterIP where vLLM looks for it.
	envPodIP    = "POD_IP"
	envMasterIP = "VLLM_DP_MASTER_IP"
)

// startElastic makes the leader the head of a Ray cluster and the workers its nodes. vLLM itself places its engines on them. A worker joins
// the cluster when the leader serves requests: if engines were placed on it earlier, they would take the GPUs that later engines need when
// vLLM scales up.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/backend_vllm.go#L463
func startElastic(in invocation, c *corev1.Container, s Settings) {
	if !in.runsAfterRay(c) {
		return
	}
	if s.Role == RoleWorker {
		in.assignScript(c, "/bin/sh", awaitServing(s.Hosts.Leader().withPort(cmp.Or(s.Texts.awaitedPort(c, System, systemPort), systemPort)))+" && "+rayStart+"--address="+s.Hosts.Leader().withPort(rayPort).inScript()+" --block")
		return
	}
	head := rayStart + "--head --port=" + rayPort + " --block & " + awaitHead() + " &&"
	in.assignShell(c, "/bin/sh", head, head+" exec", nil)
}

// runsAfterRay reports whether Ray is to be started before the command of a container. A command that starts Ray by itself is not changed.
func (in invocation) runsAfterRay(c *corev1.Container) bool {
	return !startsRay(c) && (in.commandTokens > 0 || in.found)
}

// IsElasticHead reports whether the engine of one node is the head of a Ray cluster that other nodes join: vLLM only grows engines on Ray.
func (t *Texts) IsElasticHead(f v1alpha1.BackendFramework, c *corev1.Container) bool {
	if engine.Of(f).Nodes != engine.ByExecutor {
		return false
	}
	read := t.readShape(f, c)
	return read.elastic && read.onRay
}

// startElasticHead makes the only node the head of a Ray cluster. vLLM looks for the node of its master by an address that is that of the
// pod, so Ray registers under the same one.
func startElasticHead(in invocation, c *corev1.Container) {
	if !in.runsAfterRay(c) {
		return
	}
	head := rayStart + "--head --port=" + rayPort + ` --node-ip-address="$` + envPodIP + `" --block & ` + awaitHead() + " && exec"
	in.assignShell(c, "/bin/sh", head, head, nil)
	for _, name := range []string{envPodIP, envMasterIP} {
		appendEnv(c, corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}})
	}
}

// HidesElasticEngine reports whether an elastic engine is started by the entry point of its image. Ray has to run before the engine, and
// what the entry point runs is not known. Any command can be run after Ray instead.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/backend_vllm.go#L463
func HidesElasticEngine(c *corev1.Container, s Settings) bool {
	if engine.Of(s.Framework).Nodes != engine.ByExecutor || startsRay(c) || s.Texts.readInvocation(s.Framework, c).runsAfterRay(c) {
		return false
	}
	read := s.Texts.readShape(s.Framework, c)
	if s.multinode() {
		return read.span(s.GPULimit) == spanElastic
	}
	return s.Role == RoleMain && read.elastic && read.onRay
}

// awaitHead waits until the head of the Ray cluster listens on this node.
func awaitHead() string {
	return fmt.Sprintf(`i=0; until python3 -c "import socket; s=socket.create_connection(('127.0.0.1',%s),timeout=1); s.close()" 2>/dev/null; `+
		`do i=$((i+1)); [ "$i" -ge 150 ] && { echo "ERROR: Ray head did not start within 300s" >&2; exit 1; }; sleep 2; done`, rayPort)
}

// awaitServing waits until the engine of the leader, whose system server has an address, serves requests.
func awaitServing(server Expression) string {
	return fmt.Sprintf(`i=0; until python3 -c "import urllib.request; urllib.request.urlopen('http://%s/live', timeout=5)" 2>/dev/null; `+
		`do i=$((i+1)); [ "$i" -ge 720 ] && { echo "ERROR: leader /live did not become ready within 3h" >&2; exit 1; }; `+
		`echo 'waiting for leader dynamo.vllm /live to return 200...'; sleep 15; done`, server.inScript())
}
