package backend

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	shell "mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Purpose is what a process listens for.
type Purpose string

// The purposes.
const (
	HTTP          Purpose = "HTTP requests"
	System        Purpose = "its system server"
	Rendezvous    Purpose = "the nodes of an engine"
	DataParallel  Purpose = "data-parallel engines"
	Ray           Purpose = "the nodes of a Ray cluster"
	Picks         Purpose = "gRPC requests"
	PickerHealth  Purpose = "gRPC health checks"
	PickerMetrics Purpose = "requests for metrics"
	Telemetry     Purpose = "requests for metrics of NIXL"
	ForwardPass   Purpose = "requests for forward-pass metrics"
	SideChannel   Purpose = "peers of NIXL"
	KVEvents      Purpose = "readers of KV events"
)

// A listener is how a program is told where it listens.
type listener struct {
	purpose Purpose

	// flags without dashes. argparse also takes the beginning of the first one, if it has the letters of shortest.
	flags    []string
	shortest string

	// address says that the port is the end of an address.
	address bool

	// variable of the environment, which a flag overrides.
	variable string
}

// listeners of all programs. A flag has the same meaning in all programs that have it.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/frontend/frontend_args.py
// https://docs.vllm.ai/en/latest/configuration/engine_args.html
func listeners() []listener {
	return []listener{
		{purpose: HTTP, flags: []string{"http-port"}, shortest: "http-p", variable: "DYN_HTTP_PORT"},
		{purpose: System, variable: "DYN_SYSTEM_PORT"},
		{purpose: Rendezvous, flags: []string{"master-port"}, shortest: "master-p"},
		{purpose: Rendezvous, flags: []string{"dist-init-addr", "nccl-init-addr"}, shortest: "dist-i", address: true},
		{purpose: DataParallel, flags: []string{"data-parallel-rpc-port", "dpp"}, shortest: "data-parallel-rp"},
		{purpose: Picks, flags: []string{"grpc-port"}},
		{purpose: PickerHealth, flags: []string{"grpc-health-port"}},
		{purpose: PickerMetrics, flags: []string{"metrics-port"}},
		{purpose: Telemetry, variable: envTelemetryPort},
		{purpose: ForwardPass, variable: "DYN_FORWARDPASS_METRIC_PORT"},
		{purpose: SideChannel, variable: "VLLM_NIXL_SIDE_CHANNEL_PORT"},
		{purpose: KVEvents, variable: "DYN_VLLM_KV_EVENT_PORT"},
	}
}

// Purposes of all ports that programs are told.
func Purposes() []Purpose {
	return []Purpose{HTTP, System, Rendezvous, DataParallel, Ray, Picks, PickerHealth, PickerMetrics, Telemetry, ForwardPass, SideChannel, KVEvents}
}

func (l listener) hasFlag(name string) bool {
	return slices.Contains(l.flags, name) || l.shortest != "" && strings.HasPrefix(name, l.shortest) && strings.HasPrefix(l.flags[0], name)
}

// Port on which a process listens, as something tells it.
type Port struct {
	Purpose Purpose

	// Number of the port. 0 means that it is not known, because its value is not in the graph, or is no port.
	Number int32

	// Place that says it: a flag, or a variable.
	Place string

	// IsText says that the value is a text in the graph that is no port.
	IsText bool

	// text of the value, as it is written.
	text string
}

// known number of the port. Empty: it is not known.
func (p Port) known() string {
	if p.Number == 0 {
		return ""
	}
	return strconv.Itoa(int(p.Number))
}

// PortFor a purpose of what a container runs. false: neither its command nor its variables say it.
func (t *Texts) PortFor(purpose Purpose, c *corev1.Container) (Port, bool) {
	means := slices.DeleteFunc(listeners(), func(l listener) bool { return l.purpose != purpose })
	found, assigned := Port{Purpose: purpose}, t.assignments(c)
	for _, l := range means {
		if own := variableIn(c, l.variable); own != nil {
			found.Place, found.text = "variable "+l.variable, own.Value
			if own.ValueFrom != nil {
				found.text = "$" + l.variable
			}
		}
		if value, ok := assigned[l.variable]; ok {
			found.Place, found.text = "variable "+l.variable, value
		}
	}
	before := "" // The flag whose value is the next word.
	for word := range t.commandWords(c) {
		if before != "" {
			found.Place, found.text, before = before, word, ""
		}
		name, value, joined := splitFlag(word)
		switch {
		case name == "" || !slices.ContainsFunc(means, func(l listener) bool { return l.hasFlag(name) }):
		case joined:
			found.Place, found.text = word[:len(word)-len(value)-1], value
		default:
			before = word
		}
	}
	if found.Place == "" {
		return Port{}, false
	}
	value, known := t.evaluate(found.text, c, assigned)
	value = value[strings.LastIndex(value, ":")+1:]
	number, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
	switch {
	case !known:
	case err == nil && number > 0 && number <= math.MaxUint16:
		found.Number = int32(number)
	default:
		found.IsText = true
	}
	return found, true
}

// assignment of a variable in a script.
var assignment = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=`)

// assignments of variables in the script of a container. The last one counts.
func (t *Texts) assignments(c *corev1.Container) map[string]string {
	argv := slices.Concat(c.Command, c.Args)
	script := scriptIn(argv)
	if script < 0 || !strings.Contains(argv[script], "=") {
		return nil
	}
	assigned := map[string]string{}
	for _, word := range t.words(argv[script]) {
		if match := assignment.FindStringSubmatch(word); match != nil {
			assigned[match[1]] = word[len(match[0]):]
		}
	}
	return assigned
}

// kubeletReference is a reference that the kubelet expands.
var kubeletReference = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)`)

// maxEvaluated is how many texts are evaluated for a value: variables may refer to others, and each to the same ones.
const maxEvaluated = 16

// evaluate a text as the kubelet and a shell do. known is false if a part of it is not in the graph: in a Secret or a file, or the output of
// a program.
func (*Texts) evaluate(text string, c *corev1.Container, assigned map[string]string) (value string, known bool) {
	v := &variables{container: c, assigned: assigned, left: maxEvaluated}
	value = v.evaluate(text)
	return value, !v.unknown
}

// variables that a shell in a container has.
type variables struct {
	container *corev1.Container
	assigned  map[string]string

	// left is how many texts may still be evaluated, and unknown says that a value is not in the graph.
	left    int
	unknown bool
}

func (v *variables) evaluate(text string) string {
	if !strings.ContainsAny(text, "$`") {
		return text
	}
	v.left--
	word, err := syntax.NewParser().Document(strings.NewReader(kubeletReference.ReplaceAllString(text, "${$1}")))
	if err != nil || len(text) > maxReference || v.left < 0 {
		v.unknown = true
		return ""
	}
	value, err := shell.Document(&shell.Config{Env: v, NoUnset: true}, word)
	v.unknown = v.unknown || err != nil
	return value
}

// Get a variable.
func (v *variables) Get(name string) shell.Variable {
	own := variableIn(v.container, name)
	text, assigned := v.assigned[name]
	switch {
	case assigned:
	case own != nil && own.ValueFrom == nil:
		text = own.Value
	default:
		// It may be set by what the graph refers to, otherwise by the orchestrator.
		v.unknown = v.unknown || own != nil || len(v.container.EnvFrom) > 0
		return shell.Variable{}
	}
	return shell.Variable{Set: true, Kind: shell.String, Str: v.evaluate(text)}
}

// Each variable: only those that are asked for are looked up.
func (*variables) Each(func(string, shell.Variable) bool) {}
