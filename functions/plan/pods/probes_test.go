package pods

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestProbeWarnings shows which probes of users ask a port at which nothing answers.
func TestProbeWarnings(t *testing.T) {
	asks := func(port intstr.IntOrString) plantest.ComponentChange {
		return func(s *v1alpha1.Service) {
			s.ExtraPodSpec.MainContainer.StartupProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: port}}}
		}
	}
	moved := plantest.WithArgs("--http-port", "8081")
	const warning = "spec.services[Frontend].extraPodSpec.mainContainer.startupProbe.httpGet.port: is 8000, but the program listens on 8081, so the probe fails; " +
		"set it to a port on which the program listens, or declare port 8000 in ports if it listens there too"
	cases := map[string]struct {
		reason  string
		changes []plantest.ComponentChange
		want    []string
	}{
		"Own": {reason: "The port of the program answers.", changes: []plantest.ComponentChange{moved, asks(intstr.FromInt32(8081))}},
		"Old": {reason: "The program has moved from the default port.", changes: []plantest.ComponentChange{moved, asks(intstr.FromInt32(8000))}, want: []string{warning}},
		"Socket": {
			reason: "A connection fails too.", changes: []plantest.ComponentChange{moved, func(s *v1alpha1.Service) {
				s.ExtraPodSpec.MainContainer.StartupProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8000)}}}
			}},
			want: []string{strings.ReplaceAll(warning, "httpGet", "tcpSocket")},
		},
		"Host": {reason: "Another host answers.", changes: []plantest.ComponentChange{moved, func(s *v1alpha1.Service) {
			s.ExtraPodSpec.MainContainer.StartupProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Host: "example.org", Port: intstr.FromInt32(8000)}}}
		}}},
		"Name": {reason: "A name is that of a declared port.", changes: []plantest.ComponentChange{moved, asks(intstr.FromString("http"))}},
		"Declared": {reason: "Its user says that the program listens there.", changes: []plantest.ComponentChange{moved, asks(intstr.FromInt32(8000)), func(s *v1alpha1.Service) {
			s.ExtraPodSpec.MainContainer.Ports = []corev1.ContainerPort{{ContainerPort: 8000}}
		}}},
		"Secret": {reason: "Where it listens is not in the graph.", changes: []plantest.ComponentChange{plantest.WithArgs("--http-port", "$(P)"), asks(intstr.FromInt32(8000)), func(s *v1alpha1.Service) {
			s.Envs = []corev1.EnvVar{{Name: "P", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "k"}}}}
		}}},
		"Beside": {reason: "Another container of the pod may listen there.", changes: []plantest.ComponentChange{moved, asks(intstr.FromInt32(8000)), func(s *v1alpha1.Service) {
			s.ExtraPodSpec.PodSpec = corev1.PodSpec{Containers: []corev1.Container{{Name: "proxy"}}}
		}}},
		"Script": {reason: "A script may start another program.", changes: []plantest.ComponentChange{asks(intstr.FromInt32(8001)), func(s *v1alpha1.Service) {
			s.ExtraPodSpec.MainContainer.Command = []string{"sh", "-c", "proxy & python3 -m dynamo.frontend"}
		}}},
		"Unknown": {reason: "Nothing says where another program listens.", changes: []plantest.ComponentChange{asks(intstr.FromInt32(8001)), func(s *v1alpha1.Service) {
			s.ExtraPodSpec.MainContainer.Command = []string{"serve"}
		}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.Graph(plantest.Component("Frontend", plantest.ComponentOf("frontend", "python3", "-m", "dynamo.frontend"), tc.changes...))))
			plan := &graphplan.Plan{Components: map[string]graphplan.Component{"Frontend": {}}}
			got := ProbeWarnings(f, plan, Of(f, plan)).Texts(f.Graph)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nProbeWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
