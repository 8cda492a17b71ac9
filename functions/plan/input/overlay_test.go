package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// overlaid is what the data of EnvironmentConfig dynamo, JSON, makes of an input for a graph in namespace team-a.
func overlaid(input, data string) (*v1alpha1.Input, []string) {
	var over *structpb.Value
	if data != "" {
		over = structpb.NewStructValue(steptest.Struct(data))
	}
	in, errs := Overlay(given(input), over, "dynamo", "team-a")
	var all []string
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return in, all
}

// TestPrecedence shows what counts if a field is in several places. docs/policy.md has the same order.
func TestPrecedence(t *testing.T) {
	type policy struct {
		KAIQueue, VolcanoQueue string
		GPUs                   int64
		Registries             []string
	}
	cases := map[string]struct {
		reason      string
		input, data string
		want        policy
	}{
		"Defaults": {
			reason: "Without a value anywhere, the default holds.",
			input:  `{}`,
			want:   policy{KAIQueue: "dynamo", GPUs: -1},
		},
		"Input": {
			reason: "The input takes precedence over defaults.",
			input:  `{"kai":{"queue":"input"}}`,
			want:   policy{KAIQueue: "input", GPUs: -1},
		},
		"NamespaceOfInput": {
			reason: "An entry of a namespace takes precedence over the document that it is in, in the fields that it has.",
			input:  `{"kai":{"queue":"input"},"volcano":{"queue":"input"},"namespaces":[{"selector":{"matchNames":["team-a"]},"kai":{"queue":"namespace"}}]}`,
			want:   policy{KAIQueue: "namespace", VolcanoQueue: "input", GPUs: -1},
		},
		"Data": {
			reason: "The EnvironmentConfig takes precedence over all of the input.",
			input:  `{"volcano":{"queue":"input"},"namespaces":[{"selector":{"matchNames":["team-a"]},"kai":{"queue":"namespace"}}]}`,
			data:   `{"kai":{"queue":"data"}}`,
			want:   policy{KAIQueue: "data", VolcanoQueue: "input", GPUs: -1},
		},
		"NamespaceOfData": {
			reason: "Of its entries, the later one takes precedence, and those of other namespaces do not count.",
			input:  `{"guardRails":{"maxGPUs":1,"imageRegistries":["a"]}}`,
			data: `{"guardRails":{"maxGPUs":2},"namespaces":[{"selector":{"matchNames":["b","team-*"]},"guardRails":{"maxGPUs":3},"kai":{"queue":"team"}},
				{"selector":{"matchNames":["team-a"]},"guardRails":{"maxGPUs":4}},{"selector":{"matchNames":["team-b"]},"guardRails":{"maxGPUs":5}}]}`,
			want: policy{KAIQueue: "team", GPUs: 4, Registries: []string{"a"}},
		},
		"ZeroValues": {
			reason: "A list that is empty and a number that is 0 count, and a null does not.",
			input:  `{"guardRails":{"maxGPUs":1,"imageRegistries":["a"]},"kai":{"queue":"input"}}`,
			data:   `{"guardRails":{"maxGPUs":0,"imageRegistries":[]},"kai":{"queue":null},"volcano":null}`,
			want:   policy{KAIQueue: "input", Registries: []string{}},
		},
		"Lists": {
			reason: "A list replaces the one below it as a whole.",
			input:  `{"guardRails":{"imageRegistries":["a","b"]}}`,
			data:   `{"guardRails":{"imageRegistries":["c"]}}`,
			want:   policy{KAIQueue: "dynamo", GPUs: -1, Registries: []string{"c"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in, errs := overlaid(tc.input, tc.data)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got := policy{KAIQueue: in.KAI.QueueOrDefault(), VolcanoQueue: in.Volcano.Queue, GPUs: -1, Registries: in.GuardRails.ImageRegistries}
			if in.GuardRails.MaxGPUs != nil {
				got.GPUs = *in.GuardRails.MaxGPUs
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOverlay(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOverlayRefuses shows which EnvironmentConfigs are invalid.
func TestOverlayRefuses(t *testing.T) {
	const pattern = "must be the name of a namespace, in which an asterisk stands for any characters, such as team-*"
	cases := map[string]struct {
		reason      string
		input, data string
		want        []string
	}{
		"UnknownField": {
			reason: "A typo must not be a policy that does not hold.",
			input:  `{}`, data: `{"guardRails":{"maxGPU":8},"namespaces":[{"selector":{"matchName":["a"]}}]}`,
			want: []string{
				`EnvironmentConfig[dynamo].data.guardRails.maxGPU: Invalid value: unknown field; did you mean "maxGPUs"?`,
				`EnvironmentConfig[dynamo].data.namespaces[0].selector.matchName: Invalid value: unknown field; did you mean "matchNames"?`,
			},
		},
		"Another": {
			reason: "An EnvironmentConfig does not name another one.",
			input:  `{}`, data: `{"environmentConfig":{"mode":"Disabled"}}`,
			want: []string{`EnvironmentConfig[dynamo].data.environmentConfig: Invalid value: unknown field; remove it`},
		},
		"Values": {
			reason: "Values are checked as in the input.",
			input:  `{}`, data: `{"kai":{"mode":"On"}}`,
			want: []string{`EnvironmentConfig[dynamo].data.kai.mode: Unsupported value: "On": supported values: "Auto", "Enabled", "Disabled"`},
		},
		"ValuesOfTheNamespace": {
			reason: "Values of an entry are checked for the graphs that it is for.",
			input:  `{}`, data: `{"namespaces":[{"selector":{"matchNames":["team-b"]},"kai":{"mode":"Off"}},{"selector":{"matchNames":["*"]},"kai":{"mode":"On"}}]}`,
			want: []string{`EnvironmentConfig[dynamo].data.namespaces[1].kai.mode: Unsupported value: "On": supported values: "Auto", "Enabled", "Disabled"`},
		},
		"Selectors": {
			reason: "A selector that selects nothing is a mistake.",
			input:  `{}`, data: `{"namespaces":[{"selector":{"matchNames":[]}},{"selector":{"matchNames":["Team","a/b"]}}]}`,
			want: []string{
				`EnvironmentConfig[dynamo].data.namespaces[0].selector.matchNames: Required value: specify at least one name of a namespace, or *`,
				`EnvironmentConfig[dynamo].data.namespaces[1].selector.matchNames[0]: Invalid value: "Team": ` + pattern,
				`EnvironmentConfig[dynamo].data.namespaces[1].selector.matchNames[1]: Invalid value: "a/b": ` + pattern,
			},
		},
		"Together": {
			reason: "A field may depend on one of the input.",
			input:  `{"runtime":{"version":"1.4.0"}}`, data: `{"runtime":{"force":true}}`,
		},
		"NotTogether": {
			reason: "What a field depends on must be somewhere.",
			input:  `{}`, data: `{"runtime":{"force":true}}`,
			want: []string{`EnvironmentConfig[dynamo].data.runtime.version: Required value: specify the version to force, or remove force`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, got := overlaid(tc.input, tc.data)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nOverlay(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	_, errs := Overlay(given(`{}`), structpb.NewStringValue("a"), "dynamo", "team-a")
	if len(errs) != 1 || errs[0].Error() != `EnvironmentConfig[dynamo].data: Invalid value: must be an object, not a string` {
		t.Errorf("want data to be an object, got %v", errs)
	}
}

// TestGuardRailsRefuses shows which guard rails are invalid in the input.
func TestGuardRailsRefuses(t *testing.T) {
	got := errorsIn(`{"environmentConfig":{"mode":"Auto","name":"-"},"guardRails":{"maxGPUs":-1,"maxNodes":-2,"maxReplicas":-3,"queues":[""],
		"imageRegistries":["https://nvcr.io"],"ingressHostSuffixes":[".example.org"],"gateways":["public"],"capabilities":["CAP_IPC_LOCK"]}}`)
	const number = "must be at least 0; remove it if there is no limit"
	want := []string{
		`input.environmentConfig.mode: Unsupported value: "Auto": supported values: "Enabled", "Disabled"`,
		got[1],
		`input.guardRails.maxGPUs: Invalid value: -1: ` + number,
		`input.guardRails.maxNodes: Invalid value: -2: ` + number,
		`input.guardRails.maxReplicas: Invalid value: -3: ` + number,
		`input.guardRails.queues[0]: Invalid value: "": must be a name, in which an asterisk stands for any characters`,
		`input.guardRails.imageRegistries[0]: Invalid value: "https://nvcr.io": must be a registry or a repository, such as nvcr.io/nvidia, without a scheme`,
		`input.guardRails.ingressHostSuffixes[0]: Invalid value: ".example.org": must be a domain, such as apps.example.org, without a dot at the beginning`,
		`input.guardRails.gateways[0]: Invalid value: "public": must be namespace/name, such as istio-system/public, or istio-system/* for all gateways of a namespace`,
		`input.guardRails.capabilities[0]: Invalid value: "CAP_IPC_LOCK": must be the name of a capability without CAP_, such as IPC_LOCK`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("A guard rail that would never hold, or always, is a mistake.\nRead(...): -want, +got:\n%s", diff)
	}
}
