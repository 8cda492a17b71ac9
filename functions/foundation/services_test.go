package foundation

import (
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// serviceOf is the Service of component S with these labels, these parts of the selector beside the identity, and a port.
func serviceOf(labels, selector map[string]string, port corev1.ServicePort) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{Name: "llama-s", Namespace: "inference", Labels: labels},
		Spec: corev1.ServiceSpec{
			Ports:    []corev1.ServicePort{port},
			Selector: with(map[string]string{"nvidia.com/dynamo-component": "S", "nvidia.com/dynamo-namespace": "inference-llama"}, selector),
		},
	}
}

// with are all labels of two sets. Those of the second have priority.
func with(labels, more map[string]string) map[string]string {
	all := maps.Clone(labels)
	maps.Copy(all, more)
	return all
}

// TestRayServices shows by which address nodes join an engine of one node.
func TestRayServices(t *testing.T) {
	onGrove := steptest.OnGrove(t, map[string]graphplan.Component{"S": {Framework: "vllm", Discovery: "etcd", DynamoNamespace: "inference-llama"}})
	elastic := func(changes ...func(*v1alpha1.Service)) string {
		service := v1alpha1.Service{
			ComponentType: "worker", Annotations: map[string]string{"a": "b"},
			ExtraPodSpec: &v1alpha1.ExtraPodSpec{MainContainer: &corev1.Container{
				Image: "i", Command: []string{"python3", "-m", "dynamo.vllm"}, Args: []string{"--data-parallel-backend", "ray", "--enable-elastic-ep"},
			}},
		}
		for _, change := range changes {
			change(&service)
		}
		return steptest.Spec(t, map[string]v1alpha1.Service{"S": service})
	}
	compareParts(t, "rayservice-", map[string]partCase{
		"Head": {
			reason: "Nodes join before the engine is ready, on ports that no Service lists.",
			req:    steptest.Request(elastic(), onGrove),
			want: map[string]any{"rayservice-s": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-s-ray","namespace":"inference","annotations":{"a":"b"}},
				"spec":{"clusterIP":"None","publishNotReadyAddresses":true,
					"ports":[{"name":"ray-gcs","port":6379,"protocol":"TCP","targetPort":6379},{"name":"system","port":9090,"protocol":"TCP","targetPort":"system"}],
					"selector":{"nvidia.com/dynamo-component":"S","nvidia.com/dynamo-component-type":"worker","nvidia.com/dynamo-namespace":"inference-llama"}}}`},
		},
		"Replicas": {
			reason: "Each replica is the head of a cluster of its own, and one name cannot lead to all of them.",
			req:    steptest.Request(elastic(func(s *v1alpha1.Service) { s.Replicas = new(int32(2)) }), onGrove),
			want:   map[string]any{},
		},
		"Nodes": {
			reason: "The nodes of an engine that spans several know their leader.",
			req:    steptest.Request(elastic(func(s *v1alpha1.Service) { s.Multinode = &v1alpha1.Multinode{NodeCount: 2} }), onGrove),
			want:   map[string]any{},
		},
		"Components": {
			reason: "A component has the same Service.",
			req: steptest.Request(`{"components":[{"name":"S","type":"worker","podTemplate":{"metadata":{"annotations":{"a":"b"}},"spec":{"containers":[{"name":"main","image":"i",
				"command":["python3","-m","dynamo.vllm"],"args":["-dpb=ray","--enable-elastic-ep"]}]}}}]}`, onGrove),
			want: map[string]any{"rayservice-s": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-s-ray","namespace":"inference","annotations":{"a":"b"}},
				"spec":{"clusterIP":"None","publishNotReadyAddresses":true,
					"ports":[{"name":"ray-gcs","port":6379,"protocol":"TCP","targetPort":6379},{"name":"system","port":9090,"protocol":"TCP","targetPort":"system"}],
					"selector":{"nvidia.com/dynamo-component":"S","nvidia.com/dynamo-component-type":"worker","nvidia.com/dynamo-namespace":"inference-llama"}}}`},
		},
	})
}

