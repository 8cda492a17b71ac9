package validate_test

import (
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

func TestBadIdentity(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"DotOnGrove": {
			reason: "The headless Service of Grove has the name of the graph in it.",
			patch:  `metadata: {name: llama.v2}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`metadata.name: Invalid value: "llama.v2": must begin with a letter and contain no dots on Grove, because its headless Service is named llama.v2-0; rename the graph`,
			},
		},
		"DigitFirstOnGrove": {
			reason: "The name of a Service begins with a letter.",
			patch:  `metadata: {name: 3llama}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`metadata.name: Invalid value: "3llama": must begin with a letter and contain no dots on Grove, because its headless Service is named 3llama-0; rename the graph`,
				`spec.services[Frontend]: Invalid value: "Frontend": the Service of this service would be named 3llama-frontend, but names of Services must have at most 63 characters and begin with a letter; rename the graph`,
				`spec.services[decode]: Invalid value: "decode": the Service of this service would be named 3llama-decode, but names of Services must have at most 63 characters and begin with a letter; rename the graph`,
			},
		},
		"DotWithoutGrove": {
			reason: "A Deployment may have dots in its name.",
			patch:  `metadata: {name: llama.v2}`,
		},
		"NamespaceTooLong": {
			reason: "The Dynamo namespace is a label.",
			patch:  `metadata: {namespace: a-namespace-with-a-very-long-name-of-fifty-six-letters-ab, name: llama-70b}`,
			want: []string{
				`metadata.name: Invalid value: "llama-70b": forms, together with namespace a-namespace-with-a-very-long-name-of-fifty-six-letters-ab, a label of more than 63 characters; shorten one of the two by 4 characters`,
			},
		},
		"GlobalNamespaceOfLongName": {
			reason: "A graph whose services are all in the global Dynamo namespace can still have a name that is too long.",
			patch: `metadata: {name: ` + strings.Repeat("g", 62) + `}
spec: {services: {Frontend: {globalDynamoNamespace: true}, decode: {globalDynamoNamespace: true}}}`,
			want: []string{
				`spec.services[Frontend]: Invalid value: "Frontend": the Service of this service would be named ` + strings.Repeat("g", 62) + `-frontend, but names of Services must have at most 63 characters and begin with a letter; shorten the name of the service or of the graph`,
				`spec.services[decode]: Invalid value: "decode": the Service of this service would be named ` + strings.Repeat("g", 62) + `-decode, but names of Services must have at most 63 characters and begin with a letter; shorten the name of the service or of the graph`,
			},
		},
		"GlobalNamespace": {
			reason: "A graph that is wholly in the global Dynamo namespace has a short label.",
			patch:  `{metadata: {namespace: a-namespace-with-a-very-long-name-of-fifty-six-letters-ab, name: llama-70b}, spec: {services: {Frontend: {globalDynamoNamespace: true}, decode: {globalDynamoNamespace: true}}}}`,
		},
		"BadFramework": {
			reason: "Only the engines of the table are known.",
			patch:  `spec: {backendFramework: tgi}`,
			want: []string{
				`spec.backendFramework: Unsupported value: "tgi": supported values: "sglang", "trtllm", "vllm"`,
			},
		},
		"BadComponentType": {
			reason: "The component type becomes a label.",
			patch:  `spec: {services: {decode: {componentType: "my worker"}}}`,
			want: []string{
				`spec.services[decode].componentType: Invalid value: "my worker": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345')`,
			},
		},
		"BadSubComponentType": {
			reason: "The subcomponent type becomes a label.",
			patch:  `spec: {services: {decode: {subComponentType: "decode!"}}}`,
			want: []string{
				`spec.services[decode].subComponentType: Invalid value: "decode!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345')`,
			},
		},
		"ServiceCalledZero": {
			reason: "The Service of a service named 0 would have the name of Grove's headless Service.",
			patch:  `spec: {services: {"0": {extraPodSpec: {mainContainer: {image: x}}}}}`,
			with:   validate.Options{Grove: true},
			want: []string{
				`spec.services[0]: Invalid value: "0": its Service would have the name of Grove's headless Service for the graph; rename the service`,
			},
		},
		"ServiceCalledAsModel": {
			reason: "The Service of a service must not have the name of a model's Service.",
			patch:  `spec: {services: {decode: {modelRef: {name: a}}, model-ca978112: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			want: []string{
				`spec.services[model-ca978112]: Invalid value: "model-ca978112": its Service would have the name of the Service of model a; rename the service`,
			},
		},
		"BadMetrics": {
			reason: "The value False would leave metrics on.",
			patch:  `metadata: {annotations: {nvidia.com/enable-metrics: "False"}}`,
			want: []string{
				`metadata.annotations[nvidia.com/enable-metrics]: Unsupported value: "False": supported values: "false", "true"; did you mean "false"?`,
			},
		},
		"DisaggregatedSet": {
			reason: "An experiment of upstream is refused with its reason.",
			patch:  `metadata: {annotations: {nvidia.com/workload-provider: disaggregatedset}}`,
			want: []string{
				`metadata.annotations[nvidia.com/workload-provider]: Invalid value: "disaggregatedset": DisaggregatedSets, which are an experiment of Dynamo 1.6, are not supported; ` +
					"set component or grove, or remove the annotation",
			},
		},
		"LongValue": {
			reason: "Long values are cut.",
			patch:  `spec: {services: {decode: {componentType: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}}`,
			want: []string{
				`spec.services[decode].componentType: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...": must be no more than 63 bytes`,
			},
		},
	})
}
