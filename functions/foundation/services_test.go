package foundation

import (
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/steptest"
)

// serviceOf is the Service of service S with these labels, a selector beside the identity, and a port.
func serviceOf(labels, selector, port string) string {
	meta := `"name":"llama-s","namespace":"inference"`
	if labels != "" {
		meta += `,"labels":{` + labels + `}`
	}
	return `{"apiVersion":"v1","kind":"Service","metadata":{` + meta + `},"spec":{"ports":[` + port + `],
		"selector":{"nvidia.com/dynamo-component":"S","nvidia.com/dynamo-namespace":"inference-llama"` + selector + `}}}`
}

// TestRayServices shows by which address nodes join an engine of one node.
func TestRayServices(t *testing.T) {
	onGrove := steptest.OnGrove(t, map[string]graphplan.Service{"S": {Framework: "vllm", Discovery: "etcd", DynamoNamespace: "inference-llama"}})
	elastic := func(fields string) string {
		return `{"services":{"S":{"componentType":"worker",` + fields + `"annotations":{"a":"b"},"extraPodSpec":{"mainContainer":{"image":"i",
			"command":["python3","-m","dynamo.vllm"],"args":["--data-parallel-backend","ray","--enable-elastic-ep"]}}}}}`
	}
	compareParts(t, "rayservice-", map[string]partCase{
		"Head": {
			reason: "Nodes join before the engine is ready, on ports that no Service lists.",
			req:    steptest.Request(elastic(``), onGrove),
			want: map[string]string{"rayservice-s": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-s-ray","namespace":"inference","annotations":{"a":"b"}},
				"spec":{"clusterIP":"None","publishNotReadyAddresses":true,
					"ports":[{"name":"ray-gcs","port":6379,"protocol":"TCP","targetPort":6379},{"name":"system","port":9090,"protocol":"TCP","targetPort":"system"}],
					"selector":{"nvidia.com/dynamo-component":"S","nvidia.com/dynamo-component-type":"worker","nvidia.com/dynamo-namespace":"inference-llama"}}}`},
		},
		"Replicas": {
			reason: "Each replica is the head of a cluster of its own, and one name cannot lead to all of them.",
			req:    steptest.Request(elastic(`"replicas":2,`), onGrove),
			want:   map[string]string{},
		},
		"Nodes": {
			reason: "The nodes of an engine that spans several know their leader.",
			req:    steptest.Request(elastic(`"multinode":{"nodeCount":2},`), onGrove),
			want:   map[string]string{},
		},
		"Components": {
			reason: "A component has the same Service.",
			req: steptest.Request(`{"components":[{"name":"S","type":"worker","podTemplate":{"metadata":{"annotations":{"a":"b"}},"spec":{"containers":[{"name":"main","image":"i",
				"command":["python3","-m","dynamo.vllm"],"args":["-dpb=ray","--enable-elastic-ep"]}]}}}]}`, onGrove),
			want: map[string]string{"rayservice-s": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-s-ray","namespace":"inference","annotations":{"a":"b"}},
				"spec":{"clusterIP":"None","publishNotReadyAddresses":true,
					"ports":[{"name":"ray-gcs","port":6379,"protocol":"TCP","targetPort":6379},{"name":"system","port":9090,"protocol":"TCP","targetPort":"system"}],
					"selector":{"nvidia.com/dynamo-component":"S","nvidia.com/dynamo-component-type":"worker","nvidia.com/dynamo-namespace":"inference-llama"}}}`},
		},
	})
}

