package backend

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
)

// portStride is how far the ports on the command line of a standby engine are from those of the active one.
const portStride = 100

// HasStandby reports whether an engine of this framework can stand by for another one. The others do not wait for the lock of the active
// engine.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/failover.go#L453
func HasStandby(f v1alpha1.BackendFramework) bool { return engine.Of(f).Nodes == engine.ByExecutor }

// ShiftPorts of a container that ConfigureContainer has configured, so that its engine can run beside another one with the same command
// line: the engines of a pod share its network. The first node of vLLM listens on its master port, and on one for its data-parallel engines.
// https://github.com/ai-dynamo/dynamo/blob/2a6da14c8/deploy/operator/internal/dynamo/failover_vllm.go#L39
func (t *Texts) ShiftPorts(c *corev1.Container, f v1alpha1.BackendFramework) {
	in := t.readInvocation(f, c)
	argv := slices.Clone(in.argv)
	for i, token := range argv {
		switch name, _, ok := splitFlag(token); {
		case isPort(name) && !ok && i+1 < len(argv):
			argv[i+1] = shifted(argv[i+1])
		default:
			argv[i] = writtenPort.ReplaceAllStringFunc(token, func(match string) string {
				digits := strings.LastIndexFunc(match, func(r rune) bool { return r < '0' || r > '9' }) + 1
				return match[:digits] + shifted(match[digits:])
			})
		}
	}
	if !slices.Equal(argv, in.argv) {
		in.assign(c, argv)
	}
	if _, given := t.PortFor(Rendezvous, c); !given && t.readInvocation(f, c).found {
		in = t.readInvocation(f, c)
		port, _ := strconv.Atoi(masterPort)
		in.inject(c, []flag{{name: "--master-port", value: literal(strconv.Itoa(port + portStride))}})
	}
}

// writtenPort is a flag of a port in a script, or with its value.
var writtenPort = regexp.MustCompile(`(?:--(?:master|data[-_]parallel[-_]rpc)[-_]port|-dpp)["']?(?:(?:[ \t]|\\\n)+|=)["']?[0-9]+`)

func isPort(name string) bool {
	for l := range listeners {
		if (l.purpose == Rendezvous || l.purpose == DataParallel) && l.hasFlag(name) {
			return true
		}
	}
	return false
}

// shifted port. Anything else is not changed.
func shifted(port string) string {
	n, err := strconv.Atoi(port)
	if err != nil {
		return port
	}
	return strconv.Itoa(n + portStride)
}

// NoStandby is the reason why an engine, in a container that ConfigureContainer has configured, cannot run a second time in its pod, with the remedy.
// It is empty if it can.
func NoStandby(c *corev1.Container, s Settings) string {
	if startsRay(c) {
		return "requires an engine without Ray, because only one of the engines of a pod can start it; set annotation " +
			"nvidia.com/vllm-distributed-executor-backend to mp, and remove what needs Ray from the command, such as --enable-elastic-ep"
	}
	if s.NodeCount < 2 {
		return ""
	}
	for flag, port := range given(s.Texts.commandWords(c), isPort) {
		if shifted(port) == port {
			return fmt.Sprintf("requires %s to be a number, because both engines of a pod would listen on the same port; write the number, or remove the flag", flag)
		}
	}
	return ""
}
