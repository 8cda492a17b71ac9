package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestValidGraphs(t *testing.T) {
	cases := map[string]struct {
		reason string
		patch  string
		with   validate.Options
	}{
		"Simple":           {reason: "Nothing is wrong with the graph that the bad cases change.", patch: "{}", with: validate.Options{Grove: true, Scheduler: "kai-scheduler"}},
		"Nulls":            {reason: "A null counts as absent, as the API server has it.", patch: "spec: {services: {decode: {envs: null, subComponentType: null, extraPodSpec: {containers: null, mainContainer: {readinessProbe: {exec: null}}}}}}"},
		"Numbers":          {reason: "Quantities may be numbers.", patch: "spec: {services: {decode: {sharedMemory: {size: 1024}, resources: {limits: {cpu: 4, gpu: 8, custom: {rdma/ib: 1}}}}}}"},
		"DefaultNodeCount": {reason: "Two nodes is the default.", patch: "spec: {services: {decode: {multinode: {}}}}", with: validate.Options{Grove: true}},
		"ScaleToZero": {
			reason: "Only Grove cannot scale to zero.",
			patch:  "spec: {services: {decode: {replicas: 0}}}",
		},
		"SameSchedulerEverywhere": {
			reason: "A scheduler that every service names is fine on Grove.",
			patch:  "spec: {services: {Frontend: {extraPodSpec: {schedulerName: volcano}}, decode: {extraPodSpec: {schedulerName: volcano}}}}",
			with:   validate.Options{Grove: true, Scheduler: "kai-scheduler"},
		},
		"CacheOfVLLM": {
			reason: "A vLLM worker has a default for its compilation cache.",
			patch:  "spec: {services: {decode: {volumeMounts: [{name: cache, useAsCompilationCache: true}]}}}",
		},
		"ProfileOnly": {
			reason: "A profile without a domain serves constraints of services.",
			patch:  "spec: {topologyConstraint: {topologyProfile: a}, services: {decode: {topologyConstraint: {packDomain: rack}}}}",
		},
		"VolumeWithoutSource": {
			reason: "A null source counts as absent, and the API server then makes the volume an emptyDir.",
			patch:  "spec: {services: {decode: {extraPodSpec: {volumes: [{name: scratch, emptyDir: null}]}}}}",
		},
		"BlanksAroundQueue": {
			reason: "The names of queues are trimmed, and an empty one means the default.",
			patch:  `metadata: {annotations: {nvidia.com/kai-scheduler-queue: " team-a ", scheduling.volcano.sh/queue-name: ""}}`,
		},
		"OwnVolumes": {
			reason: "The volume of the shared memory may be mounted elsewhere too.",
			patch:  "spec: {services: {decode: {extraPodSpec: {mainContainer: {volumeMounts: [{name: shared-memory, mountPath: /shm}]}}}}}",
		},
		"HeadlessServiceOfReplicaThatIsNot": {
			reason: "Service decode has one replica, and so no headless Service decode-1.",
			patch:  "spec: {services: {decode: {multinode: {nodeCount: 2}}, decode-1: {extraPodSpec: {mainContainer: {image: x}}}}}",
			with:   validate.Options{LWS: true},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := problems(t, tc.patch, tc.with); len(got) > 0 {
				t.Errorf("%s\ngot problems: %q", tc.reason, got)
			}
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"AcrossTheSpec": {
			reason: "Decoding, fields, names and rules of Grove are all judged in one go, sorted by path.",
			patch: `
metadata: {name: a-graph-with-a-name-of-39-characters-abc}
spec:
  backendFramwork: vllm
  pvcs: [{name: models, create: true, size: 1Gi, storageClass: fast}]
  services:
    Frontend: {replicas: 0}
    decode:
      replicas: two
      multinode: {nodeCount: 1}
      extraPodSpec: {nodeName: a, mainContainer: {image: "", imagee: x}}
`,
			with: validate.Options{Grove: true},
			want: []string{
				`spec.backendFramwork: Invalid value: "vllm": unknown field; did you mean "backendFramework"?`,
				`spec.services[decode].extraPodSpec.mainContainer.imagee: Invalid value: "x": unknown field; did you mean "image"?`,
				`spec.services[decode].replicas: Invalid value: must be a whole number, not a string`,
				"spec.pvcs[0].volumeAccessMode: Required value: is required when create is true",
				"spec.services[Frontend]: Invalid value: \"Frontend\": the names of its PodCliqueSet (a-graph-with-a-name-of-39-characters-abc) and of the service have 48 characters in total, but Grove allows at most 45; shorten the name of the service",
				"spec.services[Frontend].replicas: Invalid value: 0: may not be 0 on Grove, which sets it to 1 when it admits the PodCliqueSet, so that one replica runs; remove the service from the graph while it is not needed, or, unless only Grove can run its nodes, create the graph with annotation nvidia.com/enable-grove: \"false\"",
				"spec.services[decode]: Invalid value: \"decode\": the names of its PodCliqueSet (a-graph-with-a-name-of-39-characters-abc) and of the service have 46 characters in total, but Grove allows at most 45; shorten the name of the service",
				"spec.services[decode].extraPodSpec.mainContainer.image: Required value: specify the image that runs the service",
				"spec.services[decode].extraPodSpec.nodeName: Forbidden: not supported on Grove; use nodeSelector or affinity instead",
				"spec.services[decode].multinode.nodeCount: Invalid value: 1: must be at least 2; remove multinode for a single-node service",
			},
		},
	})
}

