package backend

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

func TestDeclareExporterPorts(t *testing.T) {
	elsewhere := &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}
	on := corev1.EnvVar{Name: envTelemetry, Value: " Y "}
	exporter := func(value string) corev1.EnvVar { return corev1.EnvVar{Name: envTelemetryExporter, Value: value} }
	base := func(value string) corev1.EnvVar { return corev1.EnvVar{Name: envTelemetryPort, Value: value} }
	const off = ", or set NIXL_TELEMETRY_ENABLE to n"
	unknown := []string{"the value of variable NIXL_TELEMETRY_PROMETHEUS_PORT is no port, or not in the graph, so the ports of metrics are not known; set it to a number from 1 to 65535" + off}
	cases := map[string]struct {
		reason   string
		release  runtime.Version
		env      []corev1.EnvVar
		gpus     int64
		want     []string
		warnings []string
	}{
		"On":       {reason: "Each rank has a port of its own.", env: []corev1.EnvVar{on, exporter("prometheus")}, gpus: 3, want: []string{"nixl=19090", "nixl-1=19091", "nixl-2=19092"}},
		"Off":      {reason: "Metrics are off by default.", env: []corev1.EnvVar{{Name: envTelemetry, Value: "n"}}, gpus: 3, want: []string{"nixl=19090"}},
		"Earlier":  {reason: "Earlier releases have one exporter.", release: "1.5.1", env: []corev1.EnvVar{on}, gpus: 3, want: []string{"nixl=19090"}},
		"Other":    {reason: "Other exporters have no ports.", env: []corev1.EnvVar{on, exporter("file")}, gpus: 3, want: []string{"nixl=19090"}},
		"Maybe":    {reason: "A port that nobody uses does no harm.", env: []corev1.EnvVar{{Name: envTelemetry, ValueFrom: elsewhere}}, gpus: 2, want: []string{"nixl=19090", "nixl-1=19091"}},
		"Base":     {reason: "The first port is that of the variable.", env: []corev1.EnvVar{on, base("20000")}, gpus: 2, want: []string{"nixl=20000", "nixl-1=20001"}},
		"NoPort":   {reason: "A base that is no port is told.", env: []corev1.EnvVar{on, base("0")}, gpus: 2, want: []string{"nixl=19090"}, warnings: unknown},
		"NotKnown": {reason: "A base that is not in the graph is told.", env: []corev1.EnvVar{on, {Name: envTelemetryPort, ValueFrom: elsewhere}}, gpus: 2, want: []string{"nixl=19090"}, warnings: unknown},
		"TooMany": {
			reason: "Ranks beyond the last port do not start.", env: []corev1.EnvVar{on}, gpus: 9,
			want:     []string{"nixl=19090", "nixl-1=19091", "nixl-2=19092", "nixl-3=19093", "nixl-4=19094", "nixl-5=19095", "nixl-6=19096", "nixl-7=19097"},
			warnings: []string{"only 8 ranks of a container can export metrics of NIXL, and there are 9, the last of which do not start; use at most 8 GPUs in a container" + off},
		},
		"TooHigh": {
			reason: "There are no ports above the last one.", env: []corev1.EnvVar{on, base("65535")}, gpus: 2, want: []string{"nixl=19090"},
			warnings: []string{"variable NIXL_TELEMETRY_PROMETHEUS_PORT is 65535, so the last of 2 ranks would export metrics on port 65536, which does not exist; use a smaller number" + off},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			release := tc.release
			if release == "" {
				release = "1.6.0"
			}
			c := &corev1.Container{Env: tc.env, Ports: []corev1.ContainerPort{{Name: "nixl", ContainerPort: 19090}}}
			warnings := ConfigureContainer(c, Settings{Framework: "sglang", Role: RoleMain, RuntimeVersion: release, GPULimit: tc.gpus})
			var got []string
			for _, p := range c.Ports {
				got = append(got, fmt.Sprintf("%s=%d", p.Name, p.ContainerPort))
			}
			if diff := cmp.Diff([][]string{tc.want, tc.warnings}, [][]string{got, textsOf(warnings)}); diff != "" {
				t.Errorf("%s\nConfigureContainer(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// textsOf warnings in the words of components.
func textsOf(warnings []message.Text) []string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return texts
}
