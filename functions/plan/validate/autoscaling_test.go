package validate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/validate"
)

// autoscaled is a patch by which decode has an autoscaler with these fields, YAML, and more fields of the service.
func autoscaled(fields string, more ...string) string {
	return "spec: {services: {decode: {" + strings.Join(append(more, "autoscaling: {enabled: true, "+fields+"}"), ", ") + "}}}"
}

const autoscalingPath = "spec.services[decode].autoscaling"

func TestAutoscalingBounds(t *testing.T) {
	grove := validate.Options{Grove: true}
	runBadCases(t, map[string]badCase{
		"Good":             {reason: "One to many.", patch: autoscaled("maxReplicas: 8")},
		"Equal":            {reason: "The bounds may be equal.", patch: autoscaled("minReplicas: 3, maxReplicas: 3")},
		"MinAvailable":     {reason: "Without a minimum, minAvailable is the least.", patch: autoscaled("maxReplicas: 3", "replicas: 3", "minAvailable: 3"), with: grove},
		"NoMaximum":        {reason: "An autoscaler needs a maximum.", patch: autoscaled("minReplicas: 2"), want: []string{autoscalingPath + ".maxReplicas: Invalid value: 0: must be at least 1 and at least minReplicas"}},
		"BelowMinimum":     {reason: "The maximum is at least the minimum.", patch: autoscaled("minReplicas: 3, maxReplicas: 2"), want: []string{autoscalingPath + ".maxReplicas: Invalid value: 2: must be at least 1 and at least minReplicas"}},
		"TooMany":          {reason: "What no workload can have is refused.", patch: autoscaled("maxReplicas: 5000000000"), want: []string{autoscalingPath + ".maxReplicas: Invalid value: 5000000000: must be 100000 or less"}},
		"FromZero":         {reason: "The API server refuses a minimum of 0.", patch: autoscaled("minReplicas: 0, maxReplicas: 2"), want: []string{autoscalingPath + ".minReplicas: Invalid value: 0: must be 1 or more: an autoscaler cannot tell when to leave 0"}},
		"BelowGang":        {reason: "Fewer than the gang needs would terminate it.", patch: autoscaled("minReplicas: 1, maxReplicas: 8", "replicas: 2", "minAvailable: 2"), with: grove, want: []string{autoscalingPath + ".minReplicas: Invalid value: 1: must be at least minAvailable, which is 2"}},
		"MostBelowGang":    {reason: "So would a lower maximum.", patch: autoscaled("maxReplicas: 1", "replicas: 2", "minAvailable: 2"), with: grove, want: []string{autoscalingPath + ".maxReplicas: Invalid value: 1: must be at least minAvailable, which is 2"}},
		"NoGang":           {reason: "Without Grove there is no such gang.", patch: autoscaled("minReplicas: 1, maxReplicas: 8", "replicas: 2", "minAvailable: 2")},
		"NotEnabled":       {reason: "A block that is not enabled is not judged.", patch: "spec: {services: {decode: {autoscaling: {minReplicas: 3, maxReplicas: 2}}}}"},
		"ScalingAdapter":   {reason: "Two cannot decide.", patch: autoscaled("maxReplicas: 2", "scalingAdapter: {enabled: true}"), want: []string{autoscalingPath + ": Forbidden: an autoscaler and a scaling adapter cannot both decide how many replicas there are: disable one of the two, or let an autoscaler of your own scale the adapter"}},
		"NoScalingAdapter": {reason: "An adapter that is off does not.", patch: autoscaled("maxReplicas: 2", "scalingAdapter: {enabled: false}")},
		"EndpointPicker": {
			reason: "There is one picker.",
			patch:  autoscaled("maxReplicas: 2", "componentType: epp", "eppConfig: {configMapRef: {name: a, key: b}}"),
			want:   []string{autoscalingPath + ": Forbidden: the Endpoint Picker has exactly 1 replica; remove it"},
		},
		"NameOfHelper": {
			reason: "The autoscaler of one service and the helper of another cannot share a name.",
			patch:  "spec: {services: {decode-replicas: {extraPodSpec: {mainContainer: {image: x}}, autoscaling: {enabled: true, maxReplicas: 2}, resources: {requests: {cpu: 1}}}}}",
			with:   grove,
			want:   []string{`spec.services[decode-replicas]: Invalid value: "decode-replicas": its autoscaler would have the name of the HorizontalPodAutoscaler that scales service decode: rename one of the two`},
		},
		"NameWithoutHelper": {
			reason: "Only Grove needs helpers.",
			patch:  "spec: {services: {decode-replicas: {extraPodSpec: {mainContainer: {image: x}}, autoscaling: {enabled: true, maxReplicas: 2}, resources: {requests: {cpu: 1}}}}}",
		},
	})
}

