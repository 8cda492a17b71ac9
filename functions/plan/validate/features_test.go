package validate_test

import (
	"testing"
)

func TestBadFeatures(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"CreatedPVCWithoutAnything": {
			reason: "A claim that is created is described in full; all that is missing is said.",
			patch:  `spec: {pvcs: [{name: models, create: true}]}`,
			want: []string{
				"spec.pvcs[0].size: Required value: a claim that is created needs a size above 0",
				"spec.pvcs[0].storageClass: Required value: a claim that is created needs a storage class",
				"spec.pvcs[0].volumeAccessMode: Required value: a claim that is created needs an access mode",
			},
		},
		"SamePVCTwice": {
			reason: "Names of claims are unique.",
			patch:  `spec: {pvcs: [{name: a}, {name: a}]}`,
			want: []string{
				`spec.pvcs[1].name: Invalid value: "a": is there twice; rename or remove one of the two`,
			},
		},
		"BadAccessMode": {
			reason: "Only four modes exist.",
			patch:  `spec: {pvcs: [{name: a, create: true, size: 1Gi, storageClass: x, volumeAccessMode: ReadWrite}]}`,
			want: []string{
				`spec.pvcs[0].volumeAccessMode: Unsupported value: "ReadWrite": supported values: "ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"`,
			},
		},
		"RestartWithoutID": {
			reason: "A restart needs a token.",
			patch:  `spec: {restart: {id: ""}}`,
			want: []string{
				"spec.restart.id: Required value: give a token; a new one starts a restart",
			},
		},
		"RestartOrder": {
			reason: "Every service once, and no other.",
			patch:  `spec: {restart: {id: a, strategy: {order: [decode, decode, other]}}}`,
			want: []string{
				"spec.restart.strategy.order: Required value: must name every service; Frontend is missing",
				`spec.restart.strategy.order[1]: Invalid value: "decode": is there twice; rename or remove one of the two`,
				`spec.restart.strategy.order[2]: Invalid value: "other": is not a service of the graph; remove it`,
			},
		},
		"RestartOrderWithParallel": {
			reason: "Order means nothing in parallel.",
			patch:  `spec: {restart: {id: a, strategy: {type: Parallel, order: [decode, Frontend]}}}`,
			want: []string{
				"spec.restart.strategy.order: Forbidden: has no effect with type Parallel; remove it",
			},
		},
		"IngressWithoutHost": {
			reason: "An enabled ingress needs a host.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true}}}}`,
			want: []string{
				"spec.services[Frontend].ingress.host: Required value: an enabled ingress needs a host",
			},
		},
		"VirtualServiceWithoutGateway": {
			reason: "A VirtualService needs a gateway.",
			patch:  `spec: {services: {Frontend: {ingress: {enabled: true, host: a, useVirtualService: true}}}}`,
			want: []string{
				"spec.services[Frontend].ingress.virtualServiceGateway: Required value: a VirtualService needs a gateway",
			},
		},
		"ModelWithoutName": {
			reason: "A model has a name.",
			patch:  `spec: {services: {decode: {modelRef: {name: ""}}}}`,
			want: []string{
				"spec.services[decode].modelRef.name: Required value: name the model",
			},
		},
		"PickerConfigOfWorker": {
			reason: "Only a picker is configured.",
			patch:  `spec: {services: {decode: {eppConfig: {configMapRef: {name: a, key: b}}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Forbidden: only a service of componentType epp has a picker to configure",
			},
		},
		"PickerWithoutConfig": {
			reason: "A picker needs a configuration, one node and one replica.",
			patch:  `spec: {services: {decode: {componentType: epp, replicas: 2, multinode: {nodeCount: 2}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Required value: the Endpoint Picker needs configMapRef or config",
				"spec.services[decode].multinode: Forbidden: the Endpoint Picker runs on one node; remove it",
				"spec.services[decode].replicas: Invalid value: 2: the Endpoint Picker has exactly 1 replica",
			},
		},
		"PickerWithTwoConfigs": {
			reason: "One of the two.",
			patch:  `spec: {services: {decode: {componentType: epp, eppConfig: {configMapRef: {name: a, key: b}, config: {plugins: [], schedulingProfiles: []}}}}}`,
			want: []string{
				"spec.services[decode].eppConfig: Forbidden: has both configMapRef and config; remove one",
			},
		},
		"GPUMemoryOfFrontend": {
			reason: "Only workers have GPUs.",
			patch:  `spec: {services: {Frontend: {gpuMemoryService: {enabled: true}}}}`,
			want: []string{
				"spec.services[Frontend].gpuMemoryService: Forbidden: only workers (componentType worker, prefill or decode) have GPU memory to share",
			},
		},
		"GPUMemoryBetweenPods": {
			reason: "Not supported.",
			patch:  `spec: {services: {decode: {gpuMemoryService: {enabled: true, mode: interPod}}}}`,
			want: []string{
				"spec.services[decode].gpuMemoryService.mode: Forbidden: interPod is not supported; use intraPod",
			},
		},
		"CheckpointOfNothing": {
			reason: "A checkpoint is identified.",
			patch:  `spec: {services: {decode: {checkpoint: {enabled: true}}}}`,
			want: []string{
				"spec.services[decode].checkpoint: Required value: an enabled checkpoint needs checkpointRef, or identity with model and backendFramework",
			},
		},
		"ProviderOverride": {
			reason: "Not supported, at every level.",
			patch:  `spec: {providerOverride: {apiVersion: a, value: {}}, services: {decode: {providerOverride: {apiVersion: a, value: {}}, multinode: {nodeCount: 2, leader: {providerOverride: {apiVersion: a, value: {}}}, worker: {providerOverride: {apiVersion: a, value: {}}}}}}}`,
			want: []string{
				"spec.providerOverride: Forbidden: overrides of generated objects are not supported: set extraPodSpec, or policy in the Composition",
				"spec.services[decode].multinode.leader.providerOverride: Forbidden: overrides of generated objects are not supported: set extraPodSpec, or policy in the Composition",
				"spec.services[decode].multinode.worker.providerOverride: Forbidden: overrides of generated objects are not supported: set extraPodSpec, or policy in the Composition",
				"spec.services[decode].providerOverride: Forbidden: overrides of generated objects are not supported: set extraPodSpec, or policy in the Composition",
			},
		},
		"KVTransferPolicy": {
			reason: "Not supported.",
			patch:  `spec: {experimental: {kvTransferPolicy: {domain: rack, labelKey: a}}}`,
			want: []string{
				"spec.experimental.kvTransferPolicy: Forbidden: is not supported: it needs the Dynamo operator, which labels pods with the domain of their node",
			},
		},
	})
}
