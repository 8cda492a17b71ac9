package validate_test

import (
	"testing"
)

func TestBadNames(t *testing.T) {
	runBadCases(t, map[string]badCase{
		"NoServices": {
			reason: "A graph needs at least one service.",
			patch:  `spec: {services: null}`,
			want: []string{
				"spec.services: Required value: at least one service is required",
			},
		},
		"BadGraphName": {
			reason: "A graph must have a name that Kubernetes takes.",
			patch:  `metadata: {name: Llama_3}`,
			want: []string{
				`metadata.name: Invalid value: "Llama_3": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com')`,
			},
		},
		"BadServiceName": {
			reason: "A service must have a name that objects can have.",
			patch:  `spec: {services: {a_b: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			want: []string{
				`spec.services[a_b]: Invalid value: "a_b": the name must be a DNS label: letters, digits and dashes, beginning and ending with a letter or digit, at most 63 characters`,
			},
		},
		"SameServiceTwice": {
			reason: "Two services cannot have names that differ only by case.",
			patch:  `spec: {services: {Decode: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			want: []string{
				`spec.services[decode]: Invalid value: "decode": differs from service Decode only in case, but names of objects are lower case; rename one of the two services`,
			},
		},
		"ServiceNameTooLong": {
			reason: "The name of a Service has at most 63 characters.",
			patch:  `spec: {services: {aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: {extraPodSpec: {mainContainer: {image: x}}}}}`,
			want: []string{
				`spec.services[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": the Service of this service would be named llama-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, but names of Services must have at most 63 characters and begin with a letter; shorten the name of the service or of the graph`,
			},
		},
		"GraphNameBeginsWithDigit": {
			reason: "The name of a Service begins with a letter.",
			patch:  `metadata: {name: 3llama}`,
			want: []string{
				`spec.services[Frontend]: Invalid value: "Frontend": the Service of this service would be named 3llama-frontend, but names of Services must have at most 63 characters and begin with a letter; rename the graph`,
				`spec.services[decode]: Invalid value: "decode": the Service of this service would be named 3llama-decode, but names of Services must have at most 63 characters and begin with a letter; rename the graph`,
			},
		},
		"ServiceNameField": {
			reason: "The field serviceName must equal the key of the service.",
			patch:  `spec: {services: {decode: {serviceName: other}}}`,
			want: []string{
				`spec.services[decode].serviceName: Invalid value: "other": must be equal to the key of the service; remove it`,
			},
		},
		"NegativeReplicas": {
			reason: "The number of replicas cannot be negative.",
			patch:  `spec: {services: {decode: {replicas: -1}}}`,
			want: []string{
				"spec.services[decode].replicas: Invalid value: -1: must be at least 0",
			},
		},
		"AbsurdReplicas": {
			reason: "The number of replicas is limited to what a cluster can have.",
			patch:  `spec: {services: {decode: {replicas: 1000000}}}`,
			want: []string{
				"spec.services[decode].replicas: Invalid value: 1000000: must be at most 100000",
			},
		},
		"MoreNodesThanMPINames": {
			reason: "The leader of TensorRT-LLM names every node in its script, which Linux does not start when it is too long.",
			patch: `spec: {services: {decode: {componentType: worker, multinode: {nodeCount: 513}, resources: {limits: {gpu: "8"}},
				extraPodSpec: {mainContainer: {command: [python3, -m, dynamo.trtllm]}}}}}`,
			want: []string{
				"spec.services[decode].multinode.nodeCount: Invalid value: 513: must be at most 512 with TensorRT-LLM: the command of its leader lists every node, and Linux limits the length of a command",
			},
		},
		"OneNode": {
			reason: "Multinode means at least two.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 1}}}}`,
			want: []string{
				"spec.services[decode].multinode.nodeCount: Invalid value: 1: must be at least 2; remove multinode for a single-node service",
			},
		},
		"AbsurdNodes": {
			reason: "The number of nodes is limited to what a cluster can have.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 1000000}}}}`,
			want: []string{
				"spec.services[decode].multinode.nodeCount: Invalid value: 1000000: must be at most 10000",
			},
		},
		"MinAvailableZero": {
			reason: "The field minAvailable must be at least 1.",
			patch:  `spec: {services: {decode: {minAvailable: 0}}}`,
			want: []string{
				"spec.services[decode].minAvailable: Invalid value: 0: must be at least 1",
			},
		},
		"MinAvailableAboveReplicas": {
			reason: "The field minAvailable cannot exceed the number of replicas.",
			patch:  `spec: {services: {decode: {minAvailable: 3, replicas: 2}}}`,
			want: []string{
				"spec.services[decode].minAvailable: Invalid value: 3: must be at most replicas, which is 2",
			},
		},
		"BadLabelKey": {
			reason: "The key of a label must be valid.",
			patch:  `spec: {services: {decode: {labels: {"a b": c}}}}`,
			want: []string{
				`spec.services[decode].labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')`,
			},
		},
		"BadLabelValue": {
			reason: "The value of a label must be valid.",
			patch:  `spec: {services: {decode: {extraPodMetadata: {labels: {a: "b c"}}}}}`,
			want: []string{
				`spec.services[decode].extraPodMetadata.labels[a]: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345')`,
			},
		},
		"BadAnnotationKey": {
			reason: "The key of an annotation must be valid.",
			patch:  `spec: {annotations: {"a b": c}}`,
			want: []string{
				`spec.annotations: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')`,
			},
		},
		"BadExecutor": {
			reason: "Only two executors exist.",
			patch:  `metadata: {annotations: {nvidia.com/vllm-distributed-executor-backend: threads}}`,
			want: []string{
				`metadata.annotations[nvidia.com/vllm-distributed-executor-backend]: Unsupported value: "threads": supported values: "mp", "ray"`,
			},
		},
		"BadDiscoveryMode": {
			reason: "Only two discovery modes exist.",
			patch:  `spec: {services: {decode: {annotations: {nvidia.com/dynamo-kube-discovery-mode: service}}}}`,
			want: []string{
				`spec.services[decode].annotations[nvidia.com/dynamo-kube-discovery-mode]: Unsupported value: "service": supported values: "container", "pod"`,
			},
		},
		"BadOriginVersion": {
			reason: "The origin version must be a semantic version.",
			patch:  `metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: latest}}`,
			want: []string{
				`metadata.annotations[nvidia.com/dynamo-operator-origin-version]: Invalid value: "latest": must be a semantic version such as 1.0.0`,
			},
		},
		"BadQueue": {
			reason: "The queue must be a valid object name.",
			patch:  `metadata: {annotations: {nvidia.com/kai-scheduler-queue: "My Queue"}}`,
			want: []string{
				`metadata.annotations[nvidia.com/kai-scheduler-queue]: Invalid value: "My Queue": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com')`,
			},
		},
		"BadMaxSurge": {
			reason: "The maximum surge must be a number or a percentage.",
			patch:  `spec: {services: {decode: {annotations: {nvidia.com/deployment-rolling-update-max-surge: some}}}}`,
			want: []string{
				`spec.services[decode].annotations[nvidia.com/deployment-rolling-update-max-surge]: Invalid value: "some": must be a number such as 1 or a percentage such as 25%`,
			},
		},
	})
}
