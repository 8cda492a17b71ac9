package contract

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// module of Dynamo that a process runs. Empty: it is another program.
func (p *wiredProcess) module() string {
	for i, word := range p.argv {
		if !strings.HasPrefix(word, "dynamo.") || i == 0 || !strings.HasSuffix(p.argv[i-1], "m") || strings.Contains(word, ".utils.") {
			continue
		}
		// Early releases had modules for each kind of worker.
		for _, engine := range []string{"dynamo.vllm", "dynamo.sglang", "dynamo.trtllm"} {
			if strings.HasPrefix(word, engine) {
				return engine
			}
		}
		return word
	}
	return ""
}

func (p *wiredProcess) is(program string) bool { return path.Base(p.argv[0]) == program }

// flag as argparse reads it: the last one counts, and a name may be cut where no other flag begins alike.
func (p *wiredProcess) flag(shortest int, names ...string) (value string, given bool) {
	for i, word := range p.argv {
		name, joined, hasValue := strings.Cut(word, "=")
		if !strings.HasPrefix(name, "-") {
			continue
		}
		name = strings.ReplaceAll(name, "_", "-")
		if !slices.ContainsFunc(names, func(full string) bool {
			return name == full || len(name) >= shortest && strings.HasPrefix(full, name) && strings.HasPrefix(full, "--")
		}) {
			continue
		}
		switch given = true; {
		case hasValue:
			value = joined
		case i+1 < len(p.argv):
			value = p.argv[i+1]
		}
	}
	return value, given
}

func (p *wiredProcess) has(names ...string) bool {
	_, given := p.flag(100, names...)
	return given
}

// registers as an instance that gets requests.
func (p *wiredProcess) registers() bool {
	rank, _ := p.flag(100, "--node-rank", "-r")
	switch module := p.module(); {
	case p.remote || module == "" || module == "dynamo.frontend" || module == "dynamo.planner":
		return false
	case module == "dynamo.vllm":
		return !p.has("--headless")
	case module == "dynamo.sglang":
		return rank == "" || rank == "0"
	default:
		return true
	}
}

// listening is where a process listens, by what for. A text that is no number is not known.
func (p *wiredProcess) listening() map[string]string {
	ports := map[string]string{}
	variable := func(purpose, name, otherwise string) {
		value, ok := p.env[name]
		if !ok {
			value = otherwise
		}
		if value != "" && value != "0" && value != "-1" {
			ports[purpose] = value
		}
	}
	byFlag := func(purpose, otherwise string, shortest int, names ...string) {
		if value, given := p.flag(shortest, names...); given {
			ports[purpose] = value
		} else if otherwise != "" {
			ports[purpose] = otherwise
		}
	}
	module := p.module()
	switch {
	case p.remote:
		return nil
	case module == "dynamo.vllm" && p.has("--headless"):
		return nil // It has no runtime of Dynamo.
	case module != "":
		variable("system", "DYN_SYSTEM_PORT", "")
	}
	rank, _ := p.flag(100, "--node-rank", "-r")
	start, _ := p.flag(100, "--data-parallel-start-rank", "-dpr", "--data-parallel-rank", "-dpn")
	switch {
	case module == "dynamo.frontend":
		variable("http", "DYN_HTTP_PORT", "8000")
		byFlag("http", ports["http"], len("--http-p"), "--http-port")
	case module == "dynamo.vllm":
		if nodes, spans := p.flag(100, "--nnodes", "-n"); spans && nodes != "1" && (rank == "" || rank == "0") {
			byFlag("rendezvous", "29501", len("--master-p"), "--master-port")
		}
		if p.has("--data-parallel-address", "-dpa") && (start == "" || start == "0") {
			byFlag("data-parallel", "29550", len("--data-parallel-rp"), "--data-parallel-rpc-port", "-dpp")
		}
	case module == "dynamo.sglang" && (rank == "" || rank == "0"):
		if address, given := p.flag(len("--dist-i"), "--dist-init-addr", "--nccl-init-addr"); given {
			ports["rendezvous"] = address[strings.LastIndex(address, ":")+1:]
		}
	case p.is("ray") && p.has("--head"):
		byFlag("ray", "6379", 100, "--port")
	case p.is("sshd"):
		ports["ssh"] = "2222"
	}
	return ports
}

// picks reports whether a pod is an Endpoint Picker, whose image starts it with the args.
func (p *wiredPod) picker() map[string]string {
	if p.labels["nvidia.com/dynamo-component-type"] != "epp" || len(p.running) == 0 {
		return nil
	}
	for i := range p.running {
		process := &p.running[i]
		if process.container != "main" {
			continue
		}
		ports := map[string]string{"grpc": "9002", "health": "9003", "metrics": "9090"}
		for purpose, name := range map[string]string{"grpc": "grpc-port", "health": "grpc-health-port", "metrics": "metrics-port"} {
			if value, given := process.flag(100, "--"+name, "-"+name); given {
				ports[purpose] = value
			}
		}
		return ports
	}
	return nil
}

// isKnown reports whether all that runs in a container beside init containers is known, so that it can be said where it listens.
func (p *wiredPod) isKnown(container string) bool {
	known := false
	for i := range p.running {
		process := &p.running[i]
		if process.container == container && !process.remote {
			known = known || process.is("sshd") || slices.Contains([]string{
				"dynamo.frontend", "dynamo.mocker", "dynamo.planner", "dynamo.sglang", "dynamo.trtllm", "dynamo.vllm",
			}, process.module())
		}
	}
	return known || p.picker() != nil && container == "main"
}

