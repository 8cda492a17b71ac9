package graphplan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

func full() *Plan {
	return &Plan{
		Version:      Version,
		Release:      "v0.2.0+0a1b",
		Orchestrator: Grove,
		Grove:        &GrovePlan{TerminationDelay: "15m0s", SchedulerName: "kai-scheduler", Queue: "dynamo"},
		LWS:          LWSPlan{Gang: Gang{Provider: GangKAI, SchedulerName: "kai-scheduler", Queue: "dynamo"}},
		Components: map[string]Component{
			"Worker": {Framework: v1alpha1.BackendVLLM, Executor: "ray", Discovery: Kubernetes, DynamoNamespace: "inference-llama", Written: "0123456789abcdef"},
		},
		ComposedPVCs:    []string{"cache"},
		WaitForLeader:   true,
		SSHSecret:       "mpirun-ssh-key-llama",
		Infrastructure:  Infrastructure{NATSAddress: "nats://n", EtcdAddress: "http://e", ModelExpressURL: "http://m", PrometheusEndpoint: "http://p"},
		IngressDefaults: IngressDefaults{ClassName: "nginx", HostSuffix: "example.org", TLSSecretName: "tls", AllowedAnnotations: []string{"a"}},
		Topology:        &Topology{Name: "t", Dialect: "Pack", Missing: []string{"rack"}, NotFound: true},
		Restart: &Restart{
			ID: "one", Phase: "Restarting", InProgress: []string{"Worker"}, Marks: map[string][]RestartMark{"Worker": {{At: "one"}, {}}},
		},
		TotalGPUs: 16,
	}
}

func TestWriteThenRead(t *testing.T) {
	cases := map[string]struct {
		reason string
		plan   *Plan
	}{
		"Full":  {reason: "Every field survives the way from step to step.", plan: full()},
		"Small": {reason: "What is empty in a plan stays empty.", plan: &Plan{Version: Version, Orchestrator: Deployment, Components: map[string]Component{}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := &fnv1.RunFunctionResponse{Context: resource.MustStructJSON(`{"other":"value"}`)}
			if err := Write(rsp, tc.plan); err != nil {
				t.Fatalf("Write(...): %v", err)
			}
			once := rsp.GetContext().String()
			if err := Write(rsp, tc.plan); err != nil {
				t.Fatalf("Write(...) again: %v", err)
			}
			if diff := cmp.Diff(once, rsp.GetContext().String()); diff != "" {
				t.Errorf("Writing twice must be the same as once: -once, +twice:\n%s", diff)
			}
			if got := rsp.GetContext().GetFields()["other"].GetStringValue(); got != "value" {
				t.Errorf("Write(...) must leave other keys of the context alone, got %q", got)
			}
			got, err := Read(&fnv1.RunFunctionRequest{Context: rsp.GetContext()})
			if err != nil {
				t.Fatalf("Read(...): %v", err)
			}
			if diff := cmp.Diff(tc.plan, got); diff != "" {
				t.Errorf("%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDocument pins the document: the steps of one chain may be of different releases.
func TestDocument(t *testing.T) {
	rsp := &fnv1.RunFunctionResponse{}
	if err := Write(rsp, full()); err != nil {
		t.Fatalf("Write(...): %v", err)
	}
	want := resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{
		"version":2,
		"release":"v0.2.0+0a1b",
		"orchestrator":"Grove",
		"grove":{"terminationDelay":"15m0s","schedulerName":"kai-scheduler","queue":"dynamo"},
		"lws":{"gang":{"provider":"KAI","schedulerName":"kai-scheduler","queue":"dynamo"}},
		"services":{"Worker":{"framework":"vllm","executor":"ray","discovery":"kubernetes","dynamoNamespace":"inference-llama","written":"0123456789abcdef"}},
		"composedPVCs":["cache"],
		"waitForLeader":true,
		"sshSecret":"mpirun-ssh-key-llama",
		"infrastructure":{"natsAddress":"nats://n","etcdAddress":"http://e","modelExpressURL":"http://m","prometheusEndpoint":"http://p"},
		"ingressDefaults":{"className":"nginx","hostSuffix":"example.org","tlsSecretName":"tls","allowedAnnotations":["a"]},
		"topology":{"name":"t","dialect":"Pack","missing":["rack"],"notFound":true},
		"restart":{"id":"one","phase":"Restarting","inProgress":["Worker"],"marks":{"Worker":[{"at":"one"},{}]}},
		"totalGPUs":16}}`)
	if diff := cmp.Diff(want, rsp.GetContext(), protocmp.Transform()); diff != "" {
		t.Errorf("Write(...): -want, +got:\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	cases := map[string]struct {
		reason  string
		context *structpb.Struct
		want    string
	}{
		"NoPlan": {
			reason:  "Silence would compose fewer resources, and Crossplane deletes those.",
			context: resource.MustStructJSON(`{"other":{}}`),
			want: "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, " +
				"and the resources that step plan requires must be provided",
		},
		"NoContext": {
			reason: "A request without a context has no plan either.",
			want: "the pipeline context has no plan (key plan.dynamo.nvidia.com): step plan must run before this step, " +
				"and the resources that step plan requires must be provided",
		},
		"OtherVersion": {
			reason:  "A step refuses what it might misread.",
			context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{"version":1,"orchestrator":"Grove"}}`),
			want:    "cannot read version 1 of the plan, only version 2; install the same version of all function-dynamo packages",
		},
		"NoVersion": {
			reason:  "What has no version is of none that is known.",
			context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{}}`),
			want:    "cannot read version 0 of the plan, only version 2; install the same version of all function-dynamo packages",
		},
		"NoObject": {
			reason:  "A value of another function under the key is refused without a panic.",
			context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":"plan"}`),
			want:    "cannot read version 0 of the plan, only version 2; install the same version of all function-dynamo packages",
		},
		"UnknownField": {
			reason:  "A field that this version does not know would be a decision ignored silently.",
			context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{"version":2,"release":"development","colour":"green"}}`),
			want:    `cannot read the plan in context key plan.dynamo.nvidia.com: colour: Invalid value: "green": unknown field; remove it`,
		},
		"GroveWithoutSettings": {
			reason:  "A step that is to compose on Grove must not meet a plan without its part.",
			context: resource.MustStructJSON(`{"plan.dynamo.nvidia.com":{"version":2,"release":"development","orchestrator":"Grove","services":{},"totalGPUs":0}}`),
			want:    "cannot read the plan in context key plan.dynamo.nvidia.com: the orchestrator is Grove, but field grove is missing",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Read(&fnv1.RunFunctionRequest{Context: tc.context})
			if err == nil {
				t.Fatalf("%s\nRead(...): want an error, got none", tc.reason)
			}
			if diff := cmp.Diff(tc.want, err.Error()); diff != "" {
				t.Errorf("%s\nRead(...): -want error, +got error:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestUsesKubernetesDiscovery(t *testing.T) {
	cases := map[string]struct {
		reason     string
		components map[string]Component
		want       bool
	}{
		"Some": {reason: "One service that Kubernetes discovers is enough.", components: map[string]Component{"A": {Discovery: "etcd"}, "B": {Discovery: Kubernetes}}, want: true},
		"None": {reason: "Services of etcd need nothing.", components: map[string]Component{"A": {Discovery: "etcd"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := &Plan{Components: tc.components}
			if got := p.UsesKubernetesDiscovery(); got != tc.want {
				t.Errorf("%s\nUsesKubernetesDiscovery(): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
