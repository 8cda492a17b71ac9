package apis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDefaults pins the defaults that the API server writes into a graph.
func TestDefaults(t *testing.T) {
	cases := map[string]struct{ reason, given, want string }{
		"Services": {
			reason: "Services get the defaults of v1alpha1.",
			given: `
restart: {id: one, strategy: {}}
experimental: {kvTransferPolicy: {domain: rack, labelKey: rack}}
services:
  worker:
    componentType: worker
    multinode: {nodeCount: null}
    scalingAdapter: {}
    volumeMounts: [{name: cache, mountPoint: /cache}]
    checkpoint: {identity: {model: m, backendFramework: vllm}}
    gpuMemoryService: {enabled: true}
    failover: {enabled: true}
    extraPodSpec: {mainContainer: {ports: [{containerPort: 80}]}}`,
			want: `
restart: {id: one, strategy: {type: Sequential}}
experimental: {kvTransferPolicy: {domain: rack, labelKey: rack, enforcement: required}}
services:
  worker:
    componentType: worker
    multinode: {nodeCount: 2}
    scalingAdapter: {enabled: false}
    volumeMounts: [{name: cache, mountPoint: /cache, useAsCompilationCache: false}]
    checkpoint:
      enabled: false
      deletionPolicy: Delete
      startupPolicy: Immediate
      targetContainerName: main
      identity: {model: m, backendFramework: vllm, tensorParallelSize: 1, pipelineParallelSize: 1}
    gpuMemoryService: {enabled: true, mode: intraPod, deviceClassName: gpu.nvidia.com}
    failover: {enabled: true, mode: intraPod, numShadows: 1}
    extraPodSpec: {mainContainer: {ports: [{containerPort: 80, protocol: TCP}]}}`,
		},
		"Components": {
			reason: "Components get the defaults of v1beta1, and replicas in addition: a planner counts absent ones as none.",
			given: `
restart: {id: one, strategy: {}}
experimental: {kvTransferPolicy: {domain: rack, labelKey: rack}}
components:
- name: worker
  type: worker
  multinode: {}
  scalingAdapter: {}
  sharedMemorySize: 16Gi
  podTemplate: {spec: {containers: [{name: main, ports: [{containerPort: 80}]}]}}
  experimental:
    gpuMemoryService: {}
    failover: {}
    checkpoint: {enabled: true, identity: {model: m, backendFramework: vllm}}
- name: idle
  replicas: 0`,
			want: `
restart: {id: one, strategy: {type: Sequential}}
experimental: {kvTransferPolicy: {domain: rack, labelKey: rack, enforcement: required}}
components:
- name: worker
  type: worker
  replicas: 1
  multinode: {nodeCount: 2}
  scalingAdapter: {}
  sharedMemorySize: 16Gi
  podTemplate: {spec: {containers: [{name: main, ports: [{containerPort: 80, protocol: TCP}]}]}}
  experimental:
    gpuMemoryService: {mode: IntraPod, deviceClassName: gpu.nvidia.com}
    failover: {mode: IntraPod, numShadows: 1}
    checkpoint:
      enabled: true
      deletionPolicy: Delete
      startupPolicy: Immediate
      targetContainerName: main
      identity: {model: m, backendFramework: vllm, tensorParallelSize: 1, pipelineParallelSize: 1}
- name: idle
  replicas: 0`,
		},
	}
	for served, validator := range validators(t) {
		for name, tc := range cases {
			t.Run(served.flavour+"/"+served.version+"/"+name, func(t *testing.T) {
				admitted, errs := validator.Admit(graph(t, served.version, tc.given), nil)
				if len(errs) > 0 {
					t.Fatalf("%v", errs)
				}
				want := graph(t, served.version, tc.want)
				if diff := cmp.Diff(normal(t, want.Object["spec"]), normal(t, admitted.Object["spec"])); diff != "" {
					t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
				}
			})
		}
	}
}
