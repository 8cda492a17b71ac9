package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
)

// identity is the environment that every container has, after and before the variables of its component type.
const identity = `
	{"name":"DYN_PARENT_DGD_K8S_NAME","value":"llama"},
	{"name":"DYN_PARENT_DGD_K8S_NAMESPACE","value":"inference"}`

const downward = `
	{"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},
	{"name":"POD_NAMESPACE","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}},
	{"name":"POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}}`

const sharedMemory = `{"name":"shared-memory","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}}`

const sharedMemoryMount = `{"name":"shared-memory","mountPath":"/dev/shm"}`

// TestComponentTypes shows the whole pod of each component type without any setting of the user's but the image.
func TestComponentTypes(t *testing.T) {
	cases := map[string]struct {
		reason        string
		componentType string
		want          string
	}{
		"Frontend": {
			reason:        "A frontend serves HTTP and is told whose workers to watch.",
			componentType: "frontend",
			want: `{"restartPolicy":"Always","terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000},
				"serviceAccountName":"llama-k8s-service-discovery","volumes":[` + sharedMemory + `],
				"containers":[{"name":"main","image":"i","command":["python3"],"args":["-m","dynamo.frontend"],"resources":{},
					"ports":[{"name":"http","containerPort":8000,"protocol":"TCP"}],
					"livenessProbe":{"httpGet":{"path":"/live","port":"http"},"initialDelaySeconds":15,"periodSeconds":10,"timeoutSeconds":1,"failureThreshold":3},
					"readinessProbe":{"httpGet":{"path":"/health","port":"http"},"initialDelaySeconds":10,"periodSeconds":10,"timeoutSeconds":3,"failureThreshold":3},
					"volumeMounts":[` + sharedMemoryMount + `],
					"env":[{"name":"DYNAMO_PORT","value":"8000"},{"name":"DYN_COMPONENT","value":"frontend"},
						{"name":"DYN_DISCOVERY_BACKEND","value":"kubernetes"},{"name":"DYN_HTTP_PORT","value":"8000"},
						{"name":"DYN_NAMESPACE","value":"inference-llama"},{"name":"DYN_NAMESPACE_PREFIX","value":"inference-llama"},
						` + identity + `,` + downward + `]}]}`,
		},
		"Worker": {
			reason:        "A worker runs an engine, which may load its model for two hours.",
			componentType: "worker",
			want:          workerJSON("worker"),
		},
		"Prefill": {reason: "A prefill worker is a worker.", componentType: "prefill", want: workerJSON("prefill")},
		"Decode":  {reason: "A decode worker is a worker.", componentType: "decode", want: workerJSON("decode")},
		"Planner": {
			reason:        "A planner may scale its graph: it has an account of its own.",
			componentType: "planner",
			want: `{"restartPolicy":"Always","terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000},
				"serviceAccountName":"llama-planner","volumes":[` + sharedMemory + `],
				"containers":[{"name":"main","image":"i","command":["/bin/sh","-c"],"resources":{},
					"ports":[{"name":"metrics","containerPort":9085,"protocol":"TCP"},{"name":"system","containerPort":9090,"protocol":"TCP"}],
					` + systemProbesJSON + `,
					"volumeMounts":[` + sharedMemoryMount + `],
					"env":[{"name":"DYN_COMPONENT","value":"planner"},{"name":"DYN_DISCOVERY_BACKEND","value":"kubernetes"},
						{"name":"DYN_NAMESPACE","value":"inference-llama"},` + identity + `,{"name":"DYN_SYSTEM_PORT","value":"9090"},
						{"name":"PLANNER_PROMETHEUS_PORT","value":"9085"},` + downward + `]}]}`,
		},
		"EPP": {
			reason:        "The Endpoint Picker runs its image's own entrypoint and has time to drain streams.",
			componentType: "epp",
			want: `{"restartPolicy":"Always","terminationGracePeriodSeconds":130,"securityContext":{"fsGroup":1000},
				"serviceAccountName":"llama-epp",
				"volumes":[{"name":"epp-config","configMap":{"name":"llama-epp-config","items":[{"key":"epp-config-dynamo.yaml","path":"epp-config-dynamo.yaml"}]}},
					{"name":"hf-cache","emptyDir":{}},` + sharedMemory + `],
				"containers":[{"name":"main","image":"i","resources":{},
					"args":["--pool-name","llama-pool","--pool-namespace","inference","--pool-group","inference.networking.k8s.io","-v","4",
						"--zap-encoder","json","--grpc-port","9002","--grpc-health-port","9003","--config-file","/etc/epp/epp-config-dynamo.yaml"],
					"ports":[{"name":"grpc","containerPort":9002,"protocol":"TCP"},{"name":"grpc-health","containerPort":9003,"protocol":"TCP"},
						{"name":"metrics","containerPort":9090,"protocol":"TCP"}],
					"livenessProbe":{"grpc":{"port":9003,"service":"inference-extension"},"initialDelaySeconds":5,"periodSeconds":10},
					"readinessProbe":{"grpc":{"port":9003,"service":"inference-extension"},"initialDelaySeconds":5,"periodSeconds":10},
					"startupProbe":{"grpc":{"port":9003,"service":"inference-extension"},"periodSeconds":10,"failureThreshold":180},
					"volumeMounts":[{"name":"epp-config","mountPath":"/etc/epp","readOnly":true},
						{"name":"hf-cache","mountPath":"/home/nonroot/.cache"},` + sharedMemoryMount + `],
					"env":[{"name":"DYN_COMPONENT","value":"epp"},{"name":"DYN_DISCOVERY_BACKEND","value":"kubernetes"},
						{"name":"DYN_ENFORCE_DISAGG","value":"false"},{"name":"DYN_NAMESPACE","value":"inference-llama"},
						{"name":"DYN_NAMESPACE_PREFIX","value":"inference-llama"},` + identity + `,` + downward + `,
						{"name":"RUST_LOG","value":"info"},{"name":"USE_STREAMING","value":"true"}]}]}`,
		},
		"NoType": {
			reason:        "A service of no known type has nothing but who it is.",
			componentType: "",
			want: `{"restartPolicy":"Always","terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000},
				"serviceAccountName":"llama-k8s-service-discovery","volumes":[` + sharedMemory + `],
				"containers":[{"name":"main","image":"i","command":["/bin/sh","-c"],"resources":{},"volumeMounts":[` + sharedMemoryMount + `],
					"env":[{"name":"DYN_COMPONENT"},{"name":"DYN_DISCOVERY_BACKEND","value":"kubernetes"},
						{"name":"DYN_NAMESPACE","value":"inference-llama"},` + identity + `,` + downward + `]}]}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := onKubernetes(t, `{"services":{"S":{"componentType":"`+tc.componentType+`","extraPodSpec":{"mainContainer":{"image":"i"}}}}}`)
			got := b.Build("S", backend.RoleMain, nil)
			if diff := cmp.Diff(parse(t, tc.want), tree(t, got.Spec)); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

const systemProbesJSON = `
	"livenessProbe":{"httpGet":{"path":"/live","port":"system"},"periodSeconds":5,"timeoutSeconds":4,"failureThreshold":1},
	"readinessProbe":{"httpGet":{"path":"/health","port":"system"},"periodSeconds":10,"timeoutSeconds":4,"failureThreshold":3},
	"startupProbe":{"httpGet":{"path":"/live","port":"system"},"periodSeconds":10,"timeoutSeconds":5,"failureThreshold":720}`

func workerJSON(componentType string) string {
	return `{"restartPolicy":"Always","terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000},
		"serviceAccountName":"llama-k8s-service-discovery","volumes":[` + sharedMemory + `],
		"containers":[{"name":"main","image":"i","command":["/bin/sh","-c"],"resources":{},
			"ports":[{"name":"system","containerPort":9090,"protocol":"TCP"},{"name":"nixl","containerPort":19090,"protocol":"TCP"}],
			` + systemProbesJSON + `,
			"volumeMounts":[` + sharedMemoryMount + `],
			"env":[{"name":"DYN_COMPONENT","value":"` + componentType + `"},{"name":"DYN_DISCOVERY_BACKEND","value":"kubernetes"},
				{"name":"DYN_FORWARDPASS_METRIC_PORT","value":"20380"},{"name":"DYN_HEALTH_CHECK_ENABLED","value":"false"},{"name":"DYN_NAMESPACE","value":"inference-llama"},` + identity + `,
				{"name":"DYN_SYSTEM_ENABLED","value":"true"},{"name":"DYN_SYSTEM_PORT","value":"9090"},
				{"name":"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS","value":"[\"generate\"]"},
				{"name":"NIXL_TELEMETRY_ENABLE","value":"n"},{"name":"NIXL_TELEMETRY_EXPORTER","value":"prometheus"},
				{"name":"NIXL_TELEMETRY_PROMETHEUS_PORT","value":"19090"},` + downward + `]}]}`
}

// TestEPPConfig shows which ConfigMap the Endpoint Picker reads.
func TestEPPConfig(t *testing.T) {
	cases := map[string]struct {
		reason string
		config string
		want   string
	}{
		"Inline": {
			reason: "Configuration given inline is in the graph's own ConfigMap.",
			config: `{"config":{"plugins":[],"schedulingProfiles":[]}}`,
			want:   `{"name":"llama-epp-config","items":[{"key":"epp-config-dynamo.yaml","path":"epp-config-dynamo.yaml"}]}`,
		},
		"Reference": {
			reason: "The user's ConfigMap is mounted where the picker looks, whatever its key is called.",
			config: `{"configMapRef":{"name":"mine","key":"epp.yaml","optional":true}}`,
			want:   `{"name":"mine","items":[{"key":"epp.yaml","path":"epp-config-dynamo.yaml"}],"optional":true}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := service(t, `{"componentType":"epp","eppConfig":`+tc.config+`}`)
			if diff := cmp.Diff(parse(t, tc.want), tree(t, got.Spec.Volumes[0].ConfigMap)); diff != "" {
				t.Errorf("%s\nconfigMap: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
