package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestComponents(t *testing.T) {
	const (
		ofGPU = `"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"],
			"resources":{"limits":{"nvidia.com/gpu":1}}}]}}`
		notQualified = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
			`(e.g. 'MyName',  or 'my.name',  or '123-abc')`
	)
	cases := map[string]struct {
		reason   string
		spec     string
		errs     []string
		warnings []string
	}{
		"Valid": {
			reason: "A component with an image and a command is complete.",
			spec: `{"components":[{"name":"Worker","type":"worker",
				"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"]}]}}}]}`,
		},
		"UnknownType": {
			reason: "Types of components are those that upstream knows, unlike those of services.",
			spec: `{"components":[{"name":"Worker","type":"router",
				"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"]}]}}}]}`,
			errs: []string{`spec.components[Worker].type: Unsupported value: "router": supported values: "decode", "epp", "frontend", "planner", "prefill", "worker"`},
		},
		"MisspeltType": {
			reason: "A type in another case is one that does not exist, and it is clear what is meant.",
			spec: `{"components":[{"name":"Worker","type":"Worker",
				"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"]}]}}}]}`,
			errs: []string{`spec.components[Worker].type: Unsupported value: "Worker": supported values: "decode", "epp", "frontend", "planner", "prefill", "worker"; did you mean "worker"?`},
		},
		"UnknownShareMode": {
			reason: "Modes are those of the form that the user wrote.",
			spec: `{"components":[{"name":"Worker","type":"worker","experimental":{"failover":{"mode":"Shared"}},
				"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"]}]}}}]}`,
			errs: []string{
				`spec.components[Worker].experimental.failover.mode: Unsupported value: "Shared": supported values: "InterPod", "IntraPod"`,
				"spec.components[Worker].experimental.gpuMemoryService: Required value: failover requires the GPU memory service with the same mode; add it, or remove failover",
			},
		},
		"SidecarIsNoContainer": {
			reason: "The frontend sidecar is one of the containers of the pod template.",
			spec: `{"components":[{"name":"Worker","type":"worker","frontendSidecar":"front",
				"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"]}]}}}]}`,
			errs: []string{`spec.components[Worker].frontendSidecar: Invalid value: "front": is not a container beside the main container; ` +
				`add the container to podTemplate.spec.containers, or remove the name`},
		},
		"ShareModeOfServices": {
			reason: "Modes of services begin with a lower-case letter, those of components do not.",
			spec: `{"components":[{"name":"Worker","type":"worker","experimental":{"gpuMemoryService":{"mode":"intraPod"}},
				"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"],
				"resources":{"limits":{"nvidia.com/gpu":1}}}]}}}]}`,
			errs: []string{`spec.components[Worker].experimental.gpuMemoryService.mode: Unsupported value: "intraPod": supported values: "InterPod", "IntraPod"; did you mean "IntraPod"?`},
		},
		"FailoverOfOtherMode": {
			reason: "Standby engines share the memory of the GPUs in the same way as the engine.",
			spec: `{"components":[{"name":"Worker","type":"worker","experimental":{"gpuMemoryService":{},"failover":{"mode":"InterPod","numShadows":2}},
				"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"],
				"resources":{"limits":{"nvidia.com/gpu":1}}}]}}}]}`,
			errs: []string{
				`spec.components[Worker].experimental.failover.mode: Invalid value: "InterPod": must be the mode of gpuMemoryService; change one of the two`,
				"spec.components[Worker].experimental.failover.numShadows: Invalid value: 2: must be 1; set replicas for more engines",
			},
		},
		"Quantities": {
			reason: "Amounts of containers are checked like those of services.",
			spec: `{"components":[{"name":"Worker","type":"worker","podTemplate":{"spec":{"containers":[{"name":"main","image":"i","command":["run"],
				"resources":{"limits":{"cpu":"-1","my gpu":1}}}]}}}]}`,
			errs: []string{
				`spec.components[Worker].podTemplate.spec.containers[main].resources.limits: Invalid value: "my gpu": ` + notQualified,
				`spec.components[Worker].podTemplate.spec.containers[main].resources.limits[cpu]: Invalid value: "-1": must be at least 0`,
			},
		},
		"Twice": {
			reason: "Names are unique, also those that only one container can have in v1alpha1.",
			spec: `{"components":[{"name":"Worker","type":"worker","podTemplate":{"spec":{"containers":[
				{"name":"main","image":"i","command":["run"],"env":[{"name":"A","value":"x"},{"name":"A","value":"z"}]},{"name":"main","image":"i"}]}}}]}`,
			errs: []string{
				`spec.components[Worker].podTemplate.spec.containers[1].name: Invalid value: "main": is duplicated; rename or remove one of the two`,
				`spec.components[Worker].podTemplate.spec.containers[main].env[1].name: Invalid value: "A": is duplicated; rename or remove one of the two`,
			},
		},
		"NoImage": {
			reason: "The image is missing where the user has to add it.",
			spec: `{"components":[{"name":"Worker","type":"worker","podTemplate":{"spec":{"containers":[{"name":"side","image":"i"},{"name":"main","command":["run"]},
				{"name":"last"}]}}}]}`,
			errs: []string{
				"spec.components[Worker].podTemplate.spec.containers[2].image: Required value: specify the image of the container",
				"spec.components[Worker].podTemplate.spec.containers[main].image: Required value: specify the image that runs the component",
			},
		},
		"Ignored": {
			reason: "Fields without effect get a warning.",
			spec: `{"components":[{"name":"Worker","type":"worker","podTemplate":{"metadata":{"name":"x"},
				"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"]}]}}}]}`,
			warnings: []string{
				"spec.components[Worker].podTemplate.metadata.name: has no effect on pods; remove it",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, map[string]any{
				"kind": "DynamoGraphDeployment", "metadata": map[string]any{"name": "llama", "namespace": "inference"}, "spec": parse(t, tc.spec),
			})
			if diff := cmp.Diff(tc.errs, validate.Spec(g, validate.Options{}).Texts(g)); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, warningsOf(g)); diff != "" {
				t.Errorf("%s\nWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestComponentsOfOtherTypes holds what is said of values that the conversion from v1alpha1 leaves out.
func TestComponentsOfOtherTypes(t *testing.T) {
	const atLeastOne = "spec.components: Required value: at least one component is required"
	cases := map[string]struct {
		reason string
		spec   string
		want   []string
	}{
		"NoList": {
			reason: "Components are a list.",
			spec:   `{"components":{"Worker":{}}}`,
			want:   []string{"spec.components: Invalid value: must be a list, not an object; begin each entry with a dash", atLeastOne},
		},
		"NoObject": {
			reason: "A component is an object.",
			spec:   `{"components":["Worker"]}`,
			want: []string{
				`spec.components[0]: Invalid value: must be an object, not a string`,
				`spec.components[]: Invalid value: "": the name must be a DNS label: letters, digits and dashes, beginning and ending with a letter or digit, at most 63 characters`,
			},
		},
		"NoQuantity": {
			reason: "The amount of a resource is a quantity.",
			spec: `{"components":[{"name":"Worker","podTemplate":{"spec":{"containers":[{"name":"main","image":"i","command":["run"],
				"resources":{"limits":{"memory":"10Gigs","cpu":""}}}]}}}]}`,
			want: []string{
				`spec.components[Worker].podTemplate.spec.containers[main].resources.limits[cpu]: Invalid value: "": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi`,
				`spec.components[Worker].podTemplate.spec.containers[main].resources.limits[memory]: Invalid value: "10Gigs": must be a quantity: a number with an optional suffix and without spaces, such as 4, 500m or 16Gi`,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			xr := parse(t, valid)
			xr["apiVersion"], xr["spec"] = "nvidia.com/v1beta1", parse(t, tc.spec)
			g, errs := graph.Decode(request(t, xr))
			if diff := cmp.Diff(tc.want, append(errs, validate.Spec(g, validate.Options{})...).Texts(g)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
