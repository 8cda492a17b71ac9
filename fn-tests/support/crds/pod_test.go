package crds

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestPod(t *testing.T) {
	cases := map[string]struct {
		reason string
		labels map[string]string
		spec   string
		want   []string
	}{
		"Good": {
			reason: "Nothing is wrong with a pod that is in order.",
			labels: map[string]string{"nvidia.com/dynamo-component": "Worker"},
			spec: `{volumes: [{name: data}], resourceClaims: [{name: gpu}], initContainers: [{name: init}], containers: [{name: main,
				volumeMounts: [{name: data, mountPath: /a}, {name: data, mountPath: /b}],
				ports: [{name: http, containerPort: 80}, {containerPort: 81}, {containerPort: 82}],
				livenessProbe: {httpGet: {port: http}}, readinessProbe: {tcpSocket: {port: 80}}, startupProbe: {exec: {command: ["true"]}},
				resources: {claims: [{name: gpu}], requests: {cpu: 500m, nvidia.com/gpu: 8}, limits: {cpu: 1, nvidia.com/gpu: 8}}}]}`,
		},
		"Empty": {
			reason: "A pod runs something.",
			spec:   "{}",
			want:   []string{"there is no container"},
		},
		"Labels": {
			reason: "Values have 63 characters at most, and no blanks.",
			labels: map[string]string{"a": "b c"},
			spec:   "{containers: [{name: main}]}",
			want: []string{`labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ` +
				`and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`},
		},
		"Names": {
			reason: "Init containers share the names of containers.",
			spec:   "{volumes: [{name: a}, {name: a}, {name: B}], resourceClaims: [{name: c}, {name: c}], initContainers: [{name: main}], containers: [{name: main}, {name: Side}]}",
			want: []string{
				"volume a is not unique",
				`volume "B" is no DNS label`,
				"resource claim c is not unique",
				"container main is not unique",
				`container "Side" is no DNS label`,
			},
		},
		"References": {
			reason: "What a container names has to exist in the pod.",
			spec: `{volumes: [{name: a}], containers: [{name: main, volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /a}],
				resources: {claims: [{name: gpu}]}, livenessProbe: {httpGet: {port: system}}}]}`,
			want: []string{
				`container main: there is no volume "b"`,
				`container main: mount path "/a" is not unique`,
				`container main: there is no resource claim "gpu"`,
				`container main: a probe names port "system", which is not there`,
			},
		},
		"Ports": {
			reason: "Names of ports have 15 characters at most.",
			spec:   "{containers: [{name: main, ports: [{name: a, containerPort: 1}, {name: a, containerPort: 2}, {name: this-is-too-long, containerPort: 3}]}]}",
			want: []string{
				"container main: port a is not unique",
				`container main: port "this-is-too-long" is no name`,
			},
		},
		"Probes": {
			reason: "A probe has one handler.",
			spec:   "{containers: [{name: main, livenessProbe: {periodSeconds: 5}, readinessProbe: {exec: {command: [a]}, grpc: {port: 1}}}]}",
			want: []string{
				"container main: a probe has 0 handlers",
				"container main: a probe has 2 handlers",
			},
		},
		"Requests": {
			reason: "Nothing requests more than its limit, and devices are limited to what is requested.",
			spec:   "{containers: [{name: main, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}, {name: a, resources: {requests: {nvidia.com/gpu: 1}}}, {name: b, resources: {limits: {nvidia.com/gpu: 500m}}}]}",
			want: []string{
				"container main: request of cpu is more than its limit",
				"container a: request of nvidia.com/gpu is not its limit",
				"container b: nvidia.com/gpu is no whole number",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := &corev1.PodSpec{}
			if err := yaml.UnmarshalStrict([]byte(tc.spec), spec); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, Pod(metav1.ObjectMeta{Labels: tc.labels}, spec)); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}

func TestBuiltIn(t *testing.T) {
	cases := map[string]struct {
		reason string
		object string
		want   []string
	}{
		"Good": {
			reason: "Nothing is wrong with an object that is in order.",
			object: "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}, spec: {ports: [{port: 80}]}}",
		},
		"UnknownField": {
			reason: "The API server would drop a field that is unknown.",
			object: "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}, spec: {port: 80}}",
			want:   []string{`strict decoding error: unknown field "spec.port"`},
		},
		"Name": {
			reason: "A Service is a name in DNS.",
			object: "{apiVersion: v1, kind: Service, metadata: {name: a.b, namespace: b}}",
			want: []string{`metadata.name: Invalid value: "a.b": a DNS-1035 label must consist of lower case alphanumeric characters or '-', ` +
				`start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(tc.object), &object.Object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, BuiltInResource(object)); diff != "" {
				t.Errorf("%s\nwant -, got +\n%s", tc.reason, diff)
			}
		})
	}
}