// listeners in a container of a pod, or in all of them if it is empty, by port.
func (p *wiredPod) listeners(container string) map[string]string {
	all := map[string]string{}
	for i := range p.running {
		process := &p.running[i]
		if process.init || container != "" && process.container != container {
			continue
		}
		for purpose, number := range process.listening() {
			all[number] = process.container + ": " + purpose
		}
	}
	for purpose, number := range p.picker() {
		all[number] = "picker: " + purpose
	}
	return all
}

// unknown ports of a pod for some purposes: those whose number is not in the graph.
func (p *wiredPod) unknown(purposes ...string) []string {
	var all []string
	for number, what := range p.listeners("") {
		_, purpose, _ := strings.Cut(what, ": ")
		if _, err := strconv.Atoi(number); err != nil && slices.Contains(purposes, purpose) {
			all = append(all, what)
		}
	}
	return all
}

func (p *wiredPod) registers() bool {
	return slices.ContainsFunc(p.running, func(process wiredProcess) bool { return !process.init && process.registers() })
}

// containers of a pod that run all the time.
func (p *wiredPod) containers() []corev1.Container {
	all := slices.Clone(p.spec.Containers)
	for _, c := range p.spec.InitContainers {
		if c.RestartPolicy != nil {
			all = append(all, c)
		}
	}
	return all
}

// target of a port on a pod: a number, or the name of one.
func (p *wiredPod) target(port string) string {
	if _, err := strconv.Atoi(port); err == nil {
		return port
	}
	for _, c := range p.containers() {
		for _, declared := range c.Ports {
			if declared.Name == port {
				return strconv.Itoa(int(declared.ContainerPort))
			}
		}
	}
	return ""
}

// probes of a pod go to where the process in their container listens. A warning names those of users that do not.
func (w *graphWires) probes(p *wiredPod) []string {
	var problems []string
	for _, c := range p.containers() {
		for name, probe := range map[string]*corev1.Probe{"liveness": c.LivenessProbe, "readiness": c.ReadinessProbe, "startup": c.StartupProbe} {
			port := ""
			switch {
			case probe == nil:
			case probe.HTTPGet != nil:
				port = probe.HTTPGet.Port.String()
			case probe.TCPSocket != nil:
				port = probe.TCPSocket.Port.String()
			case probe.GRPC != nil:
				port = strconv.Itoa(int(probe.GRPC.Port))
			}
			if port == "" || !p.isKnown(c.Name) {
				continue
			}
			number := port
			if _, err := strconv.Atoi(port); err != nil {
				number = "none"
				for _, declared := range c.Ports {
					if declared.Name == port {
						number = strconv.Itoa(int(declared.ContainerPort))
					}
				}
			}
			if listeners := p.listeners(c.Name); listeners[number] == "" && !w.saysAnyOf("port: is "+number+",") {
				problems = append(problems, fmt.Sprintf("%s: the %s probe of %s goes to %s (%s), and the processes listen on %v", p.name, name, c.Name, port, number, slices.Sorted(maps.Keys(listeners))))
			}
			if probe.HTTPGet == nil || w.saysUnknown() {
				continue
			}
			scheme, paths := p.answers(c.Name, number)
			if asked := probe.HTTPGet.Path; len(paths) > 0 && ((asked == "/live" || asked == "/health") && !slices.Contains(paths, asked) || scheme != cmp.Or(probe.HTTPGet.Scheme, corev1.URISchemeHTTP)) {
				problems = append(problems, fmt.Sprintf("%s: the %s probe of %s asks for %s by %q, and the process answers %v by %q", p.name, name, c.Name, asked, probe.HTTPGet.Scheme, paths, scheme))
			}
		}
	}
	return problems
}

// answers of the process that listens on a port: how, and the paths of its probes.
func (p *wiredPod) answers(container, port string) (scheme corev1.URIScheme, paths []string) {
	scheme = corev1.URISchemeHTTP
	for i := range p.running {
		process := &p.running[i]
		if process.init || process.container != container {
			continue
		}
		prefix := "DYN_SYSTEM"
		if listening := process.listening(); listening["http"] == port {
			prefix = "DYN_HTTP_SVC"
			if process.env["DYN_TLS_CERT_PATH"] != "" || process.has("--tls-cert-path") {
				scheme = corev1.URISchemeHTTPS
			}
		} else if listening["system"] != port {
			continue
		}
		paths = append(paths, cmp.Or(process.env[prefix+"_LIVE_PATH"], "/live"), cmp.Or(process.env[prefix+"_HEALTH_PATH"], "/health"))
	}
	return scheme, paths
}

// collisions of the containers of a pod, which share its network.
func (p *wiredPod) collisions() []string {
	seen := map[string]string{}
	var problems []string
	for i := range p.running {
		process := &p.running[i]
		if process.init || process.remote {
			continue
		}
		for purpose, number := range process.listening() {
			if other := seen[number]; other != "" && other != process.container {
				problems = append(problems, fmt.Sprintf("%s: %s and %s both listen on %s (%s)", p.name, other, process.container, number, purpose))
			}
			seen[number] = process.container
		}
	}
	return problems
}
