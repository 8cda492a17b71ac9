package pod

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// identity is the environment that every container has, before the variables of its component type.
func identity() []any {
	return []any{env("DYN_PARENT_DGD_K8S_NAME", "llama"), env("DYN_PARENT_DGD_K8S_NAMESPACE", "inference")}
}

// downward is the environment that every container has, after the variables of its component type.
func downward() []any {
	from := func(name, path string) fields {
		return fields{"name": name, "valueFrom": fields{"fieldRef": fields{"fieldPath": path}}}
	}
	return []any{from("POD_NAME", "metadata.name"), from("POD_NAMESPACE", "metadata.namespace"), from("POD_UID", "metadata.uid")}
}

func sharedMemory(size string) fields {
	return fields{"name": "shared-memory", "emptyDir": fields{"medium": "Memory", "sizeLimit": size}}
}

// TestComponentTypes shows the whole pod of each component type without any setting of the user's but the image.
func TestComponentTypes(t *testing.T) {
	cases := map[string]struct {
		reason        string
		componentType string
		eppConfig     any
		want          fields
	}{
		"Frontend": {
			reason:        "A frontend serves HTTP and is told whose workers to watch.",
			componentType: "frontend",
			want: fields{
				"restartPolicy":                 "Always",
				"terminationGracePeriodSeconds": 60,
				"securityContext":               fields{"fsGroup": 1000},
				"serviceAccountName":            "llama-k8s-service-discovery",
				"volumes":                       []any{sharedMemory("8Gi")},
				"containers": []any{
					with(fields{
						"name":         "main",
						"image":        "i",
						"command":      []any{"python3"},
						"args":         []any{"-m", "dynamo.frontend"},
						"resources":    fields{},
						"ports":        []any{fields{"name": "http", "containerPort": 8000, "protocol": "TCP"}},
						"volumeMounts": []any{mount("shared-memory", "/dev/shm")},
						"env": slices.Concat(
							[]any{
								env("DYNAMO_PORT", "8000"), env("DYN_COMPONENT", "frontend"), env("DYN_DISCOVERY_BACKEND", "kubernetes"),
								env("DYN_HTTP_PORT", "8000"), env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_PREFIX", "inference-llama"),
							},
							identity(),
							downward(),
						),
					}, probesOfFrontend()),
				},
			},
		},
		"Worker": {
			reason:        "A worker runs an engine, which may load its model for two hours.",
			componentType: "worker",
			want:          workerPods("worker"),
		},
		"Prefill": {reason: "A prefill worker is a worker.", componentType: "prefill", want: workerPods("prefill")},
		"Decode":  {reason: "A decode worker is a worker.", componentType: "decode", want: workerPods("decode")},
		"Planner": {
			reason:        "A planner may scale its graph: it has an account of its own.",
			componentType: "planner",
			want: fields{
				"restartPolicy":                 "Always",
				"terminationGracePeriodSeconds": 60,
				"securityContext":               fields{"fsGroup": 1000},
				"serviceAccountName":            "llama-planner",
				"volumes":                       []any{sharedMemory("8Gi")},
				"containers": []any{
					with(fields{
						"name":      "main",
						"image":     "i",
						"command":   []any{"/bin/sh", "-c"},
						"resources": fields{},
						"ports": []any{
							fields{"name": "metrics", "containerPort": 9085, "protocol": "TCP"},
							fields{"name": "system", "containerPort": 9090, "protocol": "TCP"},
						},
						"volumeMounts": []any{mount("shared-memory", "/dev/shm")},
						"env": slices.Concat(
							[]any{
								env("DYN_COMPONENT", "planner"), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_NAMESPACE", "inference-llama"),
							},
							identity(),
							[]any{env("DYN_SYSTEM_PORT", "9090"), env("PLANNER_PROMETHEUS_PORT", "9085")},
							downward(),
						),
					}, probesOfSystem()),
				},
			},
		},
		"EPP": {
			reason:        "The Endpoint Picker runs its image's own entrypoint and has time to drain streams.",
			componentType: "epp", eppConfig: fields{"config": fields{"plugins": []any{}, "schedulingProfiles": []any{}}},
			want: fields{
				"restartPolicy":                 "Always",
				"terminationGracePeriodSeconds": 130,
				"securityContext":               fields{"fsGroup": 1000},
				"serviceAccountName":            "llama-epp",
				"volumes": []any{
					fields{
						"name": "epp-config",
						"configMap": fields{
							"name":  "llama-epp-config",
							"items": []any{fields{"key": "epp-config-dynamo.yaml", "path": "epp-config-dynamo.yaml"}},
						},
					},
					fields{"name": "hf-cache", "emptyDir": fields{}},
					sharedMemory("8Gi"),
				},
				"containers": []any{
					fields{
						"name":      "main",
						"image":     "i",
						"resources": fields{},
						"args": []any{
							"--pool-name", "llama-pool", "--pool-namespace", "inference", "--pool-group", "inference.networking.k8s.io",
							"-v", "4", "--zap-encoder", "json", "--grpc-port", "9002", "--grpc-health-port", "9003", "--config-file",
							"/etc/epp/epp-config-dynamo.yaml",
						},
						"ports": []any{
							fields{"name": "grpc", "containerPort": 9002, "protocol": "TCP"},
							fields{"name": "grpc-health", "containerPort": 9003, "protocol": "TCP"},
							fields{"name": "metrics", "containerPort": 9090, "protocol": "TCP"},
						},
						"livenessProbe": fields{
							"grpc":                fields{"port": 9003, "service": "inference-extension"},
							"initialDelaySeconds": 5,
							"periodSeconds":       10,
						},
						"readinessProbe": fields{
							"grpc":                fields{"port": 9003, "service": "inference-extension"},
							"initialDelaySeconds": 5,
							"periodSeconds":       10,
						},
						"startupProbe": fields{
							"grpc":             fields{"port": 9003, "service": "inference-extension"},
							"periodSeconds":    10,
							"failureThreshold": 180,
						},
						"volumeMounts": []any{
							fields{"name": "epp-config", "mountPath": "/etc/epp", "readOnly": true},
							mount("hf-cache", "/home/nonroot/.cache"), mount("shared-memory", "/dev/shm"),
						},
						"env": slices.Concat(
							[]any{
								env("DYN_COMPONENT", "epp"), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_ENFORCE_DISAGG", "false"),
								env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_PREFIX", "inference-llama"),
							},
							identity(),
							downward(),
							[]any{env("RUST_LOG", "info"), env("USE_STREAMING", "true")},
						),
					},
				},
			},
		},
		"NoType": {
			reason:        "A service of no known type has nothing but who it is.",
			componentType: "",
			want: fields{
				"restartPolicy":                 "Always",
				"terminationGracePeriodSeconds": 60,
				"securityContext":               fields{"fsGroup": 1000},
				"serviceAccountName":            "llama-k8s-service-discovery",
				"volumes":                       []any{sharedMemory("8Gi")},
				"containers": []any{
					fields{
						"name":         "main",
						"image":        "i",
						"command":      []any{"/bin/sh", "-c"},
						"resources":    fields{},
						"volumeMounts": []any{mount("shared-memory", "/dev/shm")},
						"env": slices.Concat(
							[]any{
								fields{"name": "DYN_COMPONENT"}, env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_NAMESPACE", "inference-llama"),
							},
							identity(),
							downward(),
						),
					},
				},
			},
		},
		"NativeEPP": {
			reason:        "The Endpoint Picker of the frontend image needs no arguments and no configuration, only a home with a cache.",
			componentType: "epp",
			want: fields{
				"restartPolicy":                 "Always",
				"terminationGracePeriodSeconds": 130,
				"securityContext":               fields{"fsGroup": 1000},
				"serviceAccountName":            "llama-epp",
				"volumes": []any{
					fields{"name": "hf-cache", "emptyDir": fields{}},
					sharedMemory("8Gi"),
				},
				"containers": []any{
					fields{
						"name":      "main",
						"image":     "i",
						"resources": fields{},
						"ports": []any{
							fields{"name": "grpc", "containerPort": 9002, "protocol": "TCP"},
							fields{"name": "grpc-health", "containerPort": 9003, "protocol": "TCP"},
							fields{"name": "metrics", "containerPort": 9090, "protocol": "TCP"},
						},
						"livenessProbe": fields{
							"grpc":                fields{"port": 9003, "service": "inference-extension"},
							"initialDelaySeconds": 5,
							"periodSeconds":       10,
						},
						"readinessProbe": fields{
							"grpc":                fields{"port": 9003, "service": "inference-extension"},
							"initialDelaySeconds": 5,
							"periodSeconds":       10,
						},
						"startupProbe": fields{
							"grpc":             fields{"port": 9003, "service": "inference-extension"},
							"periodSeconds":    10,
							"failureThreshold": 180,
						},
						"volumeMounts": []any{
							mount("hf-cache", "/home/dynamo/.cache"), mount("shared-memory", "/dev/shm"),
						},
						"env": slices.Concat(
							[]any{
								env("DYN_COMPONENT", "epp"), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_ENFORCE_DISAGG", "false"),
								env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_PREFIX", "inference-llama"),
							},
							identity(),
							[]any{env("HOME", "/home/dynamo")},
							downward(),
							[]any{env("RUST_LOG", "info"), env("USE_STREAMING", "true")},
						),
					},
				},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := planned(graphOf(t, fields{"services": fields{"S": fields{
				"componentType": tc.componentType, "eppConfig": tc.eppConfig, "extraPodSpec": fields{"mainContainer": fields{"image": "i"}},
			}}}, fields{}), graphplan.Component{Discovery: graphplan.Kubernetes})
			got := b.Build("S", backend.RoleMain, nil)
			if diff := cmp.Diff(tree(t, tc.want), tree(t, got.Spec)); diff != "" {
				t.Errorf("%s\nBuild(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// probe of a port over HTTP.
func probe(path, port string, settings fields) fields {
	return with(fields{"httpGet": fields{"path": path, "port": port}}, settings)
}

func probesOfFrontend() fields {
	return fields{
		"livenessProbe":  probe("/live", "http", fields{"initialDelaySeconds": 15, "periodSeconds": 10, "timeoutSeconds": 1, "failureThreshold": 3}),
		"readinessProbe": probe("/health", "http", fields{"initialDelaySeconds": 10, "periodSeconds": 10, "timeoutSeconds": 3, "failureThreshold": 3}),
	}
}

func probesOfSystem() fields {
	return fields{
		"livenessProbe":  probe("/live", "system", fields{"periodSeconds": 5, "timeoutSeconds": 4, "failureThreshold": 1}),
		"readinessProbe": probe("/health", "system", fields{"periodSeconds": 10, "timeoutSeconds": 4, "failureThreshold": 3}),
		"startupProbe":   probe("/live", "system", fields{"periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 720}),
	}
}

func workerPods(componentType string) fields {
	return fields{
		"restartPolicy": "Always", "terminationGracePeriodSeconds": 60, "securityContext": fields{"fsGroup": 1000},
		"serviceAccountName": "llama-k8s-service-discovery", "volumes": []any{sharedMemory("8Gi")},
		"containers": []any{with(fields{
			"name": "main", "image": "i", "command": []any{"/bin/sh", "-c"}, "resources": fields{},
			"ports": []any{
				fields{"name": "system", "containerPort": 9090, "protocol": "TCP"}, fields{"name": "nixl", "containerPort": 19090, "protocol": "TCP"},
			},
			"volumeMounts": []any{mount("shared-memory", "/dev/shm")},
			"env": slices.Concat(
				[]any{
					env("DYN_COMPONENT", componentType), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_FORWARDPASS_METRIC_PORT", "20380"),
					env("DYN_HEALTH_CHECK_ENABLED", "false"), env("DYN_NAMESPACE", "inference-llama"),
				},
				identity(),
				[]any{
					env("DYN_SYSTEM_ENABLED", "true"), env("DYN_SYSTEM_PORT", "9090"), env("DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", `["generate"]`),
					env("NIXL_TELEMETRY_ENABLE", "n"), env("NIXL_TELEMETRY_EXPORTER", "prometheus"), env("NIXL_TELEMETRY_PROMETHEUS_PORT", "19090"),
				},
				downward(),
			),
		}, probesOfSystem())},
	}
}

// TestEPPConfig shows which ConfigMap the Endpoint Picker reads.
func TestEPPConfig(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		want   fields
	}{
		"Inline": {
			reason: "Configuration given inline is in the graph's own ConfigMap.",
			body:   `{"componentType":"epp","eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}}}`,
			want: fields{
				"name":  "llama-epp-config",
				"items": []any{fields{"key": "epp-config-dynamo.yaml", "path": "epp-config-dynamo.yaml"}},
			},
		},
		"Reference": {
			reason: "The user's ConfigMap is mounted where the picker looks, whatever its key is called.",
			body:   `{"componentType":"epp","eppConfig":{"configMapRef":{"name":"mine","key":"epp.yaml","optional":true}}}`,
			want: fields{
				"name":     "mine",
				"items":    []any{fields{"key": "epp.yaml", "path": "epp-config-dynamo.yaml"}},
				"optional": true,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := templateOf(t, tc.body)
			if diff := cmp.Diff(tree(t, tc.want), tree(t, got.Spec.Volumes[0].ConfigMap)); diff != "" {
				t.Errorf("%s\nconfigMap: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