func TestTooManyComponents(t *testing.T) {
	components := map[string]any{}
	for _, letter := range "abcdefghijklmnopqrstuvwxyz" {
		components[string(letter)] = map[string]any{"extraPodSpec": map[string]any{"mainContainer": map[string]any{"image": "x"}}}
	}
	xr := parse(t, valid)
	xr["spec"] = map[string]any{"services": components}
	g := decodeTree(t, xr)
	want := []string{"spec.services: Too many: 26: must have at most 25 items"}
	got := validate.Spec(g, validate.Options{}).Texts(&graph.Graph{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestWarnings(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"None": {reason: "Everything in the valid graph works.", patch: "{}"},
		"NoImages": {
			reason: "A sketch without any image can be looked at, and is said not to run.",
			patch:  "spec: {services: {Frontend: {extraPodSpec: null}, decode: {extraPodSpec: {mainContainer: {image: null, command: null}}}}}",
			want: []string{
				"spec.services[Frontend].extraPodSpec.mainContainer.image: no image is specified; the pods cannot start",
				"spec.services[decode].extraPodSpec.mainContainer.image: no image is specified; the pods cannot start",
			},
		},
		"NothingToRun": {
			reason: "A shell without a script ends at once. Nobody knows what another component is to run.",
			patch:  "spec: {services: {planner: {componentType: planner, extraPodSpec: {mainContainer: {image: runtime}}}, other: {extraPodSpec: {mainContainer: {image: runtime, args: [--fast]}}}}}",
			want: []string{
				"spec.services[other].extraPodSpec.mainContainer.command: the container runs /bin/sh -c without a script and exits immediately; specify its command, or [] to run the image's entry point",
				"spec.services[planner].extraPodSpec.mainContainer.command: the container runs /bin/sh -c without a script and exits immediately; specify its command, or [] to run the image's entry point",
			},
		},
		"InvalidImages": {
			reason: "No kubelet pulls an image whose name is none, such as one with a placeholder that was never filled in.",
			patch: `
spec:
  services:
    Frontend:
      extraPodSpec:
        mainContainer: {image: "<your-registry>/runtime:1"}
        initContainers: [{name: init, image: "https://nvcr.io/nvidia/init"}]
        containers: [{name: side, image: "localhost:5000/side:1@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}]
    decode:
      frontendSidecar: {image: "${IMAGE}"}
`,
			want: []string{
				`spec.services[Frontend].extraPodSpec.initContainers[0].image: "https://nvcr.io/nvidia/init" is not a valid image name; the pods cannot start`,
				`spec.services[Frontend].extraPodSpec.mainContainer.image: "<your-registry>/runtime:1" is not a valid image name; the pods cannot start`,
				`spec.services[decode].frontendSidecar.image: "${IMAGE}" is not a valid image name; the pods cannot start`,
			},
		},
		"EveryFieldWithoutEffect": {
			reason: "No field is ignored silently.",
			patch: `
spec:
  services:
    Frontend:
      dynamoNamespace: a
      volumeMounts: [{name: cache, mountPoint: /cache, useAsCompilationCache: true}]
      ingress: {enabled: true, host: a, useVirtualService: true, virtualServiceGateway: b, ingressControllerClassName: c, tls: {secretName: d}}
    Other:
      componentType: frontend
      extraPodSpec: {mainContainer: {image: x}}
      ingress: {enabled: true, host: a, virtualServiceGateway: b}
    decode:
      runtimeVersionOverride: 1.0.0
      modelRef: {name: a, revision: b}
      autoscaling: {enabled: true, maxReplicas: 2}
      ingress: {enabled: true, host: a}
      failover: {enabled: true, mode: interPod}
      gpuMemoryService: {enabled: true, mode: interPod}
      volumeMounts: [{name: cache, useAsCompilationCache: true}]
      extraPodSpec: {mainContainer: {name: engine}}
`,
			want: []string{
				"spec.services[Frontend].dynamoNamespace: has no effect; the Dynamo namespace is derived from the graph, unless globalDynamoNamespace is set",
				"spec.services[Frontend].ingress.ingressControllerClassName: has no effect on a VirtualService; remove it, or remove useVirtualService",
				"spec.services[Frontend].ingress.tls: has no effect on a VirtualService; the certificate belongs to its gateway",
				"spec.services[Frontend].volumeMounts[0].useAsCompilationCache: only mounts the volume, because only vLLM workers are configured to use the cache; set the environment variable of the engine in envs",
				"spec.services[Other].ingress.virtualServiceGateway: has no effect without useVirtualService: true",
				"spec.services[decode].autoscaling.metrics: without metrics Kubernetes targets a CPU utilization of 80 % of the request, but no CPU is requested; specify metrics, or set resources.requests.cpu",
				"spec.services[decode].extraPodSpec.mainContainer.name: has no effect; the main container is always named main",
				"spec.services[decode].gpuMemoryService.mode: interPod has no effect, and each pod has its own GPUs, because the pods of a live graph cannot be put into other groups; delete and recreate the graph on Grove, or use intraPod",
				"spec.services[decode].ingress: has no effect; only frontends are exposed",
				"spec.services[decode].modelRef.revision: has no effect; specify the revision in the arguments of the engine",
			},
		},
	})
}

func TestTooManyMistakes(t *testing.T) {
	components := map[string]any{}
	for _, letter := range "abcdefghijklmnopqrstuvwxy" {
		components[string(letter)] = map[string]any{
			"replicas": float64(-1), "serviceName": "other", "componentType": "worker", "multinode": map[string]any{"nodeCount": float64(1)},
			"extraPodSpec": map[string]any{"mainContainer": map[string]any{"image": "x", "command": []any{"run"}}},
		}
	}
	xr := parse(t, valid)
	xr["spec"] = map[string]any{"services": components}
	got := validate.Spec(decodeTree(t, xr), validate.Options{})
	if len(got) != 51 {
		t.Fatalf("want 50 mistakes and the number of the others, got %d", len(got))
	}
	if diff := cmp.Diff("spec: Invalid value: 25 more errors are not shown; fix these first", got[50].In(&graph.Graph{})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
