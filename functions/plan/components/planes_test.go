package components

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	inputv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

func TestPlaneWarnings(t *testing.T) {
	const (
		etcd = "spec.services[Worker]: discovers services through etcd, but nothing sets its address, so it is expected on the pod itself; " +
			"set infrastructure.etcdAddress in the input of step plan, or variable ETCD_ENDPOINTS"
		requests = "spec.services: the request plane is nats for Worker and tcp for Frontend, so these services cannot send requests to each other; set variable DYN_REQUEST_PLANE to one value for all of them"
	)
	const events = "spec.services: the event plane is nats for Worker and zmq for Frontend, so these services do not get each other's events; set variable DYN_EVENT_PLANE to one value for all of them"
	type decided = map[string]graphplan.Component
	both := func(backend string) decided {
		return decided{"Frontend": {Discovery: backend}, "Worker": {Discovery: backend}}
	}
	early := decided{"Frontend": {Discovery: graphplan.Kubernetes, RuntimeVersion: "1.1.0"}, "Worker": {Discovery: graphplan.Kubernetes, RuntimeVersion: "1.1.0"}}
	// spec of a graph with a frontend and a worker, in JSON, whose main containers can be set.
	spec := func(frontend, worker, graph string) string {
		return `{` + graph + `"services":{"Frontend":{"componentType":"frontend","extraPodSpec":{"mainContainer":{` + frontend + `}}},
			"Worker":{"componentType":"worker","extraPodSpec":{"mainContainer":{` + worker + `}}},"Tool":{"extraPodSpec":{"mainContainer":{"env":[{"name":"DYN_EVENT_PLANE","value":"other"}]}}}}}`
	}
	env := func(name, value string) string { return `"env":[{"name":"` + name + `","value":"` + value + `"}]` }
	cases := map[string]struct {
		reason     string
		spec       string
		components decided
		etcd       string
		want       []string
	}{
		"Same": {reason: "What is the same works.", spec: spec("", "", ""), components: both(graphplan.Kubernetes)},
		"Discovery": {
			reason: "Services that are registered in two places do not find each other, and an address is missing.", spec: spec("", "", ""),
			components: decided{"Frontend": {Discovery: graphplan.Kubernetes}, "Worker": {Discovery: "etcd"}},
			want: []string{
				"spec.services: the discovery backend is etcd for Worker and kubernetes for Frontend, so these services cannot find each other; " +
					"set annotation nvidia.com/dynamo-discovery-backend to one value for all of them", etcd,
			},
		},
		"Variable": {
			reason: "A variable takes precedence over what is decided.", spec: spec("", env("DYN_DISCOVERY_BACKEND", "etcd"), ""), components: both(graphplan.Kubernetes), etcd: "etcd:2379",
			want: []string{"spec.services: the discovery backend is etcd for Worker and kubernetes for Frontend, so these services cannot find each other; " +
				"set annotation nvidia.com/dynamo-discovery-backend to one value for all of them"},
		},
		"Reference": {reason: "A value that is not in the graph may be anything.", spec: spec("", env("DYN_DISCOVERY_BACKEND", "$(BACKEND)"), ""), components: both(graphplan.Kubernetes)},
		"Address":   {reason: "The platform has the address of etcd.", spec: spec("", "", ""), components: both("etcd"), etcd: "etcd:2379"},
		"NoAddress": {
			reason: "One mistake gives one warning.", spec: spec("", "", ""), components: both("etcd"),
			want: []string{"spec.services: Frontend, Worker discover services through etcd, but nothing sets its address, so it is expected on the pod itself; " +
				"set infrastructure.etcdAddress in the input of step plan, or variable ETCD_ENDPOINTS"},
		},
		"Own":    {reason: "The graph has the address of etcd.", spec: spec("", "", `"envs":[{"name":"ETCD_ENDPOINTS","value":"etcd:2379"}],`), components: both("etcd")},
		"Secret": {reason: "The address may be in a Secret.", spec: spec(`"envFrom":[{"secretRef":{"name":"a"}}]`, `"envFrom":[{"secretRef":{"name":"a"}}]`, ""), components: both("etcd")},
		"Store": {
			reason: "A store in memory is that of one process.", spec: spec("", "", `"envs":[{"name":"DYN_STORE_KV","value":"mem"}],`), components: both("etcd"),
			want: []string{"spec.services: Frontend, Worker discover services through mem, which is not shared between pods, so no service finds another; set annotation nvidia.com/dynamo-discovery-backend to kubernetes"},
		},
		"StoreWithKubernetes": {reason: "Kubernetes discovery uses no store.", spec: spec("", "", `"envs":[{"name":"DYN_STORE_KV","value":"mem"}],`), components: both(graphplan.Kubernetes)},
		"Requests":            {reason: "Requests by TCP are the default.", spec: spec("", env("DYN_REQUEST_PLANE", "nats"), ""), components: both(graphplan.Kubernetes), want: []string{requests}},
		"RequestsByFlag": {
			reason: "A flag takes precedence over a variable.", spec: spec(`"args":["--request-plane=tcp"],`+env("DYN_REQUEST_PLANE", "nats"), `"args":["--request-plane","nats"]`, ""),
			components: both(graphplan.Kubernetes), want: []string{requests},
		},
		"RequestsByScript": {
			reason: "A script may set the variable.", spec: spec("", `"command":["sh","-c"],"args":["export DYN_REQUEST_PLANE=nats; exec python3 -m dynamo.vllm"]`, ""),
			components: both(graphplan.Kubernetes), want: []string{requests},
		},
		"RequestsByReference": {
			reason: "The value of a variable is in the graph.", spec: spec("", `"args":["--request-plane","$(PLANE)"],`+env("PLANE", "nats"), ""),
			components: both(graphplan.Kubernetes), want: []string{requests},
		},
		"RequestsElsewhere": {
			reason: "What is not in the graph may set the variable.", spec: spec(env("DYN_REQUEST_PLANE", "nats"), `"envFrom":[{"configMapRef":{"name":"a"}}]`, ""),
			components: both(graphplan.Kubernetes),
		},
		"OldRequests": {
			reason: "The default of early releases is another one.", spec: spec("", env("DYN_REQUEST_PLANE", "nats"), ""),
			components: decided{"Frontend": {Discovery: graphplan.Kubernetes, RuntimeVersion: "0.7.0"}, "Worker": {Discovery: graphplan.Kubernetes, RuntimeVersion: "0.7.0"}},
		},
		"Events": {
			reason: "Events are published by ZMQ unless a service is told otherwise.", spec: spec("", env("DYN_EVENT_PLANE", "nats"), ""),
			components: decided{"Frontend": {Discovery: graphplan.Kubernetes, RuntimeVersion: "1.5.0"}, "Worker": {Discovery: graphplan.Kubernetes, RuntimeVersion: "1.5.0"}},
			want:       []string{events},
		},
		"EventsByFlag": {
			reason: "A flag takes precedence over a variable.", spec: spec(`"args":["--event-plane=zmq"],`+env("DYN_EVENT_PLANE", "nats"), `"args":["--event-plane","nats"]`, ""),
			components: both(graphplan.Kubernetes), want: []string{events},
		},
		"EventsOfAnyRelease": {
			reason: "What both name is compared in every release.", spec: spec(env("DYN_EVENT_PLANE", "zmq"), env("DYN_EVENT_PLANE", "nats"), ""), components: early, want: []string{events},
		},
		"OneEventPlane": {reason: "What early releases use by default is not known.", spec: spec("", env("DYN_EVENT_PLANE", "nats"), ""), components: early},
		"DefaultEvents": {reason: "The default is the same.", spec: spec("", env("DYN_EVENT_PLANE", "zmq"), ""), components: both(graphplan.Kubernetes)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			input := inputv1alpha1.Policy{Infrastructure: inputv1alpha1.Infrastructure{EtcdAddress: tc.etcd}}
			f := plantest.Facts(t, plantest.Request(plantest.GraphOf(tc.spec), plantest.WithInput(input)))
			if diff := cmp.Diff(tc.want, PlaneWarnings(f, tc.components).Texts(f.Graph)); diff != "" {
				t.Errorf("%s\nPlaneWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
