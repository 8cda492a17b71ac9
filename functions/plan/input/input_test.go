package input

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	sdkresource "github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/runtime"
)

// given is an input with the fields of an object, or of JSON.
func given(fields any) *structpb.Struct {
	in := steptest.Struct(fields)
	in.Fields["apiVersion"], in.Fields["kind"] = structpb.NewStringValue(v1alpha1.APIVersion), structpb.NewStringValue(v1alpha1.Kind)
	return in
}

func TestRead(t *testing.T) {
	cases := map[string]struct {
		reason string
		input  *structpb.Struct
		want   *v1alpha1.Input
	}{
		"None": {
			reason: "What no input sets is not set.",
			want:   &v1alpha1.Input{},
		},
		"Empty": {
			reason: "What an empty input does not set is not set either.",
			input:  given(`{"grove":{}}`),
			want:   &v1alpha1.Input{TypeMeta: metav1.TypeMeta{APIVersion: "plan.dynamo.nvidia.com/v1alpha1", Kind: "Input"}},
		},
		"Full": {
			reason: "Every field is read.",
			input: given(`{"metadata":{"name":"policy"},
				"grove":{"mode":"Enabled","terminationDelay":"1h30m","topologyDialect":"PackDomain","scheduler":"Volcano"},
				"kai":{"mode":"Disabled","queue":"q"},
				"lws":{"mode":"Auto","gangProvider":"LWS"},
				"volcano":{"mode":"Disabled","queue":"v","topologyDialect":"Tier","tiers":{"rack":1,"zone":3}},
				"topology":{"allowWithoutKAI":true,"podLabels":[],"profiles":[{"name":"gb200","levels":[{"domain":"rack","key":"example.org/rack"}]}]},
				"mnnvl":{"mode":"Auto","scope":"Replica","gpusPerNode":8,"requireClique":true,"driver":"Enabled"},
				"scalingAdapter":{"mode":"Enabled"},
				"checkpoints":{"mode":"Disabled","contract":"v0.1.0-alpha.1","seccompProfile":"","storage":{"claimName":"c","basePath":"/b"}},
				"infrastructure":{"natsAddress":"n","etcdAddress":"e","modelExpressURL":"m","prometheusEndpoint":"p"},
				"discovery":{"backend":"etcd"},
				"ingress":{"className":"nginx","hostSuffix":"example.org","clusterDomain":"k8s.corp","tlsSecretName":"tls","virtualServiceGateway":"istio-system/public",
					"gateway":{"name":"public","namespace":"gateways","sectionName":"https"},"allowedAnnotations":["cert-manager.io/issuer"]},
				"istio":{"mode":"Enabled"},"gatewayAPI":{"mode":"Disabled"},"inferenceExtension":{"mode":"Auto"},
				"imagePullSecrets":[{"registry":"nvcr.io","secretName":"nvcr"}],
				"deployments":{"minReadySeconds":30},
				"vllm":{"distributedExecutor":"mp"},
				"runtime":{"version":"1.4.0","force":true},
				"environmentConfig":{"mode":"Disabled","name":"platform"},
				"guardRails":{"maxGPUs":8,"maxNodes":0,"maxReplicas":4,"queues":["team-*"],"imageRegistries":["nvcr.io"],"serviceAccounts":[],"storageClasses":["fast"],
					"ingressHostSuffixes":["example.org"],"gateways":["istio-system/*"],"allowHostPath":false,"allowHostNetwork":false,"allowPrivileged":true,"capabilities":["IPC_LOCK"]},
				"defaultResources":{"requests":{"cpu":"500m","memory":"4Gi"},"limits":{"cpu":0,"memory":"8Gi"}},
				"namespaces":[{"selector":{"matchNames":["team-a"]},"kai":{"queue":"a"}}]}`),
			want: &v1alpha1.Input{
				TypeMeta:          metav1.TypeMeta{APIVersion: "plan.dynamo.nvidia.com/v1alpha1", Kind: "Input"},
				ObjectMeta:        metav1.ObjectMeta{Name: "policy"},
				EnvironmentConfig: v1alpha1.EnvironmentConfig{Mode: v1alpha1.EnvironmentConfigDisabled, Name: "platform"},
				Policy: v1alpha1.Policy{
					Grove:   v1alpha1.Grove{Mode: v1alpha1.ModeEnabled, TerminationDelay: &metav1.Duration{Duration: 90 * time.Minute}, TopologyDialect: v1alpha1.DialectPackDomain, Scheduler: v1alpha1.GroveSchedulerVolcano},
					KAI:     v1alpha1.KAI{Mode: v1alpha1.ModeDisabled, Queue: "q"},
					LWS:     v1alpha1.LWS{Mode: v1alpha1.ModeAuto, GangProvider: v1alpha1.GangProviderLWS},
					Volcano: v1alpha1.Volcano{Mode: v1alpha1.ModeDisabled, Queue: "v", TopologyDialect: v1alpha1.VolcanoDialectTier, Tiers: map[string]int{"rack": 1, "zone": 3}},
					Topology: v1alpha1.Topology{AllowWithoutKAI: true, PodLabels: []string{}, Profiles: []v1alpha1.TopologyProfile{
						{Name: "gb200", Levels: []v1alpha1.TopologyLevel{{Domain: "rack", Key: "example.org/rack"}}},
					}},
					MNNVL: v1alpha1.MNNVL{
						Mode: v1alpha1.MNNVLAuto, Scope: v1alpha1.MNNVLScopeReplica, GPUsPerNode: new(int32(8)), RequireClique: true, Driver: v1alpha1.ModeEnabled,
					},
					ScalingAdapter: v1alpha1.ScalingAdapter{Mode: v1alpha1.ModeEnabled},
					Checkpoints:    v1alpha1.Checkpoints{Mode: v1alpha1.ModeDisabled, Contract: v1alpha1.SnapshotV0Alpha, SeccompProfile: new(""), Storage: &v1alpha1.CheckpointStorage{ClaimName: "c", BasePath: "/b"}},
					Infrastructure: v1alpha1.Infrastructure{NATSAddress: "n", EtcdAddress: "e", ModelExpressURL: "m", PrometheusEndpoint: "p"},
					Discovery:      v1alpha1.Discovery{Backend: v1alpha1.DiscoveryEtcd},
					Ingress: v1alpha1.Ingress{
						ClassName: "nginx", HostSuffix: "example.org", ClusterDomain: "k8s.corp", TLSSecretName: "tls", VirtualServiceGateway: "istio-system/public",
						Gateway:            &v1alpha1.Gateway{Name: "public", Namespace: "gateways", SectionName: "https"},
						AllowedAnnotations: []string{"cert-manager.io/issuer"},
					},
					Istio:              v1alpha1.Istio{Mode: v1alpha1.ModeEnabled},
					GatewayAPI:         v1alpha1.GatewayAPI{Mode: v1alpha1.ModeDisabled},
					InferenceExtension: v1alpha1.InferenceExtension{Mode: v1alpha1.ModeAuto},
					ImagePullSecrets:   []v1alpha1.RegistrySecret{{Registry: "nvcr.io", SecretName: "nvcr"}},
					Deployments:        v1alpha1.Deployments{MinReadySeconds: 30},
					VLLM:               v1alpha1.VLLM{DistributedExecutor: v1alpha1.VLLMExecutorMP},
					Runtime:            v1alpha1.Runtime{Version: "1.4.0", Force: true},
					GuardRails: v1alpha1.GuardRails{
						MaxGPUs: new(int64(8)), MaxNodes: new(int64(0)), MaxReplicas: new(int64(4)),
						Queues: []string{"team-*"}, ImageRegistries: []string{"nvcr.io"}, ServiceAccounts: []string{}, StorageClasses: []string{"fast"},
						IngressHostSuffixes: []string{"example.org"}, Gateways: []string{"istio-system/*"}, AllowHostPath: new(false), AllowHostNetwork: new(false), AllowPrivileged: new(true), Capabilities: []string{"IPC_LOCK"},
					},
					DefaultResources: v1alpha1.DefaultResources{
						Requests: v1alpha1.ResourceAmounts{CPU: new(resource.MustParse("500m")), Memory: new(resource.MustParse("4Gi"))},
						Limits:   v1alpha1.ResourceAmounts{CPU: new(resource.MustParse("0")), Memory: new(resource.MustParse("8Gi"))},
					},
				},
				Namespaces: []v1alpha1.NamespacePolicy{{Selector: v1alpha1.NamespaceSelector{MatchNames: []string{"team-a"}}, Policy: v1alpha1.Policy{KAI: v1alpha1.KAI{Queue: "a"}}}},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, errs := Read(tc.input, "")
			if len(errs) > 0 {
				t.Fatalf("%s\nRead(...): %v", tc.reason, errs.ToAggregate())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	const notAName = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character ` +
		`(e.g. 'example.com')`
	const notAnAnnotation = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
		`(e.g. 'MyName',  or 'my.name',  or '123-abc')`
	runRefusals(t, map[string]refusal{
		"Modes": {
			reason: "A mode is one of three.",
			fields: `{"grove":{"mode":"a"},"kai":{"mode":"b"},"lws":{"mode":"c"},"volcano":{"mode":"auto"},"scalingAdapter":{"mode":"On"}}`,
			want: []string{
				`input.grove.mode: Unsupported value: "a": supported values: "Auto", "Enabled", "Disabled"`,
				`input.kai.mode: Unsupported value: "b": supported values: "Auto", "Enabled", "Disabled"`,
				`input.lws.mode: Unsupported value: "c": supported values: "Auto", "Enabled", "Disabled"`,
				`input.volcano.mode: Unsupported value: "auto": supported values: "Auto", "Enabled", "Disabled"`,
				`input.scalingAdapter.mode: Unsupported value: "On": supported values: "Auto", "Enabled", "Disabled"`,
			},
		},
		"Enumerations": {
			reason: "Dialects, gang providers, discovery backends and executors must have supported values.",
			fields: `{"grove":{"topologyDialect":"new"},"lws":{"gangProvider":"volcano"},"discovery":{"backend":"dns"},"vllm":{"distributedExecutor":"slurm"}}`,
			want: []string{
				`input.grove.topologyDialect: Unsupported value: "new": supported values: "Auto", "Pack", "PackDomain", "PackDomainWithTopologyName"`,
				`input.lws.gangProvider: Unsupported value: "volcano": supported values: "PodGroup", "LWS", "Kubernetes"`,
				`input.discovery.backend: Unsupported value: "dns": supported values: "kubernetes", "etcd"`,
				`input.vllm.distributedExecutor: Unsupported value: "slurm": supported values: "ray", "mp"`,
			},
		},
		"Runtime": {
			reason: "A version of the runtime has three numbers and nothing else.",
			fields: `{"runtime":{"version":"v1.4.0-rc.1"}}`,
			want: []string{
				`input.runtime.version: Invalid value: "v1.4.0-rc.1": must be a release of Dynamo such as ` + string(runtime.NewestWithRules()) + `: three numbers of at most four digits, without a suffix`,
			},
		},
		"MinReadySeconds": {
			reason: "A rollout goes on within an hour.",
			fields: `{"deployments":{"minReadySeconds":3601}}`,
			want:   []string{`input.deployments.minReadySeconds: Invalid value: 3601: must be from 0 to 3600`},
		},
		"NegativeMinReadySeconds": {
			reason: "No time is negative.",
			fields: `{"deployments":{"minReadySeconds":-1}}`,
			want:   []string{`input.deployments.minReadySeconds: Invalid value: -1: must be from 0 to 3600`},
		},
		"ForceWithoutVersion": {
			reason: "A release can only be forced if it is specified.",
			fields: `{"runtime":{"force":true}}`,
			want:   []string{`input.runtime.version: Required value: specify the version to force, or remove force`},
		},
		"MNNVL": {
			reason: "The fields for multi-node NVLink must have supported values, and a node has at least one GPU.",
			fields: `{"mnnvl":{"mode":"On","scope":"Service","gpusPerNode":0,"driver":"yes"}}`,
			want: []string{
				`input.mnnvl.mode: Unsupported value: "On": supported values: "Auto", "Disabled", "Grove"`,
				`input.mnnvl.scope: Unsupported value: "Service": supported values: "Graph", "Replica"`,
				`input.mnnvl.driver: Unsupported value: "yes": supported values: "Auto", "Enabled", "Disabled"`,
				`input.mnnvl.gpusPerNode: Invalid value: 0: must be at least 1; remove it to use the default of 4`,
			},
		},
		"Delay": {
			reason: "Grove refuses a gang that is never terminated.",
			fields: `{"grove":{"terminationDelay":"0s"}}`,
			want:   []string{`input.grove.terminationDelay: Invalid value: "0s": must be greater than 0; Grove cannot turn off gang termination, so set a long delay instead`},
		},
		"Names": {
			reason: "A queue has the name of an object.",
			fields: `{"kai":{"queue":"Q_1"},"volcano":{"queue":"-"}}`,
			want: []string{
				`input.kai.queue: Invalid value: "Q_1": ` + notAName,
				`input.volcano.queue: Invalid value: "-": ` + notAName,
			},
		},
		"LongQueue": {
			reason: "Pods carry the queue of KAI as a label.",
			fields: v1alpha1.Policy{KAI: v1alpha1.KAI{Queue: strings.Repeat("q", 64)}, Volcano: v1alpha1.Volcano{Queue: strings.Repeat("q", 64)}},
			want: []string{
				`input.kai.queue: Invalid value: "` + strings.Repeat("q", 64) + `": must have at most 63 bytes, because it is a label of the pods; use a queue with a shorter name`,
			},
		},
		"OptionalModes": {
			reason: "The modes of APIs that only some graphs ask for must have supported values.",
			fields: `{"istio":{"mode":"a"},"gatewayAPI":{"mode":"b"},"inferenceExtension":{"mode":"c"}}`,
			want: []string{
				`input.istio.mode: Unsupported value: "a": supported values: "Auto", "Enabled", "Disabled"`,
				`input.gatewayAPI.mode: Unsupported value: "b": supported values: "Auto", "Enabled", "Disabled"`,
				`input.inferenceExtension.mode: Unsupported value: "c": supported values: "Auto", "Enabled", "Disabled"`,
			},
		},
		"Gateways": {
			reason: "Gateways have names of objects.",
			fields: `{"ingress":{"hostSuffix":".example.org","virtualServiceGateway":"/public","gateway":{"name":"","namespace":"a.b","sectionName":"-"}}}`,
			want: []string{
				`input.ingress.hostSuffix: Invalid value: ".example.org": ` + notAName,
				`input.ingress.virtualServiceGateway: Invalid value: "/public": must be the name of a gateway, or namespace/name`,
				`input.ingress.gateway.name: Required value: specify the name of the Gateway`,
				`input.ingress.gateway.namespace: Invalid value: "a.b": must not contain dots`,
				`input.ingress.gateway.sectionName: Invalid value: "-": ` + notAName,
			},
		},
		"Mesh": {
			reason: "Not even the platform lets graphs take requests inside the mesh.",
			fields: `{"ingress":{"virtualServiceGateway":"istio-system/mesh"}}`,
			want: []string{
				`input.ingress.virtualServiceGateway: Invalid value: "istio-system/mesh": must be a gateway, such as istio-system/public: mesh stands for all sidecars of the mesh, so graphs could take requests to other Services`,
			},
		},
		"DomainOfCluster": {
			reason: "Hosts of graphs are not in the domain of the cluster.",
			fields: `{"ingress":{"hostSuffix":"apps.k8s.corp","clusterDomain":"k8s.corp"}}`,
			want: []string{
				`input.ingress.hostSuffix: Invalid value: "apps.k8s.corp": must be a domain outside of the cluster, such as apps.example.org: a host below it is in the domain of the cluster`,
			},
		},
		"DomainOfServices": {
			reason: "They are not names of Services either.",
			fields: `{"ingress":{"hostSuffix":"svc","clusterDomain":"-"}}`,
			want: []string{
				`input.ingress.clusterDomain: Invalid value: "-": ` + notAName,
				`input.ingress.hostSuffix: Invalid value: "svc": must be a domain outside of the cluster, such as apps.example.org: a host below it is the name of a Service, or of a pod`,
			},
		},
		"Annotations": {
			reason: "An annotation is allowed by its whole name.",
			fields: `{"ingress":{"allowedAnnotations":["cert-manager.io/Issuer","nginx.ingress.kubernetes.io/*"]}}`,
			want:   []string{`input.ingress.allowedAnnotations[1]: Invalid value: "nginx.ingress.kubernetes.io/*": ` + notAnAnnotation},
		},
		"PullSecrets": {
			reason: "A registry is a host, and a Secret an object.",
			fields: `{"imagePullSecrets":[{"registry":"https://nvcr.io","secretName":"a"},{"registry":"nvcr","secretName":"a"},{"registry":"nvcr.io/nvidia","secretName":"-"},{"registry":"","secretName":""}]}`,
			want: []string{
				`input.imagePullSecrets[0].registry: Invalid value: "https://nvcr.io": must be a host with a dot or a port, such as nvcr.io or registry.example.org:5000, without a scheme or path`,
				`input.imagePullSecrets[1].registry: Invalid value: "nvcr": must be a host with a dot or a port, such as nvcr.io or registry.example.org:5000, without a scheme or path`,
				`input.imagePullSecrets[2].registry: Invalid value: "nvcr.io/nvidia": must be a host with a dot or a port, such as nvcr.io or registry.example.org:5000, without a scheme or path`,
				`input.imagePullSecrets[2].secretName: Invalid value: "-": ` + notAName,
				`input.imagePullSecrets[3].registry: Required value: specify the host of the registry, such as nvcr.io`,
				`input.imagePullSecrets[3].secretName: Required value: specify the name of the Secret`,
			},
		},
		"UnknownField": {
			reason: "A typo in the Composition must not be a policy that does not hold.",
			fields: `{"grove":{"mod":"Enabled"}}`,
			want:   []string{`input.grove.mod: Invalid value: "Enabled": unknown field; did you mean "mode"?`},
		},
	})
}

// A refusal is what is wrong with an input.
type refusal struct {
	reason string
	// fields of the input: an object, or JSON.
	fields any
	want   []string
}

func runRefusals(t *testing.T, cases map[string]refusal) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, errorsIn(tc.fields)); diff != "" {
				t.Errorf("%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// errorsIn the fields of an input, as text.
func errorsIn(fields any) []string {
	_, errs := Read(given(fields), "")
	var all []string
	for _, err := range errs {
		all = append(all, err.Error())
	}
	return all
}

func TestReadOfAnotherStep(t *testing.T) {
	_, errs := Read(sdkresource.MustStructJSON(`{"apiVersion":"template.fn.crossplane.io/v1beta1","kind":"Resources"}`), "")
	var got []string
	for _, err := range errs {
		got = append(got, err.Error())
	}
	want := []string{
		`input.apiVersion: Unsupported value: "template.fn.crossplane.io/v1beta1": supported values: "plan.dynamo.nvidia.com/v1alpha1"`,
		`input.kind: Unsupported value: "Resources": supported values: "Input"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("An input of another kind was meant for something else.\nRead(...): -want, +got:\n%s", diff)
	}
}