func TestMetrics(t *testing.T) {
	metric := func(fields string) string { return autoscaled("maxReplicas: 2, metrics: [{" + fields + "}]") }
	const at = autoscalingPath + ".metrics[0]."
	runBadCases(t, map[string]badCase{
		"Resource":          {reason: "A share of what is requested.", patch: metric("type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}")},
		"ContainerResource": {reason: "Of one container.", patch: metric("type: ContainerResource, containerResource: {name: memory, container: main, target: {type: AverageValue, averageValue: 1Gi}}")},
		"Pods":              {reason: "A metric of the pods.", patch: metric("type: Pods, pods: {metric: {name: queue}, target: {type: AverageValue, averageValue: 10}}")},
		"Object":            {reason: "A metric of another object, by value and on average.", patch: metric("type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: a}, metric: {name: queue}, target: {type: Value, value: 10, averageValue: 1}}")},
		"External":          {reason: "A metric from outside.", patch: metric("type: External, external: {metric: {name: queue}, target: {type: Value, value: 10}}")},
		"UnknownType": {
			reason: "There are five types.", patch: metric("type: CPU"),
			want: []string{at + `type: Unsupported value: "CPU": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`},
		},
		"NoSource": {
			reason: "A type needs its source.", patch: metric("type: Pods"),
			want: []string{at + "pods: Required value: a metric of type Pods needs it"},
		},
		"OtherSource": {
			reason: "And no other.",
			patch:  metric("type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}, pods: {metric: {name: a}, target: {type: AverageValue, averageValue: 1}}"),
			want:   []string{at + "pods: Forbidden: is not the source of a metric of type Resource; remove it, or make it a metric of its own"},
		},
		"TwoTargets": {
			reason: "One target is aimed at.", patch: metric("type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80, averageValue: 1}}"),
			want: []string{at + "resource.target.averageValue: Forbidden: there can be only one of averageUtilization and averageValue"},
		},
		"NoTarget": {
			reason: "One has to be.", patch: metric("type: Pods, pods: {metric: {name: a}, target: {type: AverageValue, value: 3}}"),
			want: []string{at + "pods.target.averageValue: Required value: a metric of this type needs averageValue"},
		},
		"BadTargets": {
			reason: "Targets are more than nothing.",
			patch:  metric(`type: Object, object: {describedObject: {apiVersion: a/b/c, kind: "", name: "a/b"}, metric: {name: ""}, target: {type: Sum, value: 0, averageValue: -1, averageUtilization: 0}}`),
			want: []string{
				at + `object.describedObject.apiVersion: Invalid value: "a/b/c": must be GROUP/VERSION, or v1`,
				at + "object.describedObject.kind: Required value: name the object that has the metric",
				at + `object.describedObject.name: Invalid value: "a/b": may not contain '/'`,
				at + "object.metric.name: Required value: name the metric",
				at + "object.target.averageUtilization: Invalid value: 0: must be 1 or more",
				at + `object.target.averageValue: Invalid value: "-1": must be more than 0`,
				at + `object.target.type: Unsupported value: "Sum": supported values: "AverageValue", "Utilization", "Value"`,
				at + `object.target.value: Invalid value: "0": must be more than 0`,
			},
		},
		"BadNames": {
			reason: "Names are names.",
			patch:  metric(`type: ContainerResource, containerResource: {name: "c p u", container: Main, target: {type: Utilization, averageUtilization: 80}}`),
			want: []string{
				at + `containerResource.container: Invalid value: "Main": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
				at + `containerResource.name: Invalid value: "c p u": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
			},
		},
		"NoNames": {
			reason: "Which are there.",
			patch:  metric(`type: ContainerResource, containerResource: {name: "", container: "", target: {type: Utilization, averageUtilization: 80}}`),
			want: []string{
				at + "containerResource.container: Required value: name the container; that of the service is called main",
				at + "containerResource.name: Required value: name the resource, such as cpu",
			},
		},
	})
}