func TestServices(t *testing.T) {
	discovered := map[string]string{"nvidia.com/dynamo-discovery-backend": "kubernetes", "nvidia.com/dynamo-discovery-enabled": "true"}
	port := func(name string, number int32, target intstr.IntOrString) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: number, Protocol: corev1.ProtocolTCP, TargetPort: target}
	}
	http, system, byNumber := port("http", 8000, intstr.FromString("http")), port("system", 9090, intstr.FromString("system")), port("system", 9090, intstr.FromInt32(9090))
	grpc := port("grpc", 9002, intstr.FromInt32(9002))
	grpc.AppProtocol = new("http2")
	kubernetes, etcd := steptest.OnGrove(t, steptest.Components("kubernetes", "S")), steptest.OnGrove(t, steptest.Components("etcd", "S"))
	typed := func(componentType string) map[string]string {
		return map[string]string{"nvidia.com/dynamo-component-type": componentType}
	}
	annotated := serviceOf(map[string]string{"a": "graph", "b": "pod"}, typed("frontend"), http)
	annotated.Annotations = map[string]string{"c": "graph", "d": "service", "e": "pod"}
	shared := serviceOf(nil, with(typed("frontend"), map[string]string{"nvidia.com/dynamo-graph-deployment-name": "llama", "nvidia.com/dynamo-namespace": "dynamo"}), http)
	compareParts(t, "service-", map[string]partCase{
		"Frontend": {
			reason: "A frontend is reached by HTTP, however it is discovered.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, etcd),
			want:   map[string]any{"service-s": serviceOf(nil, typed("frontend"), http)},
		},
		"DiscoveredFrontend": {
			reason: "The labels of a frontend's Service say when Kubernetes discovers it.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, typed("frontend"), http)},
		},
		"Worker": {
			reason: "A worker is reached at its system server.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, typed("worker"), system)},
		},
		"Metadata": {
			reason: "Labels and annotations of the pods are on their Service too, those of the graph with the lowest priority.",
			req: steptest.Request(`{"labels":{"a":"graph","b":"graph"},"annotations":{"c":"graph","d":"graph","e":"graph"},"services":{"S":{"componentType":"frontend",
				"annotations":{"d":"service","e":"service"},"extraPodMetadata":{"labels":{"b":"pod"},"annotations":{"e":"pod"}}}}}`, etcd),
			want: map[string]any{"service-s": annotated},
		},
		"WorkerForAPhase": {
			reason: "The type of a worker for one phase depends on the release in its image, and the Service selects pods of all releases.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","subComponentType":"decode"}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, nil, system)},
		},
		"WorkerWithThePhaseAsType": {
			reason: "A worker for one phase may be written with the phase as its type.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"prefill"}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, nil, system)},
		},
		"WorkerWithPortsOfItsOwn": {
			reason: "A port that the container does not name is asked for by number; a name that is not there finds no pod.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","extraPodSpec":{"mainContainer":{"ports":[{"containerPort":9090,"name":"metrics"}]}}}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, typed("worker"), byNumber)},
		},
		"WorkerThatMovesThePort": {
			reason: "A port that the container names may have another number.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","extraPodSpec":{"mainContainer":{"ports":[{"containerPort":9999,"name":"system"}]}}}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, typed("worker"), system)},
		},
		"GlobalNamespace": {
			reason: "In a Dynamo namespace that graphs share, a Service selects by the graph too.",
			req: steptest.Request(`{"services":{"S":{"componentType":"frontend","globalDynamoNamespace":true}}}`,
				steptest.OnGrove(t, map[string]graphplan.Component{"S": {Discovery: "etcd", DynamoNamespace: "dynamo"}})),
			want: map[string]any{"service-s": shared},
		},
		"PickerOnEtcd": {
			reason: "The InferencePool looks for the Service of its picker.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp"}}}`, etcd),
			want:   map[string]any{"service-s": serviceOf(nil, typed("epp"), grpc)},
		},
		"WorkerOnEtcd": {
			reason: "With etcd, the Service of a worker is not needed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, etcd),
			want:   map[string]any{},
		},
		"Planner": {
			reason: "A planner is reached at its system server.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, typed("planner"), system)},
		},
		"EPP": {
			reason: "The Endpoint Picker speaks gRPC.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp"}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, typed("epp"), grpc)},
		},
		"NoType": {
			reason: "Pods without a type have no label for it, and no named port.",
			req:    steptest.Request(`{"services":{"S":{}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, nil, byNumber)},
		},
		"Multinode": {
			reason: "Only leaders serve requests.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","multinode":{"nodeCount":2}}}}`, kubernetes),
			want:   map[string]any{"service-s": serviceOf(discovered, with(typed("worker"), map[string]string{"role": "leader"}), system)},
		},
		"Labels": {
			reason: "Labels of the service and of the graph are the Service's too.",
			req:    steptest.Request(`{"labels":{"a":"graph","b":"graph"},"services":{"S":{"componentType":"frontend","labels":{"b":"service"}}}}`, etcd),
			want:   map[string]any{"service-s": serviceOf(map[string]string{"a": "graph", "b": "service"}, typed("frontend"), http)},
		},
	})
}

// TestServicesWithoutGrove shows that without Grove a Service looks like its workload.
func TestServicesWithoutGrove(t *testing.T) {
	plan := steptest.OnDeployments(t, steptest.Components("kubernetes", "S"))
	compareParts(t, "service-s", map[string]partCase{
		"Frontend": {
			reason: "The Service of a frontend has the workload's labels and annotations.",
			req:    steptest.Request(`{"annotations":{"a":"b"},"services":{"S":{"componentType":"frontend","labels":{"l":"m"}}}}`, plan),
			want: map[string]any{"service-s": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-s","namespace":"inference",
				"annotations":{"a":"b"},
				"labels":{"l":"m","nvidia.com/dynamo-component":"S","nvidia.com/dynamo-graph-deployment-name":"llama","nvidia.com/dynamo-namespace":"inference-llama",
					"nvidia.com/dynamo-discovery-backend":"kubernetes","nvidia.com/dynamo-discovery-enabled":"true"}},
				"spec":{"ports":[{"name":"http","port":8000,"protocol":"TCP","targetPort":"http"}],
				"selector":{"nvidia.com/dynamo-component":"S","nvidia.com/dynamo-component-type":"frontend","nvidia.com/dynamo-namespace":"inference-llama"}}}`},
		},
	})
}

