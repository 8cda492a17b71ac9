package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProbes(t *testing.T) {
	const worker = `{"httpGet":{"path":"/live","port":"system"},"periodSeconds":5,"timeoutSeconds":4,"failureThreshold":1}`
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"Default": {
			reason: "Without a word of the user's the probe is the component type's.",
			body:   `{"componentType":"worker"}`,
			want:   worker,
		},
		"Timings": {
			reason: "Timings alone keep the handler and all other timings.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":{"failureThreshold":9}}}}`,
			want:   `{"httpGet":{"path":"/live","port":"system"},"periodSeconds":5,"timeoutSeconds":4,"failureThreshold":9}`,
		},
		"ExplicitZero": {
			reason: "A zero that the user writes takes the default's value away.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"livenessProbe":{"initialDelaySeconds":0}}}}`,
			want:   `{"httpGet":{"path":"/live","port":"http"},"periodSeconds":10,"timeoutSeconds":1,"failureThreshold":3}`,
		},
		"EveryTiming": {
			reason: "Each timing can be set.",
			body: `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":{"initialDelaySeconds":1,"periodSeconds":2,
				"timeoutSeconds":3,"successThreshold":1,"failureThreshold":4,"terminationGracePeriodSeconds":5}}}}`,
			want: `{"httpGet":{"path":"/live","port":"system"},"initialDelaySeconds":1,"periodSeconds":2,"timeoutSeconds":3,"successThreshold":1,"failureThreshold":4,
				"terminationGracePeriodSeconds":5}`,
		},
		"ExecReplacesHTTP": {
			reason: "A probe with a handler replaces the default as a whole: its timings belong to its check.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["true"]}}}}}`,
			want:   `{"exec":{"command":["true"]}}`,
		},
		"HTTPReplacesHTTP": {
			reason: "A probe with the same kind of handler replaces the default as a whole too.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":{"httpGet":{"path":"/x","port":1},"periodSeconds":3}}}}`,
			want:   `{"httpGet":{"path":"/x","port":1},"periodSeconds":3}`,
		},
		"MainContainerReplacesService": {
			reason: "The probe of the main container replaces that of the service as a whole: merged, they could have two handlers.",
			body: `{"componentType":"worker","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":7},
				"extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["true"]}}}}}`,
			want: `{"exec":{"command":["true"]}}`,
		},
		"MainContainerChangesService": {
			reason: "A probe of the main container without a handler changes that of the service.",
			body: `{"componentType":"worker","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":7},
				"extraPodSpec":{"mainContainer":{"livenessProbe":{"failureThreshold":9}}}}`,
			want: `{"tcpSocket":{"port":1},"periodSeconds":7,"failureThreshold":9}`,
		},
		"ServiceReplacesDefault": {
			reason: "The probe of the service replaces the default as a whole.",
			body:   `{"componentType":"worker","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":7}}`,
			want:   `{"tcpSocket":{"port":1},"periodSeconds":7}`,
		},
		"NoDefault": {
			reason: "Where the component type has no probe the user's is all.",
			body:   `{"extraPodSpec":{"mainContainer":{"livenessProbe":{"exec":{"command":["true"]},"periodSeconds":3}}}}`,
			want:   `{"exec":{"command":["true"]},"periodSeconds":3}`,
		},
		"Null": {
			reason: "A null is no probe of the user's.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"livenessProbe":null}}}`,
			want:   worker,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(parse(t, tc.want), tree(t, main(service(t, tc.body)).LivenessProbe)); diff != "" {
				t.Errorf("%s\nlivenessProbe: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestOtherProbes(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   string
	}{
		"StartupReplaces": {
			reason: "A startup probe of the main container is a replacement: its budget belongs to its handler.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"startupProbe":{"tcpSocket":{"port":1}}}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":"system"},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
				"startup":{"tcpSocket":{"port":1}}}`,
		},
		"StartupMergesTimings": {
			reason: "A startup probe without a handler is the default one with other timings: a probe that asks nothing is refused by the API server.",
			body:   `{"componentType":"worker","extraPodSpec":{"mainContainer":{"startupProbe":{"initialDelaySeconds":180}}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":"system"},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
				"startup":{"httpGet":{"path":"/live","port":"system"},"initialDelaySeconds":180,"periodSeconds":10,"timeoutSeconds":5,"failureThreshold":720}}`,
		},
		"PortNotNamed": {
			reason: "Where the user's ports replace those that the probes name, the probes ask for the number.",
			body:   `{"componentType":"planner","extraPodSpec":{"mainContainer":{"ports":[{"name":"metrics","containerPort":9085}]}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":9090},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
				"startup":{"httpGet":{"path":"/live","port":9090},"periodSeconds":10,"timeoutSeconds":5,"failureThreshold":720}}`,
		},
		"PortNamed": {
			reason: "A port of the user's that has the name is the one that is meant.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"ports":[{"name":"http","containerPort":8080}]}}}`,
			want:   `{"readiness":{"httpGet":{"path":"/health","port":"http"},"initialDelaySeconds":10,"periodSeconds":10,"timeoutSeconds":3,"failureThreshold":3},"startup":null}`,
		},
		"ReadinessMerges": {
			reason: "A readiness probe merges like a liveness probe.",
			body:   `{"componentType":"frontend","extraPodSpec":{"mainContainer":{"readinessProbe":{"timeoutSeconds":7}}}}`,
			want: `{"readiness":{"httpGet":{"path":"/health","port":"http"},"initialDelaySeconds":10,"periodSeconds":10,"timeoutSeconds":7,"failureThreshold":3},
				"startup":null}`,
		},
		"ReadinessOfTheServiceReplaces": {
			reason: "A readiness probe of the service replaces the default one.",
			body:   `{"componentType":"frontend","readinessProbe":{"tcpSocket":{"port":8000}}}`,
			want:   `{"readiness":{"tcpSocket":{"port":8000}},"startup":null}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			container := main(service(t, tc.body))
			got := map[string]any{"readiness": tree(t, container.ReadinessProbe), "startup": tree(t, container.StartupProbe)}
			if diff := cmp.Diff(parse(t, tc.want), any(got)); diff != "" {
				t.Errorf("%s\nprobes: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