func TestScalingBehavior(t *testing.T) {
	behavior := func(up string) string {
		return autoscaled("maxReplicas: 2, behavior: {scaleDown: {selectPolicy: Disabled}, scaleUp: {" + up + "}}")
	}
	const at = autoscalingPath + ".behavior.scaleUp."
	runBadCases(t, map[string]badCase{
		"Good": {
			reason: "What the API server takes.",
			patch:  behavior("stabilizationWindowSeconds: 0, selectPolicy: Min, tolerance: 50m, policies: [{type: Pods, value: 1, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 1800}]"),
		},
		"Empty": {reason: "No policies are the defaults.", patch: behavior("stabilizationWindowSeconds: 3600")},
		"Bad": {
			reason: "And what it does not.",
			patch:  behavior("stabilizationWindowSeconds: 3601, selectPolicy: Most, tolerance: -1, policies: [{type: Nodes, value: 0, periodSeconds: 1801}]"),
			want: []string{
				at + "policies[0].periodSeconds: Invalid value: 1801: must be from 1 to 1800",
				at + `policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"`,
				at + "policies[0].value: Invalid value: 0: must be 1 or more",
				at + `selectPolicy: Unsupported value: "Most": supported values: "Disabled", "Max", "Min"`,
				at + "stabilizationWindowSeconds: Invalid value: 3601: must be from 0 to 3600",
				at + `tolerance: Invalid value: "-1": must be 0 or more`,
			},
		},
		"NoPolicies": {
			reason: "An empty list is no default.", patch: behavior("policies: []"),
			want: []string{at + "policies: Required value: must have at least one policy; leave it out for the defaults"},
		},
	})
}

// TestUtilizationWarnings shows when an autoscaler could not compute what it aims at.
func TestUtilizationWarnings(t *testing.T) {
	const (
		metrics = autoscalingPath + ".metrics"
		none    = metrics + ": none is named, so Kubernetes would keep CPU at 80 % of what is requested, and no CPU is; name metrics, or set resources.requests.cpu"
		memory  = `metrics: [{type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 80}}}]`
	)
	cases := map[string]struct {
		reason string
		patch  string
		want   []string
	}{
		"NoMetrics":    {reason: "The default is a share of a request that is not there.", patch: autoscaled("maxReplicas: 2"), want: []string{none}},
		"Request":      {reason: "With a request the default works.", patch: autoscaled("maxReplicas: 2", "resources: {requests: {cpu: 1}, limits: {gpu: 8}}")},
		"Limit":        {reason: "A limit is a request.", patch: autoscaled("maxReplicas: 2", "resources: {limits: {cpu: 1}}")},
		"MainRequest":  {reason: "Also in the container itself.", patch: autoscaled("maxReplicas: 2", "extraPodSpec: {mainContainer: {resources: {limits: {cpu: 1}}}}")},
		"NotRequested": {reason: "Another resource needs its own.", patch: autoscaled("maxReplicas: 2, "+memory, "resources: {requests: {cpu: 1}}"), want: []string{metrics + "[0]: is a share of the memory that is requested, and none is; set resources.requests.memory"}},
		"Requested":    {reason: "And then works.", patch: autoscaled("maxReplicas: 2, "+memory, "resources: {requests: {memory: 1Gi}}")},
		"Container": {
			reason: "So does one of the main container.",
			patch:  autoscaled("maxReplicas: 2, metrics: [{type: ContainerResource, containerResource: {name: cpu, container: main, target: {type: Utilization, averageUtilization: 80}}}]"),
			want:   []string{metrics + "[0]: is a share of the cpu that is requested, and none is; set resources.requests.cpu"},
		},
		"Value":      {reason: "An amount is no share.", patch: autoscaled("maxReplicas: 2, metrics: [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 1}}}]")},
		"OfPods":     {reason: "Nor is a metric of another kind.", patch: autoscaled("maxReplicas: 2, metrics: [{type: Pods, pods: {metric: {name: a}, target: {type: AverageValue, averageValue: 1}}}]")},
		"NotEnabled": {reason: "Without an autoscaler nothing is computed.", patch: "spec: {services: {decode: {autoscaling: {maxReplicas: 2}}}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, merge(parse(t, valid), parse(t, tc.patch)))
			if diff := cmp.Diff(tc.want, validate.Warnings(g)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
