package validate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// autoscaled is a patch by which decode has an autoscaler with these fields, YAML, and more fields of the component.
func autoscaled(fields string, more ...string) string {
	return "spec: {services: {decode: {" + strings.Join(append(more, "autoscaling: {enabled: true, "+fields+"}"), ", ") + "}}}"
}

const autoscalingPath = "spec.services[decode].autoscaling"

func TestAutoscalingBounds(t *testing.T) {
	grove := validate.Options{Grove: true}
	runBadCases(t, map[string]badCase{
		"Good":             {reason: "An autoscaler may scale from one replica to many.", patch: autoscaled("maxReplicas: 8")},
		"Equal":            {reason: "The bounds may be equal.", patch: autoscaled("minReplicas: 3, maxReplicas: 3")},
		"MinAvailable":     {reason: "Without a minimum, minAvailable is the least.", patch: autoscaled("maxReplicas: 3", "replicas: 3", "minAvailable: 3"), with: grove},
		"NoMaximum":        {reason: "An autoscaler needs a maximum.", patch: autoscaled("minReplicas: 2"), want: []string{autoscalingPath + ".maxReplicas: Invalid value: 0: must be at least 1 and at least minReplicas"}},
		"BelowMinimum":     {reason: "The maximum is at least the minimum.", patch: autoscaled("minReplicas: 3, maxReplicas: 2"), want: []string{autoscalingPath + ".maxReplicas: Invalid value: 2: must be at least 1 and at least minReplicas"}},
		"TooMany":          {reason: "What no workload can have is refused.", patch: autoscaled("maxReplicas: 5000000000"), want: []string{autoscalingPath + ".maxReplicas: Invalid value: 5000000000: must be at most 100000"}},
		"FromZero":         {reason: "The API server refuses a minimum of 0.", patch: autoscaled("minReplicas: 0, maxReplicas: 2"), want: []string{autoscalingPath + ".minReplicas: Invalid value: 0: must be at least 1, because an autoscaler cannot scale up from 0"}},
		"BelowGang":        {reason: "A minimum below what the gang needs would terminate the gang.", patch: autoscaled("minReplicas: 1, maxReplicas: 8", "replicas: 2", "minAvailable: 2"), with: grove, want: []string{autoscalingPath + ".minReplicas: Invalid value: 1: must be at least minAvailable, which is 2"}},
		"MostBelowGang":    {reason: "A maximum below what the gang needs would terminate the gang.", patch: autoscaled("maxReplicas: 1", "replicas: 2", "minAvailable: 2"), with: grove, want: []string{autoscalingPath + ".maxReplicas: Invalid value: 1: must be at least minAvailable, which is 2"}},
		"NoGang":           {reason: "Without Grove, no gang needs a minimum of replicas.", patch: autoscaled("minReplicas: 1, maxReplicas: 8", "replicas: 2", "minAvailable: 2")},
		"NotEnabled":       {reason: "A block that is not enabled is not judged.", patch: "spec: {services: {decode: {autoscaling: {minReplicas: 3, maxReplicas: 2}}}}"},
		"ScalingAdapter":   {reason: "An autoscaler and a scaling adapter cannot both decide on the replicas.", patch: autoscaled("maxReplicas: 2", "scalingAdapter: {enabled: true}"), want: []string{autoscalingPath + ": Forbidden: autoscaling and scalingAdapter cannot both be enabled; disable one of the two, or let your own autoscaler scale the adapter"}},
		"NoScalingAdapter": {reason: "A scaling adapter that is off does not conflict with an autoscaler.", patch: autoscaled("maxReplicas: 2", "scalingAdapter: {enabled: false}")},
		"EndpointPicker": {
			reason: "An Endpoint Picker has one replica and cannot be scaled.",
			patch:  autoscaled("maxReplicas: 2", "componentType: epp", "eppConfig: {configMapRef: {name: a, key: b}}"),
			want:   []string{autoscalingPath + ": Forbidden: may not be set for the Endpoint Picker, which has exactly 1 replica; remove it"},
		},
		"NameOfHelper": {
			reason: "The autoscaler of one service and the helper of another cannot share a name.",
			patch:  "spec: {services: {decode-replicas: {extraPodSpec: {mainContainer: {image: x}}, autoscaling: {enabled: true, maxReplicas: 2}, resources: {requests: {cpu: 1}}}}}",
			with:   grove,
			want:   []string{`spec.services[decode-replicas]: Invalid value: "decode-replicas": its autoscaler would have the name of the HorizontalPodAutoscaler that scales service decode; rename one of the two services`},
		},
		"NameWithoutHelper": {
			reason: "Only Grove needs helpers.",
			patch:  "spec: {services: {decode-replicas: {extraPodSpec: {mainContainer: {image: x}}, autoscaling: {enabled: true, maxReplicas: 2}, resources: {requests: {cpu: 1}}}}}",
		},
	})
}

