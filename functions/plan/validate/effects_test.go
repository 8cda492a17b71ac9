package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

func TestWarningsOfOverriddenFields(t *testing.T) {
	const replaced = "is replaced by the shared memory of the service; set sharedMemory.size, or sharedMemory.disabled: true to keep it"
	cases := map[string]struct {
		reason string
		patch  string
		want   []string
	}{
		"EnableGrove": {
			reason: "A value that means neither yes nor no.",
			patch:  `metadata: {annotations: {nvidia.com/enable-grove: "no"}}`,
			want:   []string{`metadata.annotations[nvidia.com/enable-grove]: has no effect with this value; only "false" keeps the graph off Grove`},
		},
		"EnableGroveInCapitals": {
			reason: "Case does not matter.",
			patch:  `metadata: {annotations: {nvidia.com/enable-grove: "False"}}`,
		},
		"DuplicateVariables": {
			reason: "Lists of variables are merged by name.",
			patch:  `spec: {envs: [{name: A, value: x}, {name: A, value: z}], services: {decode: {envs: [{name: B}, {name: B}], frontendSidecar: {image: x, envs: [{name: C}, {name: C}]}}}}`,
			want: []string{
				"spec.envs[1].name: variable A is there twice, and the last one counts; remove the other",
				"spec.services[decode].envs[1].name: variable B is there twice, and the last one counts; remove the other",
				"spec.services[decode].frontendSidecar.envs[1].name: variable C is there twice, and the last one counts; remove the other",
			},
		},
		"ReservedLabels": {
			reason: "Pods are found by labels that users cannot set.",
			patch:  `spec: {labels: {nvidia.com/selector: a}, services: {decode: {labels: {nvidia.com/dynamo-component: b}, extraPodMetadata: {labels: {nvidia.com/dynamo-namespace: c}}}}}`,
			want: []string{
				"spec.labels[nvidia.com/selector]: has no effect on pods, which are found by this label; remove it",
				"spec.services[decode].extraPodMetadata.labels[nvidia.com/dynamo-namespace]: has no effect on pods, which are found by this label; remove it",
				"spec.services[decode].labels[nvidia.com/dynamo-component]: has no effect on pods, which are found by this label; remove it",
			},
		},
		"ExistingClaim": {
			reason: "A claim that exists has its size.",
			patch:  `spec: {pvcs: [{name: a, size: 1Gi}, {name: b, create: false}, {name: c, create: true, size: 1Gi, storageClass: d, volumeAccessMode: ReadWriteMany}]}`,
			want:   []string{"spec.pvcs[0]: size, storageClass and volumeAccessMode have no effect on a claim that exists; set create: true, or remove them"},
		},
		"ComponentTypeInCapitals": {
			reason: "Component types are case sensitive.",
			patch:  `spec: {services: {decode: {componentType: Worker}}}`,
			want:   []string{`spec.services[decode].componentType: "Worker" is no known component type and gets no defaults; did you mean "worker"?`},
		},
		"ProbesTwice": {
			reason: "The service's probes replace the container's.",
			patch: `spec: {services: {decode: {livenessProbe: {tcpSocket: {port: 1}}, readinessProbe: {tcpSocket: {port: 1}},
				extraPodSpec: {mainContainer: {livenessProbe: {tcpSocket: {port: 2}}, readinessProbe: {tcpSocket: {port: 2}}}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.livenessProbe: has no effect; livenessProbe of the service replaces it",
				"spec.services[decode].extraPodSpec.mainContainer.readinessProbe: has no effect; readinessProbe of the service replaces it",
			},
		},
		"OwnPorts": {
			reason: "Where the ports of the user replace those that the component type's probes ask, the probes ask by number.",
			patch:  `spec: {services: {Frontend: {extraPodSpec: {mainContainer: {ports: [{containerPort: 9000}]}}}, decode: {extraPodSpec: {mainContainer: {ports: [{containerPort: 9000}]}}}}}`,
		},
		"OwnPortsAndProbes": {
			reason: "Probes of the user ask ports of the user.",
			patch: `spec: {services: {decode: {livenessProbe: {tcpSocket: {port: api}}, extraPodSpec: {mainContainer: {ports: [{containerPort: 9000, name: api}],
				readinessProbe: {httpGet: {port: 9000}}, startupProbe: {httpGet: {port: metrics}}}}}}}`,
			want: []string{"spec.services[decode].extraPodSpec.mainContainer.startupProbe: asks port metrics, which mainContainer.ports does not have; the probe fails until it does"},
		},
		"OwnPortsOfOtherType": {
			reason: "A type without probes asks nothing.",
			patch:  `spec: {services: {decode: {componentType: other, extraPodSpec: {mainContainer: {ports: [{containerPort: 9000}]}}}}}`,
		},
		"SharedMemory": {
			reason: "The tmpfs of the service takes the place of the user's.",
			patch:  `spec: {services: {decode: {extraPodSpec: {volumes: [{name: shared-memory, emptyDir: {}}, {name: shm, emptyDir: {}}], mainContainer: {volumeMounts: [{name: shm, mountPath: /dev/shm}]}}}}}`,
			want: []string{
				"spec.services[decode].extraPodSpec.mainContainer.volumeMounts[0]: " + replaced,
				"spec.services[decode].extraPodSpec.volumes[0]: " + replaced,
			},
		},
		"ClaimAtSharedMemory": {
			reason: "A claim cannot be the shared memory.",
			patch:  `spec: {services: {decode: {volumeMounts: [{name: a, mountPoint: /dev/shm/}]}}}`,
			want: []string{
				"spec.services[decode].volumeMounts[0]: is replaced by the shared memory of the service; set sharedMemory.size, or sharedMemory.disabled: true to keep it",
			},
		},
		"DisabledSharedMemory": {
			reason: "Disabled, it takes the place of nothing.",
			patch:  `spec: {services: {decode: {sharedMemory: {disabled: true}, extraPodSpec: {volumes: [{name: shared-memory, emptyDir: {}}]}}}}`,
		},
		"NodesWithoutBackend": {
			reason: "Nobody makes the nodes one engine.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {command: [serve]}}}}}`,
			want: []string{
				"spec.services[decode].multinode: no backend is known for this service, so all nodes run the same command; set componentType: worker and backendFramework, or let the command form the group",
			},
		},
		"Milli": {
			reason: "500m of memory is half a byte.",
			patch:  `spec: {services: {decode: {resources: {limits: {memory: 500m}}}}}`,
			want:   []string{"spec.services[decode].resources.limits.memory: 500m is no whole number of bytes; m means a thousandth, and M or Mi millions"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := decode(t, tc.patch)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(tc.want, validate.Warnings(g)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestTooManyMistakes(t *testing.T) {
	services := map[string]any{}
	for _, letter := range "abcdefghijklmnopqrstuvwxy" {
		services[string(letter)] = map[string]any{
			"replicas": float64(-1), "serviceName": "other", "multinode": map[string]any{"nodeCount": float64(1)},
			"extraPodSpec": map[string]any{"mainContainer": map[string]any{"image": "x"}},
		}
	}
	xr := parse(t, valid)
	xr["spec"] = map[string]any{"services": services}
	got := validate.Spec(decodeTree(t, xr), validate.Options{})
	if len(got) != 51 {
		t.Fatalf("want 50 mistakes and the number of the others, got %d", len(got))
	}
	if diff := cmp.Diff("spec: Invalid value: and 25 more mistakes; correct these first", got[50].Error()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
