package pod

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// environment is what a container has, by names: variables of its own, and those that tell every container where it is.
func environment(own ...any) []any {
	from := func(name, path string) fields {
		return fields{"name": name, "valueFrom": fields{"fieldRef": fields{"fieldPath": path}}}
	}
	all := append(slices.Clone(own), env("DYN_PARENT_DGD_K8S_NAME", "llama"), env("DYN_PARENT_DGD_K8S_NAMESPACE", "inference"),
		from("POD_NAME", "metadata.name"), from("POD_NAMESPACE", "metadata.namespace"), from("POD_UID", "metadata.uid"))
	slices.SortFunc(all, func(a, b any) int { return strings.Compare(nameOf(a), nameOf(b)) })
	return all
}

// nameOf an object in a list.
func nameOf(item any) string {
	object, _ := item.(fields)
	name, _ := object["name"].(string)
	return name
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
			want: podWith("llama-k8s-service-discovery", fields{
				"command": []any{"python3"},
				"args":    []any{"-m", "dynamo.frontend"},
				"ports":   []any{namedPort("http", 8000)},
				"env": environment(
					env("DYNAMO_PORT", "8000"), env("DYN_COMPONENT", "frontend"), env("DYN_DISCOVERY_BACKEND", "kubernetes"),
					env("DYN_HTTP_PORT", "8000"), env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_PREFIX", "inference-llama"),
				),
			}, probesOfFrontend()),
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
			want: podWith("llama-planner", fields{
				"command": []any{"/bin/sh", "-c"},
				"ports":   []any{namedPort("metrics", 9085), namedPort("system", 9090)},
				"env": environment(
					env("DYN_COMPONENT", "planner"), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_NAMESPACE", "inference-llama"),
					env("DYN_SYSTEM_PORT", "9090"), env("PLANNER_PROMETHEUS_PORT", "9085"),
				),
			}, probesOfSystem()),
		},
		"EPP": {
			reason:        "The Endpoint Picker runs its image's own entrypoint and has time to drain streams.",
			componentType: "epp", eppConfig: fields{"config": fields{"plugins": []any{}, "schedulingProfiles": []any{}}},
			want: with(pickerPod("/home/nonroot/.cache", fields{
				"args": []any{
					"--pool-name", "llama-pool", "--pool-namespace", "inference", "--pool-group", "inference.networking.k8s.io",
					"-v", "4", "--zap-encoder", "json", "--grpc-port", "9002", "--grpc-health-port", "9003", "--config-file",
					"/etc/epp/epp-config-dynamo.yaml",
				},
				"volumeMounts": []any{
					fields{"name": "epp-config", "mountPath": "/etc/epp", "readOnly": true},
					mount("hf-cache", "/home/nonroot/.cache"), mount("shared-memory", "/dev/shm"),
				},
			}), fields{
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
			}),
		},
		"NoType": {
			reason:        "A service of no known type has nothing but who it is.",
			componentType: "",
			want: podWith("llama-k8s-service-discovery", fields{
				"command": []any{"/bin/sh", "-c"},
				"env":     environment(fields{"name": "DYN_COMPONENT"}, env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_NAMESPACE", "inference-llama")),
			}),
		},
		"NativeEPP": {
			reason:        "The Endpoint Picker of the frontend image needs no arguments and no configuration, only a home with a cache.",
			componentType: "epp",
			want:          pickerPod("/home/dynamo/.cache", fields{}, env("HOME", "/home/dynamo")),
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

// podWith an account and a main container with further fields.
func podWith(account string, main ...fields) fields {
	container := fields{"name": "main", "image": "i", "resources": fields{}, "volumeMounts": []any{mount("shared-memory", "/dev/shm")}}
	return fields{
		"restartPolicy": "Always", "terminationGracePeriodSeconds": 60, "securityContext": fields{"fsGroup": 1000}, "serviceAccountName": account,
		"volumes": []any{sharedMemory("8Gi")}, "containers": []any{with(container, main...)},
	}
}

func namedPort(name string, number int) fields {
	return fields{"name": name, "containerPort": number, "protocol": "TCP"}
}

func workerPods(componentType string) fields {
	return podWith("llama-k8s-service-discovery", fields{
		"command": []any{"/bin/sh", "-c"},
		"ports":   []any{namedPort("system", 9090), namedPort("nixl", 19090)},
		"env": environment(
			env("DYN_COMPONENT", componentType), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_FORWARDPASS_METRIC_PORT", "20380"),
			env("DYN_HEALTH_CHECK_ENABLED", "false"), env("DYN_NAMESPACE", "inference-llama"),
			env("DYN_SYSTEM_ENABLED", "true"), env("DYN_SYSTEM_PORT", "9090"), env("DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", `["generate"]`),
			env("NIXL_TELEMETRY_ENABLE", "n"), env("NIXL_TELEMETRY_EXPORTER", "prometheus"), env("NIXL_TELEMETRY_PROMETHEUS_PORT", "19090"),
		),
	}, probesOfSystem())
}

// pickerPod is the pod of an Endpoint Picker with its cache in a folder, further fields of its container, and further variables.
func pickerPod(cache string, main fields, variables ...any) fields {
	probe := func(settings fields) fields {
		return with(fields{"grpc": fields{"port": 9003, "service": "inference-extension"}, "periodSeconds": 10}, settings)
	}
	pod := podWith("llama-epp", fields{
		"ports":          []any{namedPort("grpc", 9002), namedPort("grpc-health", 9003), namedPort("metrics", 9090)},
		"livenessProbe":  probe(fields{"initialDelaySeconds": 5}),
		"readinessProbe": probe(fields{"initialDelaySeconds": 5}),
		"startupProbe":   probe(fields{"failureThreshold": 180}),
		"volumeMounts":   []any{mount("hf-cache", cache), mount("shared-memory", "/dev/shm")},
		"env": environment(append(variables,
			env("DYN_COMPONENT", "epp"), env("DYN_DISCOVERY_BACKEND", "kubernetes"), env("DYN_ENFORCE_DISAGG", "false"),
			env("DYN_NAMESPACE", "inference-llama"), env("DYN_NAMESPACE_PREFIX", "inference-llama"), env("RUST_LOG", "info"), env("USE_STREAMING", "true"),
		)...),
	}, main)
	return with(pod, fields{"terminationGracePeriodSeconds": 130, "volumes": []any{fields{"name": "hf-cache", "emptyDir": fields{}}, sharedMemory("8Gi")}})
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
