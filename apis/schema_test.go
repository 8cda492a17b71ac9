package apis_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		"ComponentNameBad": {
			reason: "A component's name becomes part of the names of objects.",
			spec:   `components: [{name: work_er}]`,
			want:   []string{`spec.components[0].name: Invalid value: "work_er": spec.components[0].name in body should match '^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$'`},
		},
		"ComponentNameMissing": {
			reason: "A component is known by its name.",
			spec:   `components: [{type: worker}]`,
			want:   []string{`spec.components[0].name: Required value`},
		},
		"ComponentTwice": {
			reason: "Two components of one name could contradict each other.",
			spec:   `components: [{name: a}, {name: a}]`,
			want: []string{
				`spec.components: Invalid value: component names must be unique regardless of case; rename one of the two components`,
				`spec.components[1]: Duplicate value: {"name":"a"}`,
			},
		},
		"ComponentTypeUnknown": {
			reason: "Components have one of six types.",
			spec:   `components: [{name: a, type: router}]`,
			want:   []string{`spec.components[0].type: Unsupported value: "router": supported values: "frontend", "worker", "prefill", "decode", "planner", "epp"`},
		},
		"ComponentOfServices": {
			reason: "A field of services is unknown in a component.",
			spec:   `components: [{name: a, replicas: 1, envs: []}]`,
			want:   []string{`spec.components[0].envs: Forbidden: unknown field`},
		},
		"PodTemplateWithoutContainers": {
			reason: "A pod template has containers, as Kubernetes has it.",
			spec:   `components: [{name: a, podTemplate: {spec: {}}}]`,
			want:   []string{`spec.components[0].podTemplate.spec.containers: Required value`},
		},
		"AdapterWithSettings": {
			reason: "A scaling adapter has no settings: to be there turns it on.",
			spec:   `components: [{name: a, scalingAdapter: {enabled: false}}]`,
			want:   []string{`spec.components[0].scalingAdapter.enabled: Forbidden: unknown field`},
		},
		"TwoShadows": {
			reason: "There is one standby engine.",
			spec:   `components: [{name: a, type: worker, experimental: {gpuMemoryService: {}, failover: {numShadows: 2}}}]`,
			want:   []string{`spec.components[0].experimental.failover.numShadows: Invalid value: 2: spec.components[0].experimental.failover.numShadows in body should be less than or equal to 1`},
		},
		"CheckpointNeither": {
			reason: "Whether a checkpoint of a component is on is always said.",
			spec:   `components: [{name: a, experimental: {checkpoint: {}}}]`,
			want:   []string{`spec.components[0].experimental.checkpoint.enabled: Required value`},
		},
		"ClaimNameEmpty": {
			reason: "A claim without a name cannot be made or mounted.",
			spec:   `{pvcs: [{name: ""}], services: {worker: {}}}`,
			want:   []string{`spec.pvcs[0].name: Invalid value: "": spec.pvcs[0].name in body should be at least 1 chars long`},
		},
	}
	for served, validator := range validators(t) {
		for name, tc := range cases {
			t.Run(served.flavour+"/"+served.version+"/"+name, func(t *testing.T) {
				if diff := cmp.Diff(tc.want, messages(validator.Validate(graph(t, served.version, tc.spec)))); diff != "" {
					t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
				}
			})
		}
	}
}

// TestExamples checks that what a user starts from is accepted.
func TestExamples(t *testing.T) {
	validators := validators(t)
	for _, path := range examples(t) {
		t.Run(path, func(t *testing.T) {
			manifest := readManifest(t, path)
			for _, err := range validators[servedAt(manifest)].Validate(manifest) {
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
	var graphs []string
	for _, folder := range []string{"examples", "examples/v1alpha1"} {
		paths, err := filepath.Glob(filepath.Join("..", folder, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		paths = slices.DeleteFunc(paths, func(path string) bool {
			return readManifest(t, path).GetKind() != v1alpha1.Kind
		})
		if len(paths) == 0 {
			t.Fatalf("found no graphs in %s", folder)
		}
		graphs = append(graphs, paths...)
	}
	return graphs
}
