package pods

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestPortWarnings(t *testing.T) {
	const path = "spec.components[Worker].podTemplate.spec."
	both := func(at, first, second, port, more string) []string {
		return []string{path + at + ".containerPort: containers " + first + " and " + second + " both listen on port " + port +
			", but the containers of a pod share one network, so one of them fails" + more + "; let one of them listen on another port"}
	}
	cases := map[string]struct {
		reason            string
		pod, main, beside string
		want              []string
	}{
		"Added": {
			reason: "The system server of a worker listens on a port that its user does not write.",
			beside: `"ports":[{"containerPort":9090,"name":"prom"}]`, want: both("containers[1].ports[0]", "main", "beside", "9090", ""),
		},
		"AddedAndReplaced": {
			reason: "It still listens there if its user declares other ports.",
			main:   `,"ports":[{"containerPort":7000}]`, beside: `"ports":[{"containerPort":9090}]`, want: both("containers[1].ports[0]", "main", "beside", "9090", ""),
		},
		"Moved": {
			reason: "The system server may listen elsewhere.",
			main:   `,"env":[{"name":"DYN_SYSTEM_PORT","value":"9191"}]`, beside: `"ports":[{"containerPort":9090}]`,
		},
		"MovedThere": {
			reason: "What a variable says is where it listens, declared or not.",
			main:   `,"ports":[{"containerPort":7000}],"env":[{"name":"DYN_SYSTEM_PORT","value":"9191"}]`, beside: `"ports":[{"containerPort":9191}]`,
			want: both("containers[1].ports[0]", "main", "beside", "9191", ""),
		},
		"Declared": {
			reason: "Two containers declare one port under different names.",
			main:   `,"ports":[{"containerPort":7000,"name":"a"}]`, beside: `"ports":[{"containerPort":7000,"name":"b"}]`, want: both("containers[1].ports[0]", "main", "beside", "7000", ""),
		},
		"Sidecar": {
			reason: "An init container that restarts runs beside the others.",
			pod:    `"initContainers":[{"name":"log","image":"l:1","restartPolicy":"Always","ports":[{"containerPort":9090}]}],`,
			want:   both("initContainers[0].ports[0]", "main", "log", "9090", ""),
		},
		"Before":    {reason: "Another init container has ended by then.", pod: `"initContainers":[{"name":"log","image":"l:1","ports":[{"containerPort":9090}]}],`},
		"Same":      {reason: "One container may have two names for a port.", beside: `"ports":[{"containerPort":7000,"name":"a"},{"containerPort":7000,"name":"b"}]`},
		"Protocols": {reason: "TCP and UDP have ports of their own.", beside: `"ports":[{"containerPort":9090,"protocol":"UDP"}]`},
		"Others":    {reason: "Different ports do not meet.", beside: `"ports":[{"containerPort":9091}]`},
		"HostNetwork": {
			reason: "On the network of the node, each port is one of the node, and no pod may have one twice.",
			pod:    `"hostNetwork":true,`, beside: `"ports":[{"containerPort":9090}]`,
			want: both("containers[1].ports[0]", "main", "beside", "9090", ", and Kubernetes creates no pod if both declare the port"),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(`{"components":[{"name":"Worker","type":"worker","podTemplate":{"spec":{`+tc.pod+
				`"containers":[{"name":"main","image":"r:1.6.0","command":["python3","-m","dynamo.vllm"]`+tc.main+`},{"name":"beside","image":"b:1",`+orEmpty(tc.beside)+`}]}}}]}`)))
			p := &graphplan.Plan{}
			if diff := cmp.Diff(tc.want, PortWarnings(f, p, Of(f, p)).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nPortWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// orEmpty are the fields of a container, which has at least its ports.
func orEmpty(fields string) string {
	if fields == "" {
		return `"ports":[]`
	}
	return fields
}
