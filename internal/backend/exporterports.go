package backend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

const (
	// PortNIXLName is the name of the port on which the first rank of a container exports its metrics of NIXL.
	PortNIXLName = "nixl"

	// exporters is how many ranks of a container can export metrics.
	exporters = 8

	envTelemetry         = "NIXL_TELEMETRY_ENABLE"
	envTelemetryExporter = "NIXL_TELEMETRY_EXPORTER"
	envTelemetryPort     = "NIXL_TELEMETRY_PROMETHEUS_PORT"
)

// declareExporterPorts of the ranks of SGLang in one container, if its user turns on the metrics of NIXL: each rank has the port after that of the
// rank before it. A setting that is not in the graph may turn them on. The warnings have the remedy.
// https://github.com/ai-dynamo/dynamo/blob/main/deploy/operator/internal/dynamo/backend_sglang.go
func declareExporterPorts(c *corev1.Container, s Settings) []message.Text {
	first := slices.IndexFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == PortNIXLName })
	if first < 0 || engine.Of(s.Framework).Nodes != engine.ByRank || !s.RuntimeVersion.Has(runtime.ExporterPorts) || !s.Texts.Exports(c) {
		return nil
	}
	const off = ", or set " + envTelemetry + " to n"
	base := c.Ports[first].ContainerPort
	if port, given := s.Texts.PortFor(Telemetry, c); given {
		if port.Number == 0 {
			return []message.Text{message.Format("the value of variable %s is no port, or not in the graph, so the ports of metrics are not known; set it to a number from 1 to %d%s", envTelemetryPort, math.MaxUint16, off)}
		}
		base = port.Number
	}
	ranks := cmp.Or(s.GPULimit, s.GPURequest)
	var warnings []message.Text
	if ranks > exporters {
		warnings = []message.Text{message.Format("only %d ranks of a container can export metrics of NIXL, and there are %d, the last of which do not start; use at most %d GPUs in a container%s", exporters, ranks, exporters, off)}
		ranks = exporters
	}
	if last := int64(base) + ranks - 1; last > math.MaxUint16 {
		return append(warnings, message.Format("variable %s is %d, so the last of %d ranks would export metrics on port %d, which does not exist; use a smaller number%s", envTelemetryPort, base, ranks, last, off))
	}
	c.Ports = slices.Clone(c.Ports)
	c.Ports[first].ContainerPort = base
	for rank := int32(1); int64(rank) < ranks; rank++ {
		declarePort(c, fmt.Sprintf("%s-%d", PortNIXLName, rank), base+rank)
	}
	return warnings
}

// Exports reports whether the ranks of a container may export metrics of NIXL.
func (t *Texts) Exports(c *corev1.Container) bool {
	is := func(variable, value, otherwise string) bool {
		told, given := t.SettingOf(c, variable, "")
		return given && !told.Known || strings.EqualFold(cmp.Or(strings.TrimSpace(told.Value), otherwise), value)
	}
	return is(envTelemetry, "y", "") && is(envTelemetryExporter, "prometheus", "prometheus")
}

// variableIn a container by its name: the last one counts. nil if there is none.
func variableIn(env []corev1.EnvVar, name string) *corev1.EnvVar {
	for i := range slices.Backward(env) {
		if env[i].Name == name {
			return &env[i]
		}
	}
	return nil
}

// declarePort of a container under a name, in place of another one with this name.
func declarePort(c *corev1.Container, name string, number int32) {
	declared := corev1.ContainerPort{Name: name, ContainerPort: number, Protocol: corev1.ProtocolTCP}
	if i := slices.IndexFunc(c.Ports, func(p corev1.ContainerPort) bool { return p.Name == name }); i >= 0 {
		c.Ports[i] = declared
		return
	}
	c.Ports = append(c.Ports, declared)
}
