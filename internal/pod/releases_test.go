package pod

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// TestReleases shows for rules about containers the last release before each changes, and the first release after that.
func TestReleases(t *testing.T) {
	cases := map[string]struct {
		reason     string
		components string
		// of is the part of the pod of component S that depends on the release.
		of            func(corev1.PodTemplateSpec) any
		older, newer  runtime.Version
		before, after string
	}{
		"CompilationCacheDefault": {
			reason:     "An engine only looks in the default path by itself if it runs as root.",
			components: `{"S":{"componentType":"worker","volumeMounts":[{"name":"cache","useAsCompilationCache":true}]}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["VLLM_CACHE_ROOT"] },
			older:      "1.1.1", before: `""`,
			newer: "1.2.0", after: `"/root/.cache/vllm"`,
		},
		"CompilationCacheElsewhere": {
			reason:     "Engines of all releases are told another path.",
			components: `{"S":{"componentType":"worker","volumeMounts":[{"name":"cache","mountPoint":"/cache","useAsCompilationCache":true}]}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["VLLM_CACHE_ROOT"] },
			older:      "1.1.1", before: `"/cache"`,
			newer: "1.2.0", after: `"/cache"`,
		},
		"ComponentClass": {
			reason:     "Endpoint Pickers of newer releases find workers by their class.",
			components: `{"S":{"componentType":"decode","labels":{"nvidia.com/dynamo-component-class":"mine"}},"E":{"componentType":"epp"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return t.Labels["nvidia.com/dynamo-component-class"] },
			older:      "1.1.1", before: `"mine"`,
			newer: "1.2.0", after: `"worker"`,
		},
		"ComponentClassWithoutPicker": {
			reason:     "Without an Endpoint Picker nothing finds workers by their class.",
			components: `{"S":{"componentType":"decode"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return t.Labels["nvidia.com/dynamo-component-class"] },
			older:      "1.1.1", before: `""`,
			newer: "1.2.0", after: `""`,
		},
		"ComponentClassOfOthers": {
			reason:     "A frontend is no worker.",
			components: `{"S":{"componentType":"frontend"},"E":{"componentType":"epp"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return t.Labels["nvidia.com/dynamo-component-class"] },
			older:      "1.1.1", before: `""`,
			newer: "1.2.0", after: `""`,
		},
		"EPPLongFlags": {
			reason:     "The Endpoint Picker parses flags in another way since 1.2.0, in which long flags have two dashes.",
			components: `{"S":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"epp","key":"k"}}}}`,
			of:         func(t corev1.PodTemplateSpec) any { return main(t).Args },
			older:      "1.1.1", before: `["-pool-name","llama-pool","-pool-namespace","inference","-pool-group","inference.networking.k8s.io","-v","4",
				"--zap-encoder","json","-grpc-port","9002","-grpc-health-port","9003","-config-file","/etc/epp/epp-config-dynamo.yaml"]`,
			newer: "1.2.0", after: `["--pool-name","llama-pool","--pool-namespace","inference","--pool-group","inference.networking.k8s.io","-v","4",
				"--zap-encoder","json","--grpc-port","9002","--grpc-health-port","9003","--config-file","/etc/epp/epp-config-dynamo.yaml"]`,
		},
		"EPPInfoLog": {
			reason:     "The Endpoint Picker logs at level info since 1.4.0, because its logs filled the disks of nodes.",
			components: `{"S":{"componentType":"epp"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["RUST_LOG"] },
			older:      "1.3.1", before: `"debug,dynamo_llm::kv_router=trace"`,
			newer: "1.4.0", after: `"info"`,
		},
		"ForwardPassMetrics": {
			reason:     "Newer planners read metrics that workers only publish if they are told the port.",
			components: `{"S":{"componentType":"prefill"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["DYN_FORWARDPASS_METRIC_PORT"] },
			older:      "1.1.1", before: `""`,
			newer: "1.2.0", after: `"20380"`,
		},
		"ForwardPassMetricsOfOthers": {
			reason:     "A planner has no engine.",
			components: `{"S":{"componentType":"planner"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["DYN_FORWARDPASS_METRIC_PORT"] },
			older:      "1.1.1", before: `""`,
			newer: "1.2.0", after: `""`,
		},
		"FrontendSidecarMounts": {
			reason: "A frontend sidecar reads the model in the volume of its worker, but does not get shared memory, propagation to the host, or a path of variables that it lacks.",
			components: `{"S":{"componentType":"worker","frontendSidecar":{"image":"f"},"volumeMounts":[{"name":"model","mountPoint":"/model"}],
				"envs":[{"name":"RANK","value":"0"}],"extraPodSpec":{"volumes":[{"name":"files","emptyDir":{}}],"mainContainer":{"volumeMounts":[
				{"name":"files","mountPath":"/files","mountPropagation":"Bidirectional"},{"name":"files","mountPath":"/rank","subPathExpr":"$(RANK)"},
				{"name":"files","mountPath":"/pod","subPathExpr":"$(POD_NAME)"}]}}}}`,
			of:    func(t corev1.PodTemplateSpec) any { return t.Spec.Containers[1].VolumeMounts },
			older: "1.1.1", before: `null`,
			newer: "1.2.0", after: `[{"name":"files","mountPath":"/files"},{"name":"files","mountPath":"/pod","subPathExpr":"$(POD_NAME)"},{"name":"model","mountPath":"/model"}]`,
		},
		"GPUMemoryReadyFile": {
			reason:     "The server of the GPU memory service writes no file since 1.3.0, so a probe for it would never succeed.",
			components: `{"S":{"componentType":"worker","resources":{"limits":{"gpu":"1"}},"gpuMemoryService":{"enabled":true}}}`,
			of:         func(t corev1.PodTemplateSpec) any { return t.Spec.InitContainers[0].StartupProbe },
			older:      "1.2.1", before: `{"exec":{"command":["test","-f","/gms-intrapod-control/gms-ready"]},"periodSeconds":1,"failureThreshold":300}`,
			newer: "1.3.0", after: `null`,
		},
		"EPPReplicas": {
			reason:     "Endpoint Pickers tell each other what they know since 1.6.0.",
			components: `{"S":{"componentType":"epp"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["DYN_ROUTER_REPLICA_SYNC"] },
			older:      "1.5.1", before: `""`,
			newer: "1.6.0", after: `"true"`,
		},
		"FrontendSidecarIdentity": {
			reason:     "A frontend sidecar is found by its own name since 1.6.0.",
			components: `{"S":{"componentType":"worker","frontendSidecar":{"image":"f"}}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(t.Spec.Containers[1].Env)["CONTAINER_NAME"] },
			older:      "1.5.1", before: `""`,
			newer: "1.6.0", after: `"sidecar-frontend"`,
		},
		"FrontendStartupProbe": {
			reason:     "Frontends have five minutes to start since 1.6.0.",
			components: `{"S":{"componentType":"frontend"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return main(t).StartupProbe },
			older:      "1.5.1", before: `null`,
			newer: "1.6.0", after: `{"httpGet":{"path":"/live","port":"http"},"timeoutSeconds":1,"periodSeconds":10,"failureThreshold":30}`,
		},
		"StrictPrefix": {
			reason:     "A frontend only finds the workers of its own graph since 1.6.0.",
			components: `{"S":{"componentType":"frontend"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["DYN_NAMESPACE_PREFIX_STRICT"] },
			older:      "1.5.1", before: `""`,
			newer: "1.6.0", after: `"true"`,
		},
		"StrictPrefixOfPickers": {
			reason:     "An Endpoint Picker only finds the workers of its own graph since 1.6.0.",
			components: `{"S":{"componentType":"epp"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["DYN_NAMESPACE_PREFIX_STRICT"] },
			older:      "1.5.1", before: `""`,
			newer: "1.6.0", after: `"true"`,
		},
		"StrictPrefixOfConfiguredPickers": {
			reason:     "An Endpoint Picker with a configuration does not know the variable, whatever its release is taken for.",
			components: `{"S":{"componentType":"epp","eppConfig":{"configMapRef":{"name":"epp","key":"k"}}}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["DYN_NAMESPACE_PREFIX_STRICT"] },
			older:      "1.5.1", before: `""`,
			newer: "1.6.0", after: `""`,
		},
		"WorkerCanaries": {
			reason:     "Workers check themselves since 1.5.0.",
			components: `{"S":{"componentType":"decode"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return values(main(t).Env)["DYN_HEALTH_CHECK_ENABLED"] },
			older:      "1.4.2", before: `"false"`,
			newer: "1.5.0", after: `"true"`,
		},
		"WorkerLiveness": {
			reason:     "Workers restart after three failed checks since 1.5.0.",
			components: `{"S":{"componentType":"decode"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return main(t).LivenessProbe.FailureThreshold },
			older:      "1.4.2", before: `1`,
			newer: "1.5.0", after: `3`,
		},
		"WorkerLivenessOfPlanners": {
			reason:     "Planners are no workers.",
			components: `{"S":{"componentType":"planner"}}`,
			of:         func(t corev1.PodTemplateSpec) any { return main(t).LivenessProbe.FailureThreshold },
			older:      "1.4.2", before: `1`,
			newer: "1.5.0", after: `1`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			assumed := tc.before
			if tc.newer.Compare(runtime.Assumed) <= 0 {
				assumed = tc.after
			}
			for version, want := range map[runtime.Version]string{"0.3.1": tc.before, tc.older: tc.before, tc.newer: tc.after, runtime.NewestWithRules(): tc.after, "": assumed} {
				got := tc.of(released(t, tc.components, version).Build("S", backend.RoleMain, nil))
				if diff := cmp.Diff(parse(t, want), tree(t, got)); diff != "" {
					t.Errorf("%s\nrelease %s: -want, +got:\n%s", tc.reason, version, diff)
				}
			}
		})
	}
}

// released is a builder for components, JSON. Service S has a release, and vLLM if it is a worker. All others have the release that is assumed.
func released(t *testing.T, components string, version runtime.Version) *Builder {
	t.Helper()
	b := planned(decodeComponents(t, components), graphplan.Component{Discovery: graphplan.Kubernetes})
	decision := b.Plan.Components["S"]
	decision.Framework, decision.RuntimeVersion = v1alpha1.BackendVLLM, version
	b.Plan.Components["S"] = decision
	return b
}
