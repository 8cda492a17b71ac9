package backend

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
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
	flags    [2]string
	shortest string

	// variable of the environment, which a flag overrides.
	variable string
}

// listeners of all programs. A flag has the same meaning in all programs that have it, except for that of Ray.
// https://github.com/ai-dynamo/dynamo/blob/main/components/src/dynamo/frontend/frontend_args.py
// https://docs.vllm.ai/en/latest/configuration/engine_args.html
func listeners(yield func(listener) bool) {
	for _, l := range [...]listener{
		{purpose: HTTP, flags: [2]string{"http-port"}, shortest: "http-p", variable: "DYN_HTTP_PORT"},
		{purpose: System, variable: "DYN_SYSTEM_PORT"},
		{purpose: Rendezvous, flags: [2]string{"master-port"}, shortest: "master-p"},
		{purpose: Rendezvous, flags: [2]string{"dist-init-addr", "nccl-init-addr"}, shortest: "dist-i"},
		{purpose: DataParallel, flags: [2]string{"data-parallel-rpc-port", "dpp"}, shortest: "data-parallel-rp"},
		{purpose: Ray, flags: [2]string{"port"}},
		{purpose: Picks, flags: [2]string{"grpc-port"}},
		{purpose: PickerHealth, flags: [2]string{"grpc-health-port"}},
		{purpose: PickerMetrics, flags: [2]string{"metrics-port"}},
		{purpose: Telemetry, variable: envTelemetryPort},
		{purpose: ForwardPass, variable: "DYN_FORWARDPASS_METRIC_PORT"},
		{purpose: SideChannel, variable: "VLLM_NIXL_SIDE_CHANNEL_PORT"},
		{purpose: KVEvents, variable: "DYN_VLLM_KV_EVENT_PORT"},
	} {
		if !yield(l) {
			return
		}
	}
}

// Purposes of all ports that programs are told.
func Purposes() []Purpose {
	return []Purpose{HTTP, System, Rendezvous, DataParallel, Ray, Picks, PickerHealth, PickerMetrics, Telemetry, ForwardPass, SideChannel, KVEvents}
}

func (l listener) hasFlag(name string) bool {
	return slices.Contains(l.flags[:], name) || l.shortest != "" && strings.HasPrefix(name, l.shortest) && strings.HasPrefix(l.flags[0], name)
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

// rayHead is a command that starts the head of a Ray cluster, whose flags other programs have too.
var rayHead = regexp.MustCompile(`\bray start(?:\\\n|[^\n;&|])*--head(?:\\\n|[^\n;&|])*`)

// addressPort is the port at the end of an address, which is known even if its host is not.
var addressPort = regexp.MustCompile(`:([0-9]+|\$(?:\([A-Za-z_]\w*\)|\{[A-Za-z_]\w*\}|[A-Za-z_]\w*))$`)

// PortFor a purpose of what a container runs. false: neither its command nor its variables say it.
func (t *Texts) PortFor(purpose Purpose, c *corev1.Container) (Port, bool) {
	var means []listener
	variable := ""
	for l := range listeners {
		if l.purpose == purpose {
			means, variable = append(means, l), cmp.Or(variable, l.variable)
		}
	}
	words := t.commandWords(c)
	if purpose == Ray {
		words = slices.Values(t.words(rayHead.FindString(strings.Join(slices.Concat(c.Command, c.Args), " "))))
	}
	told, given := t.setting(c, variable, words, func(name string) bool {
		return slices.ContainsFunc(means, func(l listener) bool { return l.hasFlag(name) })
	})
	if !given {
		return Port{}, false
	}
	found := Port{Purpose: purpose, Place: told.Place, text: told.text}
	if match := addressPort.FindStringSubmatch(told.text); match != nil && !told.Known {
		told.Value, told.Known = evaluate(match[1], c, t.assignments(c))
	}
	number, err := strconv.ParseInt(strings.TrimSpace(told.Value[strings.LastIndex(told.Value, ":")+1:]), 10, 32)
	switch {
	case !told.Known:
	case err == nil && number > 0 && number <= math.MaxUint16:
		found.Number = int32(number)
	default:
		found.IsText = true
	}
	return found, true
}