// TestScaleTogether shows which components can be scaled together, and from which numbers.
func TestScaleTogether(t *testing.T) {
	together := func(unit string, components ...string) string {
		return `{metadata: {annotations: {dynamo.nvidia.com/scale-together: "` + unit + `"}}, spec: {services: {` + strings.Join(components, ", ") + `}}}`
	}
	const (
		at     = "metadata.annotations[dynamo.nvidia.com/scale-together]: Invalid value: "
		remedy = "; name each service once with its replicas in a unit, such as Prefill=1,Decode=2"
		alone  = ": Forbidden: the service is scaled with others, as annotation dynamo.nvidia.com/scale-together says, and cannot be scaled alone too; remove it here or there"
	)
	prefill := func(fields string) string {
		return "prefill: {componentType: prefill, extraPodSpec: {mainContainer: {image: runtime, command: [python3, -m, dynamo.vllm]}}, " + fields + "}"
	}
	number := func(component, has, must, units, each string) string {
		return "spec.services[" + component + "].replicas: Invalid value: " + has + ": must be " + must + ", which is " + units + " times its " + each +
			" in annotation dynamo.nvidia.com/scale-together; change it, or the numbers in the annotation"
	}
	runBadCases(t, map[string]badCase{
		"Ratio":   {reason: "Components have the ratio times one number.", patch: together("prefill=1,decode=2", prefill("replicas: 3"), "decode: {replicas: 6}")},
		"Default": {reason: "A component without a number has one replica.", patch: together("prefill=1,decode=1", prefill(""))},
		"Zero":    {reason: "A graph may begin with no units at all.", patch: together("prefill=1,decode=2", prefill("replicas: 0"), "decode: {replicas: 0}")},
		"Unknown": {
			reason: "All components that are not there are named.", patch: together("Prefill=1,decode=1,x=1"),
			want: []string{at + `"Prefill=1,decode=1,x=1": the graph has no service "Prefill"; correct the name, or remove it`, at + `"Prefill=1,decode=1,x=1": the graph has no service "x"; correct the name, or remove it`},
		},
		"NoUnit": {
			reason: "Everything that is wrong with the text is told, also beside a component that is not there.", patch: together("decode=0,,x=1"),
			want: []string{
				at + `"decode=0,,x=1": "" has no name` + remedy, at + `"decode=0,,x=1": "decode=0" has no number of at least 1` + remedy,
				at + `"decode=0,,x=1": the graph has no service "x"; correct the name, or remove it`,
			},
		},
		"Adapted":    {reason: "An adapter of its own would contradict the ratio.", patch: together("prefill=1,decode=1", prefill("scalingAdapter: {enabled: true}")), want: []string{"spec.services[prefill].scalingAdapter" + alone}},
		"Autoscaled": {reason: "An autoscaler of its own would contradict the ratio, too.", patch: together("prefill=1,decode=1", prefill("autoscaling: {enabled: true, maxReplicas: 2}")), want: []string{"spec.services[prefill].autoscaling" + alone}},
		"Picker": {
			reason: "A graph has one Endpoint Picker, however large it is.", patch: together("Frontend=1,picker=1", "picker: {componentType: epp, extraPodSpec: {mainContainer: {image: x}}, eppConfig: {configMapRef: {name: a, key: b}}}"),
			want: []string{at + `"Frontend=1,picker=1": picker is the Endpoint Picker, which has exactly 1 replica; remove it`},
		},
		"TooFew":   {reason: "The number that is missing is told.", patch: together("prefill=1,decode=2", prefill("replicas: 2"), "decode: {replicas: 3}"), want: []string{number("decode", "3", "4", "2", "2")}},
		"TooMany":  {reason: "The others may be wrong as well.", patch: together("prefill=1,decode=2", prefill("replicas: 1"), "decode: {replicas: 6}"), want: []string{number("prefill", "1", "3", "3", "1")}},
		"Unscaled": {reason: "The default is one replica, however many the unit has.", patch: together("prefill=1,decode=2", prefill("")), want: []string{number("decode", "1", "2", "1", "2")}},
		"Negative": {
			reason: "A number that is none is reported once.", patch: together("Frontend=1,decode=1", "decode: {replicas: -1}", prefill("replicas: -1, scalingAdapter: {enabled: true}")),
			want: []string{"spec.services[decode].replicas: Invalid value: -1: must be at least 0", "spec.services[prefill].replicas: Invalid value: -1: must be at least 0"},
		},
		"NoUnits": {reason: "A component of many does not run without the others.", patch: together("prefill=1,decode=2", prefill("replicas: 0")), want: []string{number("decode", "1", "2", "1", "2"), number("prefill", "0", "1", "1", "1")}},
	})
}