func TestModelServices(t *testing.T) {
	const model = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-model-fb68f5a6","namespace":"inference",
		"annotations":{"nvidia.com/dynamo-base-model":"Qwen/Qwen3-0.6B"},
		"labels":{"nvidia.com/dynamo-base-model-hash":"fb68f5a6","app.kubernetes.io/managed-by":"configuration-dynamo","nvidia.com/dynamo-graph-deployment-name":"llama"}},
		"spec":{"clusterIP":"None","ports":[{"name":"system","port":9090,"protocol":"TCP","targetPort":9090}],
		"selector":{"nvidia.com/dynamo-base-model-hash":"fb68f5a6","nvidia.com/dynamo-graph-deployment-name":"llama"}}}`
	compareParts(t, "service-model-", map[string]partCase{
		"OneModel": {
			reason: "However many services serve a model, one headless Service is over all of their pods.",
			req: steptest.Request(`{"services":{"A":{"modelRef":{"name":"Qwen/Qwen3-0.6B"}},"B":{"modelRef":{"name":"Qwen/Qwen3-0.6B"}},"C":{}}}`,
				steptest.OnGrove(t, steptest.Components("etcd", "A", "B", "C"))),
			want: map[string]any{"service-model-fb68f5a6": model},
		},
		"NoModel": {
			reason: "A service without a model gets no Service of a model.",
			req:    steptest.Request(`{"services":{"A":{}}}`, steptest.OnGrove(t, steptest.Components("etcd", "A"))),
			want:   map[string]any{},
		},
	})
}