func TestServices(t *testing.T) {
	const (
		discovered = `"nvidia.com/dynamo-discovery-backend":"kubernetes","nvidia.com/dynamo-discovery-enabled":"true"`
		http       = `{"name":"http","port":8000,"protocol":"TCP","targetPort":"http"}`
		system     = `{"name":"system","port":9090,"protocol":"TCP","targetPort":"system"}`
		byNumber   = `{"name":"system","port":9090,"protocol":"TCP","targetPort":9090}`
		grpc       = `{"name":"grpc","port":9002,"protocol":"TCP","targetPort":9002,"appProtocol":"http2"}`
	)
	kubernetes, etcd := steptest.OnGrove(t, steptest.Services("kubernetes", "S")), steptest.OnGrove(t, steptest.Services("etcd", "S"))
	typed := func(componentType string) string {
		return `,"nvidia.com/dynamo-component-type":"` + componentType + `"`
	}
	compareParts(t, "service-", map[string]partCase{
		"Frontend": {
			reason: "A frontend is reached by HTTP, however it is discovered.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, etcd),
			want:   map[string]string{"service-s": serviceOf("", typed("frontend"), http)},
		},
		"DiscoveredFrontend": {
			reason: "The labels of a frontend's Service say when Kubernetes discovers it.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"frontend"}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, typed("frontend"), http)},
		},
		"Worker": {
			reason: "A worker is reached at its system server.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, typed("worker"), system)},
		},
		"Metadata": {
			reason: "Labels and annotations of the pods are on their Service too, those of the graph with the lowest priority.",
			req: steptest.Request(`{"labels":{"a":"graph","b":"graph"},"annotations":{"c":"graph","d":"graph","e":"graph"},"services":{"S":{"componentType":"frontend",
				"annotations":{"d":"service","e":"service"},"extraPodMetadata":{"labels":{"b":"pod"},"annotations":{"e":"pod"}}}}}`, etcd),
			want: map[string]string{"service-s": strings.Replace(serviceOf(`"a":"graph","b":"pod"`, typed("frontend"), http),
				`"labels"`, `"annotations":{"c":"graph","d":"service","e":"pod"},"labels"`, 1)},
		},
		"WorkerForAPhase": {
			reason: "The type of a worker for one phase depends on the release in its image, and the Service selects pods of all releases.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","subComponentType":"decode"}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, "", system)},
		},
		"WorkerWithThePhaseAsType": {
			reason: "A worker for one phase may be written with the phase as its type.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"prefill"}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, "", system)},
		},
		"WorkerWithPortsOfItsOwn": {
			reason: "A port that the container does not name is asked for by number; a name that is not there finds no pod.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","extraPodSpec":{"mainContainer":{"ports":[{"containerPort":9090,"name":"metrics"}]}}}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, typed("worker"), byNumber)},
		},
		"WorkerThatMovesThePort": {
			reason: "A port that the container names may have another number.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","extraPodSpec":{"mainContainer":{"ports":[{"containerPort":9999,"name":"system"}]}}}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, typed("worker"), system)},
		},
		"GlobalNamespace": {
			reason: "In a Dynamo namespace that graphs share, a Service selects by the graph too.",
			req: steptest.Request(`{"services":{"S":{"componentType":"frontend","globalDynamoNamespace":true}}}`,
				steptest.OnGrove(t, map[string]graphplan.Service{"S": {Discovery: "etcd", DynamoNamespace: "dynamo"}})),
			want: map[string]string{"service-s": strings.Replace(serviceOf("", typed("frontend")+`,"nvidia.com/dynamo-graph-deployment-name":"llama"`, http),
				"inference-llama", "dynamo", 1)},
		},
		"PickerOnEtcd": {
			reason: "The InferencePool looks for the Service of its picker.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp"}}}`, etcd),
			want:   map[string]string{"service-s": serviceOf("", typed("epp"), grpc)},
		},
		"WorkerOnEtcd": {
			reason: "With etcd, the Service of a worker is not needed.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker"}}}`, etcd),
			want:   map[string]string{},
		},
		"Planner": {
			reason: "A planner is reached at its system server.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"planner"}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, typed("planner"), system)},
		},
		"EPP": {
			reason: "The Endpoint Picker speaks gRPC.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"epp"}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, typed("epp"), grpc)},
		},
		"NoType": {
			reason: "Pods without a type have no label for it, and no named port.",
			req:    steptest.Request(`{"services":{"S":{}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, "", byNumber)},
		},
		"Multinode": {
			reason: "Only leaders serve requests.",
			req:    steptest.Request(`{"services":{"S":{"componentType":"worker","multinode":{"nodeCount":2}}}}`, kubernetes),
			want:   map[string]string{"service-s": serviceOf(discovered, typed("worker")+`,"role":"leader"`, system)},
		},
		"Labels": {
			reason: "Labels of the service and of the graph are the Service's too.",
			req:    steptest.Request(`{"labels":{"a":"graph","b":"graph"},"services":{"S":{"componentType":"frontend","labels":{"b":"service"}}}}`, etcd),
			want:   map[string]string{"service-s": serviceOf(`"a":"graph","b":"service"`, typed("frontend"), http)},
		},
	})
}

// TestServicesWithoutGrove shows that without Grove a Service looks like its workload.
func TestServicesWithoutGrove(t *testing.T) {
	plan := steptest.OnDeployments(t, steptest.Services("kubernetes", "S"))
	compareParts(t, "service-s", map[string]partCase{
		"Frontend": {
			reason: "The Service of a frontend has the workload's labels and annotations.",
			req:    steptest.Request(`{"annotations":{"a":"b"},"services":{"S":{"componentType":"frontend","labels":{"l":"m"}}}}`, plan),
			want: map[string]string{"service-s": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"llama-s","namespace":"inference",
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
				steptest.OnGrove(t, steptest.Services("etcd", "A", "B", "C"))),
			want: map[string]string{"service-model-fb68f5a6": model},
		},
		"NoModel": {
			reason: "A service without a model gets no Service of a model.",
			req:    steptest.Request(`{"services":{"A":{}}}`, steptest.OnGrove(t, steptest.Services("etcd", "A"))),
			want:   map[string]string{},
		},
	})
}