func TestMetrics(t *testing.T) {
	metric := func(fields string) string { return autoscaled("maxReplicas: 2, metrics: [{" + fields + "}]") }
	const at = autoscalingPath + ".metrics[0]."
	runBadCases(t, map[string]badCase{
		"Resource":          {reason: "A metric may be a share of what the pods request.", patch: metric("type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}")},
		"ContainerResource": {reason: "A metric may measure one container.", patch: metric("type: ContainerResource, containerResource: {name: memory, container: main, target: {type: AverageValue, averageValue: 1Gi}}")},
		"Pods":              {reason: "A metric may measure the pods.", patch: metric("type: Pods, pods: {metric: {name: queue}, target: {type: AverageValue, averageValue: 10}}")},
		"Object":            {reason: "A metric may measure another object, by value and on average.", patch: metric("type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: a}, metric: {name: queue}, target: {type: Value, value: 10, averageValue: 1}}")},
		"External":          {reason: "A metric may come from outside the cluster.", patch: metric("type: External, external: {metric: {name: queue}, target: {type: Value, value: 10}}")},
		"UnknownType": {
			reason: "A metric has one of five types.", patch: metric("type: CPU"),
			want: []string{at + `type: Unsupported value: "CPU": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`},
		},
		"NoSource": {
			reason: "A metric needs the source of its type.", patch: metric("type: Pods"),
			want: []string{at + "pods: Required value: is required for a metric of type Pods"},
		},
		"OtherSource": {
			reason: "A metric cannot have the source of another type.",
			patch:  metric("type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}, pods: {metric: {name: a}, target: {type: AverageValue, averageValue: 1}}"),
			want:   []string{at + "pods: Forbidden: may not be set for a metric of type Resource; remove it, or move it to a separate metric"},
		},
		"TwoTargets": {
			reason: "A metric has only one target.", patch: metric("type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80, averageValue: 1}}"),
			want: []string{at + "resource.target.averageValue: Forbidden: may only have one of averageUtilization and averageValue"},
		},
		"NoTarget": {
			reason: "A metric needs the target of its type.", patch: metric("type: Pods, pods: {metric: {name: a}, target: {type: AverageValue, value: 3}}"),
			want: []string{at + "pods.target.averageValue: Required value: a metric of this type needs averageValue"},
		},
		"BadTargets": {
			reason: "The object, the name and the targets of a metric must be valid.",
			patch:  metric(`type: Object, object: {describedObject: {apiVersion: a/b/c, kind: "", name: "a/b"}, metric: {name: ""}, target: {type: Sum, value: 0, averageValue: -1, averageUtilization: 0}}`),
			want: []string{
				at + `object.describedObject.apiVersion: Invalid value: "a/b/c": must be GROUP/VERSION or v1`,
				at + "object.describedObject.kind: Required value: specify the object that has the metric",
				at + `object.describedObject.name: Invalid value: "a/b": may not contain '/'`,
				at + "object.metric.name: Required value: specify the name of the metric",
				at + "object.target.averageUtilization: Invalid value: 0: must be at least 1",
				at + `object.target.averageValue: Invalid value: "-1": must be greater than 0`,
				at + `object.target.type: Unsupported value: "Sum": supported values: "AverageValue", "Utilization", "Value"`,
				at + `object.target.value: Invalid value: "0": must be greater than 0`,
			},
		},
		"BadNames": {
			reason: "The resource and the container of a metric must have valid names.",
			patch:  metric(`type: ContainerResource, containerResource: {name: "c p u", container: Main, target: {type: Utilization, averageUtilization: 80}}`),
			want: []string{
				at + `containerResource.container: Invalid value: "Main": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc')`,
				at + `containerResource.name: Invalid value: "c p u": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc')`,
			},
		},
		"NoNames": {
			reason: "The resource and the container of a metric must be named.",
			patch:  metric(`type: ContainerResource, containerResource: {name: "", container: "", target: {type: Utilization, averageUtilization: 80}}`),
			want: []string{
				at + "containerResource.container: Required value: specify the name of the container; the main container is named main",
				at + "containerResource.name: Required value: specify the name of the resource, such as cpu",
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
			reason: "A scaling behavior that the API server accepts is accepted.",
			patch:  behavior("stabilizationWindowSeconds: 0, selectPolicy: Min, tolerance: 50m, policies: [{type: Pods, value: 1, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 1800}]"),
		},
		"Empty": {reason: "A scaling behavior without policies uses the defaults.", patch: behavior("stabilizationWindowSeconds: 3600")},
		"Bad": {
			reason: "A scaling behavior that the API server refuses is refused.",
			patch:  behavior("stabilizationWindowSeconds: 3601, selectPolicy: Most, tolerance: -1, policies: [{type: Nodes, value: 0, periodSeconds: 1801}]"),
			want: []string{
				at + "policies[0].periodSeconds: Invalid value: 1801: must be between 1 and 1800, inclusive",
				at + `policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"`,
				at + "policies[0].value: Invalid value: 0: must be at least 1",
				at + `selectPolicy: Unsupported value: "Most": supported values: "Disabled", "Max", "Min"`,
				at + "stabilizationWindowSeconds: Invalid value: 3601: must be between 0 and 3600, inclusive",
				at + `tolerance: Invalid value: "-1": must be at least 0`,
			},
		},
		"NoPolicies": {
			reason: "An empty list of policies does not mean the defaults.", patch: behavior("policies: []"),
			want: []string{at + "policies: Required value: must have at least one policy; remove it to use the defaults"},
		},
	})
}

// TestUtilizationWarnings shows when an autoscaler could not compute what it aims at.
func TestUtilizationWarnings(t *testing.T) {
	const (
		metrics = autoscalingPath + ".metrics"
		none    = metrics + ": without metrics Kubernetes targets a CPU utilization of 80 % of the request, but no CPU is requested; specify metrics, or set resources.requests.cpu"
		memory  = `metrics: [{type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 80}}}]`
	)
	runWarnings(t, map[string]warningCase{
		"NoMetrics":    {reason: "The default metric is a share of a CPU request, which is missing.", patch: autoscaled("maxReplicas: 2"), want: []string{none}},
		"Request":      {reason: "The default metric works with a CPU request.", patch: autoscaled("maxReplicas: 2", "resources: {requests: {cpu: 1}, limits: {gpu: 8}}")},
		"Limit":        {reason: "A limit counts as a request.", patch: autoscaled("maxReplicas: 2", "resources: {limits: {cpu: 1}}")},
		"MainRequest":  {reason: "A limit of the main container itself counts as a request.", patch: autoscaled("maxReplicas: 2", "extraPodSpec: {mainContainer: {resources: {limits: {cpu: 1}}}}")},
		"NotRequested": {reason: "A share of another resource needs a request of that resource.", patch: autoscaled("maxReplicas: 2, "+memory, "resources: {requests: {cpu: 1}}"), want: []string{metrics + "[0]: is relative to the requested memory, but none is requested; set resources.requests.memory"}},
		"Requested":    {reason: "A share of another resource works with a request of that resource.", patch: autoscaled("maxReplicas: 2, "+memory, "resources: {requests: {memory: 1Gi}}")},
		"Container": {
			reason: "A share of a resource of the main container needs a request of that resource.",
			patch:  autoscaled("maxReplicas: 2, metrics: [{type: ContainerResource, containerResource: {name: cpu, container: main, target: {type: Utilization, averageUtilization: 80}}}]"),
			want:   []string{metrics + "[0]: is relative to the requested cpu, but none is requested; set resources.requests.cpu"},
		},
		"Value":      {reason: "A metric that aims at an amount needs no request.", patch: autoscaled("maxReplicas: 2, metrics: [{type: Resource, resource: {name: cpu, target: {type: AverageValue, averageValue: 1}}}]")},
		"OfPods":     {reason: "A metric of the pods needs no request.", patch: autoscaled("maxReplicas: 2, metrics: [{type: Pods, pods: {metric: {name: a}, target: {type: AverageValue, averageValue: 1}}}]")},
		"NotEnabled": {reason: "Without an autoscaler nothing is computed.", patch: "spec: {services: {decode: {autoscaling: {maxReplicas: 2}}}}"},
	})
}

// TestUtilizationWarningsWithDefaults shows that a default of the platform is a request.
func TestUtilizationWarningsWithDefaults(t *testing.T) {
	const none = autoscalingPath + ".metrics: without metrics Kubernetes targets a CPU utilization of 80 % of the request, but no CPU is requested; specify metrics, or set resources.requests.cpu"
	amount := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	cases := map[string]struct {
		reason   string
		patch    string
		defaults graphplan.Resources
		want     []string
	}{
		"Request": {
			reason: "The main container gets the default request.", patch: autoscaled("maxReplicas: 2"), defaults: graphplan.Resources{Requests: amount},
		},
		"Limit": {
			reason: "The main container gets the default limit, which is a request too.", patch: autoscaled("maxReplicas: 2"), defaults: graphplan.Resources{Limits: amount},
		},
		"Other": {
			reason: "A default for another resource is none for this one.", patch: autoscaled("maxReplicas: 2"),
			defaults: graphplan.Resources{Requests: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}, want: []string{none},
		},
		"OfThePod": {
			reason: "A request of the pod as a whole is none of its container, which then gets no default.",
			patch:  autoscaled("maxReplicas: 2", "extraPodSpec: {resources: {requests: {cpu: 1}}}"), defaults: graphplan.Resources{Requests: amount}, want: []string{none},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g := decodeTree(t, merge(parse(t, valid), parse(t, tc.patch)))
			if diff := cmp.Diff(tc.want, validate.Warnings(g, tc.defaults).Texts(g)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
