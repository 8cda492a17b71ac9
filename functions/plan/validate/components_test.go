package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

func TestComponents(t *testing.T) {
	const template = `"podTemplate":{"spec":{"containers":[{"name":"main","image":"registry.example.org/runtime:1.0.0","command":["run"]}]}}`
	cases := map[string]struct {
		reason   string
		spec     string
		errs     []string
		warnings []string
	}{
		"Valid": {
			reason: "A component with an image and a command is complete.",
			spec:   `{"components":[{"name":"Worker","type":"worker",` + template + `}]}`,
		},
		"UnknownType": {
			reason: "Types of components are those that upstream knows, unlike those of services.",
			spec:   `{"components":[{"name":"Worker","type":"router",` + template + `}]}`,
			errs:   []string{`spec.components[Worker].type: Unsupported value: "router": supported values: "decode", "epp", "frontend", "planner", "prefill", "worker"`},
		},
		"UnknownShareMode": {
			reason: "Modes are those of the form that the user wrote.",
			spec:   `{"components":[{"name":"Worker","type":"worker","experimental":{"failover":{"mode":"Shared"}},` + template + `}]}`,
			errs:   []string{`spec.components[Worker].experimental.failover.mode: Unsupported value: "Shared": supported values: "InterPod", "IntraPod"`},
			warnings: []string{"spec.components[Worker].experimental.failover: has no effect, and each pod runs one engine, because standby engines require the " +
				"Dynamo operator, which adds them to the pods; run the graph with the operator, or remove failover and set replicas to 2"},
		},
		"SidecarIsNoContainer": {
			reason: "The frontend sidecar is one of the containers of the pod template.",
			spec:   `{"components":[{"name":"Worker","type":"worker","frontendSidecar":"front",` + template + `}]}`,
			errs: []string{`spec.components[Worker].frontendSidecar: Invalid value: "front": is not a container beside the main container; ` +
				`add the container to podTemplate.spec.containers, or remove the name`},
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
			var errs []string
			for _, err := range g.Errors(validate.Spec(g, validate.Options{})) {
				errs = append(errs, err.Error())
			}
			if diff := cmp.Diff(tc.errs, errs); diff != "" {
				t.Errorf("%s\nSpec(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, g.Texts(validate.Warnings(g))); diff != "" {
				t.Errorf("%s\nWarnings(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
