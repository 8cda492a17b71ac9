package apis_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// TestSchema holds what the schema refuses without any rule, on both flavours of the API.
func TestSchema(t *testing.T) {
	const quantity = `'^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'`

	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"TypoInPodSpec": {
			reason: "A typo deep in the embedded pod is refused at apply.",
			spec: `
services:
  worker: {extraPodSpec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpression: []}]}}}}}`,
			want: []string{`spec.services.worker.extraPodSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpression: Forbidden: unknown field`},
		},
		"TyposInMainContainer": {
			reason: "Typos in the main container and in lists are refused, all at once.",
			spec: `
services:
  worker: {extraPodSpec: {mainContainer: {imagePullpolicy: Always, env: [{name: A, valuefrom: {}}]}, nodeSelectors: {}}, livenessProbe: {httpget: {}}}`,
			want: []string{
				`spec.services.worker.extraPodSpec.mainContainer.env[0].valuefrom: Forbidden: unknown field`,
				`spec.services.worker.extraPodSpec.mainContainer.imagePullpolicy: Forbidden: unknown field`,
				`spec.services.worker.extraPodSpec.nodeSelectors: Forbidden: unknown field`,
				`spec.services.worker.livenessProbe.httpget: Forbidden: unknown field`,
			},
		},
		"PartialPod": {
			reason: "Pod and main container are partial, and keys of lists have their defaults.",
			spec: `
services:
  worker: {extraPodSpec: {mainContainer: {image: worker, ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]}, tolerations: [{operator: Exists}]}}`,
		},
		"DuplicatePort": {
			reason: "The list keys of Kubernetes hold in the main container, with their defaults.",
			spec: `
services:
  worker: {extraPodSpec: {mainContainer: {ports: [{containerPort: 80}, {containerPort: 80, protocol: TCP}]}}}`,
			want: []string{`spec.services[worker].extraPodSpec.mainContainer.ports[1]: Duplicate value: {"containerPort":80,"protocol":"TCP"}`},
		},
		"EphemeralVolumeLabels": {
			reason: "The metadata of an embedded template is kept, not pruned.",
			spec: `
services:
  worker: {extraPodSpec: {volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {metadata: {labels: {team: search}}, spec: {accessModes: [ReadWriteOnce]}}}}]}}`,
		},
		"Sidecar": {
			reason: "A further container needs its name.",
			spec:   `services: {worker: {extraPodSpec: {containers: [{image: proxy}]}}}`,
			want:   []string{`spec.services.worker.extraPodSpec.containers[0].name: Required value`},
		},
		"Quantities": {
			reason: "Quantities are strings or whole numbers.",
			spec: `
services:
  worker: {resources: {limits: {cpu: 4, memory: 64Gi, gpu: 8, custom: {rdma/ib: 1, ephemeral-storage: 1Ti}}, requests: {cpu: 500m, gpu: "8"}}}`,
		},
		"EmptyQuantities": {
			reason: "An empty string is not a quantity.",
			spec: `
services:
  worker: {resources: {limits: {cpu: "", custom: {rdma/ib: ""}}, requests: {memory: 64 GB}}}`,
			want: []string{
				`spec.services.worker.resources.limits.cpu: Invalid value: "": spec.services.worker.resources.limits.cpu in body should match ` + quantity,
				`spec.services.worker.resources.limits.custom.rdma/ib: Invalid value: "": spec.services.worker.resources.limits.custom.rdma/ib in body should match ` + quantity,
				`spec.services.worker.resources.requests.memory: Invalid value: "64 GB": spec.services.worker.resources.requests.memory in body should match ` + quantity,
			},
		},
		"Nulls": {
			reason: "A key without a value counts as absent.",
			spec: `
envs:
services:
  worker: {subComponentType: null, envs: null, replicas: null, resources: {limits: null}, extraPodSpec: {containers: null, mainContainer: {livenessProbe: {exec: null}}}, multinode: {nodeCount: null}}`,
		},
		"OneNode": {
			reason: "Multinode begins at two nodes.",
			spec:   `services: {worker: {multinode: {nodeCount: 1}}}`,
			want:   []string{`spec.services.worker.multinode.nodeCount: Invalid value: 1: spec.services.worker.multinode.nodeCount in body should be greater than or equal to 2`},
		},
		"Backend": {
			reason: "The engines are listed.",
			spec:   `{backendFramework: vLLM, services: {worker: {}}}`,
			want:   []string{`spec.backendFramework: Unsupported value: "vLLM": supported values: "sglang", "vllm", "trtllm"`},
		},
		"ClaimNameTwice": {
			reason: "Two entries of one claim could contradict each other.",
			spec:   `{pvcs: [{name: cache}, {name: cache}], services: {worker: {}}}`,
			want:   []string{`spec.pvcs[1]: Duplicate value: {"name":"cache"}`},
		},
		"ClaimNameEmpty": {
			reason: "A claim without a name cannot be made or mounted.",
			spec:   `{pvcs: [{name: ""}], services: {worker: {}}}`,
			want:   []string{`spec.pvcs[0].name: Invalid value: "": spec.pvcs[0].name in body should be at least 1 chars long`},
		},
	}
	for flavour, validator := range validators(t) {
		for name, tc := range cases {
			t.Run(flavour+"/"+name, func(t *testing.T) {
				if diff := cmp.Diff(tc.want, messages(validator.Validate(graph(t, tc.spec)))); diff != "" {
					t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestDefaults pins the defaults that the API server writes into a graph.
func TestDefaults(t *testing.T) {
	given := graph(t, `
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
    extraPodSpec: {mainContainer: {ports: [{containerPort: 80}]}}`)
	want := graph(t, `
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
      mode: Auto
      deletionPolicy: Delete
      startupPolicy: Immediate
      targetContainerName: main
      identity: {model: m, backendFramework: vllm, tensorParallelSize: 1, pipelineParallelSize: 1}
    gpuMemoryService: {enabled: true, mode: intraPod, deviceClassName: gpu.nvidia.com}
    failover: {enabled: true, mode: intraPod, numShadows: 1}
    extraPodSpec: {mainContainer: {ports: [{containerPort: 80, protocol: TCP}]}}`)

	admitted, errs := validators(t)["Namespaced"].Admit(given, nil)
	if len(errs) > 0 {
		t.Fatalf("%v", errs)
	}
	if diff := cmp.Diff(normal(t, want.Object["spec"]), normal(t, admitted.Object["spec"])); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
}

// TestStatus holds that the status that the Go types write, with conditions, is one that the API server takes.
func TestStatus(t *testing.T) {
	zero, score := int32(0), 0.75
	status := v1alpha1.DynamoGraphDeploymentStatus{
		State:              v1alpha1.StatePending,
		ObservedGeneration: 3,
		Conditions:         []metav1.Condition{{Type: "Accepted", Status: metav1.ConditionTrue, Reason: "Valid", LastTransitionTime: metav1.Now()}},
		Orchestrator:       "Grove",
		TotalGPUs:          16,
		Services: map[string]v1alpha1.ServiceStatus{"worker": {
			ComponentKind: v1alpha1.ComponentKindPodCliqueScalingGroup, ComponentName: "graph-0-worker", ComponentNames: []string{"graph-0-worker"},
			ReadyReplicas: &zero, AvailableReplicas: &zero, ScheduledReplicas: &zero, RuntimeNamespace: "default-graph",
		}},
		Restart:     &v1alpha1.RestartStatus{ObservedID: "one", Phase: "Restarting", InProgress: []string{"worker"}},
		Checkpoints: map[string]v1alpha1.CheckpointStatus{"worker": {CheckpointName: "warm", Ready: true}},
		Placement:   &v1alpha1.PlacementStatus{Score: &score, State: "Reported"},
	}
	for flavour, validator := range validators(t) {
		t.Run(flavour, func(t *testing.T) {
			object := graph(t, `services: {worker: {}}`)
			object.Object["status"] = normal(t, status)
			for _, err := range validator.Validate(object) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestExamples holds that what a user starts from is accepted.
func TestExamples(t *testing.T) {
	validator := validators(t)["Namespaced"]
	for _, path := range examples(t) {
		t.Run(path, func(t *testing.T) {
			for _, err := range validator.Validate(readManifest(t, path)) {
				t.Errorf("%v", err)
			}
		})
	}
}

// normal returns value as JSON decodes it.
func normal(t testing.TB, value any) any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := yaml.Unmarshal(data, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func examples(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "examples", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	graphs := slices.DeleteFunc(paths, func(path string) bool {
		return readManifest(t, path).GetKind() != v1alpha1.Kind
	})
	if len(graphs) == 0 {
		t.Fatal("found no examples")
	}
	return graphs
}
