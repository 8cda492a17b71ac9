package functions

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// leaked is what must not be said, as a text and as a number.
const (
	leaked       = "hf_aBcDeF"
	leakedNumber = 8675309
)

// object as JSON has it, for what no type can express.
type object = map[string]any

// holders are specs of graphs with one of the objects that have a command line or variables, to which a field is added.
func holders() map[string]func(field object) object {
	const image = "registry.example.org/runtime:1"
	plus := func(o, field object) object {
		maps.Copy(o, field)
		return o
	}
	component := func(fields object) object { return object{"services": object{"Worker": fields}} }
	worker := func(fields object) object {
		return component(plus(object{"componentType": "worker", "resources": object{"limits": object{"gpu": "1"}}}, fields))
	}
	plain := object{"mainContainer": object{"image": image}}
	inPod := func(fields object) object {
		main := object{"image": image, "command": []any{"python3", "-m", "dynamo.vllm"}}
		return worker(object{"extraPodSpec": plus(object{"mainContainer": main}, fields)})
	}
	inMain := func(fields object) object {
		return worker(object{"extraPodSpec": object{"mainContainer": plus(object{"image": image}, fields)}})
	}
	tool := func(field object) []any {
		return []any{plus(object{"name": "a", "image": "registry.example.org/tool:1"}, field)}
	}
	return map[string]func(field object) object{
		"Graph":   func(field object) object { return plus(component(object{"extraPodSpec": plain}), field) },
		"Service": func(field object) object { return component(plus(object{"extraPodSpec": plain}, field)) },
		"FrontendSidecar": func(field object) object {
			return worker(object{"frontendSidecar": plus(object{"image": image}, field), "extraPodSpec": plain})
		},
		"ExtraPodSpec":  inPod,
		"MainContainer": inMain,
		"Multinode": func(field object) object {
			return worker(object{
				"multinode": object{"nodeCount": 2}, "annotations": object{"nvidia.com/vllm-distributed-executor-backend": "mp"},
				"extraPodSpec": object{"mainContainer": plus(object{"image": image}, field)},
			})
		},
		"Probe": func(field object) object { return inMain(object{"startupProbe": object{"exec": field}}) },
		"Lifecycle": func(field object) object {
			return inMain(object{"lifecycle": object{"postStart": object{"exec": field}}})
		},
		"Container":          func(field object) object { return inPod(object{"containers": tool(field)}) },
		"InitContainer":      func(field object) object { return inPod(object{"initContainers": tool(field)}) },
		"EphemeralContainer": func(field object) object { return inPod(object{"ephemeralContainers": tool(field)}) },
	}
}

// leakingVariables are lists of variables with the credential, of the right form and of wrong ones.
func leakingVariables() []any {
	variable := func(fields object) any { return []any{fields} }
	return []any{
		variable(object{"HF_TOKEN": leaked}),
		variable(object{"HF_TOKEN=" + leaked: true}),
		variable(object{"name": "HF_TOKEN=" + leaked}),
		variable(object{"name": "A", "value": object{"a": leaked}}),
		variable(object{"name": "A", "value": leakedNumber}),
		variable(object{"name": "A", "valeu": leaked}),
		variable(object{"name": "A", "value": leaked, "valueFrom": leaked}),
		variable(object{"name": "A", "valueFrom": object{"secretKeyRef": leaked}}),
		[]any{object{"name": "A=" + leaked}, object{"name": "A=" + leaked}},
		variable(object{"name": "A", "value": leaked, "valueFrom": object{"fieldRef": object{"fieldPath": "x"}}}),
		variable(object{"secretRef": leaked}),
	}
}

// TestNoValueLeaks writes a credential where users write one, in all wrong shapes and under misspelt names, and looks for it
// in what the pipeline says.
func TestNoValueLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("functions that are called one after the other have no races, and are slow with the race detector")
	}
	fields := []string{"args", "command", "env", "envs", "envFrom"}
	misspelt := []string{"agrs", "arg", "arguments", "comand", "cmd", "enviroment", "environment", "evn", "extraArgs", "flags"} //nolint:misspell // That is what it is about.
	basic := []any{leaked, "--api-key " + leaked, object{"HF_TOKEN": leaked}, []any{"--api-key", leakedNumber}}
	shapes := slices.Concat(basic, leakingVariables(), []any{
		leakedNumber,
		[]any{"HF_TOKEN=" + leaked},
		[]any{[]any{leaked}},
		[]any{"python3", "-m", "dynamo.vllm", "--tensor-parallel-size", leaked},
		[]any{"sh", "-c", "python3 -m dynamo.vllm -tp " + leaked},
	})
	cluster := objectsOf(t, "examples/cluster/lws-volcano.yaml")
	for name, holder := range holders() {
		t.Run(name, func(t *testing.T) {
			for _, field := range fields {
				for _, shape := range shapes {
					hunt(t, cluster, holder, object{field: shape})
				}
			}
			for _, field := range misspelt {
				for _, shape := range basic {
					hunt(t, cluster, holder, object{field: shape})
				}
			}
		})
	}
}

// TestNoValueOfOverridesLeaks writes a credential in place of each value of an override, which no type of the API describes.
func TestNoValueOfOverridesLeaks(t *testing.T) {
	if testing.Short() {
		t.Skip("functions that are called one after the other have no races, and are slow with the race detector")
	}
	cluster := objectsOf(t, "examples/cluster/grove-kai.yaml")
	for _, shape := range []any{object{"token": leaked}, []any{leaked}, []any{leakedNumber}, object{"token": leakedNumber}} {
		for _, value := range []object{
			{"minAvailable": shape},
			{"spec": shape},
			{"spec": object{"minAvailable": shape}},
			{"rollingUpdate": shape},
			{"rollingUpdate": object{"maxUnavailable": shape}},
			{"rollingUpdate": object{"progressDeadline": shape}},
			{"topologyConstraint": shape},
			{"topologyConstraint": object{"packDomain": shape}},
			{"podSpec": shape},
		} {
			for _, target := range []string{"PodCliqueTemplateSpec", "PodCliqueScalingGroupConfig"} {
				hunt(t, cluster, holders()["Service"], object{
					"providerOverride": object{"apiVersion": "grove.io/v1alpha1", "target": target, "value": value},
				})
			}
		}
	}
}

// spoken are the variables and the flags whose values the status or a message names.
func spoken() (variables, flags []string) {
	variables = []string{
		"DYN_NAMESPACE", "DYN_NAMESPACE_PREFIX", "DYN_NAMESPACE_PREFIX_STRICT", "DYN_NAMESPACE_WORKER_SUFFIX", "DYN_COMPONENT", "DYN_DISCOVERY_BACKEND", "DYN_STORE_KV",
		"DYN_REQUEST_PLANE", "DYN_EVENT_PLANE", "DYN_HTTP_PORT", "DYN_SYSTEM_PORT", "DYN_ROUTER_MODE", "DYN_CONNECTOR", "DYN_MODEL_NAME",
		"DYN_PARENT_DGD_K8S_NAME", "DYN_KUBE_DISCOVERY_MODE", "ETCD_ENDPOINTS", "NATS_SERVER", "HF_HOME", "MODEL",
	}
	flags = []string{
		"model", "model-path", "model-name", "served-model-name", "endpoint", "component", "namespace", "namespace-prefix", "discovery-backend", "store-kv",
		"request-plane", "event-plane", "connector", "kv-transfer-config", "tensor-parallel-size", "http-port", "router-mode", "disaggregation-mode",
	}
	return variables, flags
}

// TestNoSpokenValueLeaks writes an address with a password, and a password with its name, into each variable and each flag whose value the status or a
// message names, of the graph, of a worker and of a frontend.
func TestNoSpokenValueLeaks(t *testing.T) {
	variables, flags := spoken()
	var mains []object
	for _, value := range []string{"https://user:" + leaked + "@h.example.org/x", "password=" + leaked} {
		for _, name := range variables {
			mains = append(mains, object{"env": []any{object{"name": name, "value": value}}, "args": []any{"--model", "$(MODEL)"}})
		}
		for _, name := range flags {
			mains = append(mains, object{"args": []any{"--" + name, value}}, object{"args": []any{"--" + name + "=" + value}})
		}
		mains = append(mains, object{"args": []any{"--endpoint", "dyn://a." + value + ".generate"}})
	}
	cluster := objectsOf(t, "examples/cluster/none.yaml")
	container := func(program string, field object) object {
		main := object{"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0", "command": []any{"python3", "-m", program}}
		maps.Copy(main, field)
		return object{"mainContainer": main}
	}
	specOf := func(frontend, worker object) object {
		return object{"services": object{
			"Frontend": object{"componentType": "frontend", "extraPodSpec": container("dynamo.frontend", frontend)},
			"Worker":   object{"componentType": "worker", "resources": object{"limits": object{"gpu": "1"}}, "extraPodSpec": container("dynamo.vllm", worker)},
		}}
	}
	for holder, spec := range map[string]func(field object) object{
		"Frontend": func(field object) object { return specOf(field, nil) },
		"Worker":   func(field object) object { return specOf(nil, field) },
		"Graph": func(field object) object {
			whole := specOf(nil, nil)
			if env, ok := field["env"]; ok {
				whole["envs"] = env
			}
			return whole
		},
	} {
		t.Run(holder, func(t *testing.T) {
			for _, main := range mains {
				hunt(t, cluster, spec, main)
			}
		})
	}
}

// hunt for the credential in what is said of a graph that has it in a field of a holder.
func hunt(t *testing.T, cluster []*structpb.Struct, holder func(object) object, field object) {
	t.Helper()
	written, err := json.Marshal(field)
	if err != nil {
		t.Fatal(err)
	}
	xr := steptest.Struct(object{
		"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "metadata": object{"name": "a", "namespace": "b"}, "spec": holder(field),
	})
	p := runPipeline(t, func(log logging.Logger) []server.Function { return []server.Function{Fused(log)} }, xr, cluster, nil)
	messages := p.messages(t)
	for _, secret := range []string{leaked, strconv.Itoa(leakedNumber)} {
		// Settings are compared without their case, and said so.
		if i := strings.Index(strings.ToLower(messages), strings.ToLower(secret)); i >= 0 {
			t.Errorf("%s is disclosed: %s", written, messages[max(0, i-200):min(len(messages), i+50)])
		}
	}
}

// messages are everything that a pipeline tells its users: what it logs, conditions, results and context, and not the objects that
// it composes.
func (p *pass) messages(t *testing.T) string {
	t.Helper()
	all := slices.Concat(p.log, p.errors)
	for _, rsp := range p.responses {
		response := &fnv1.RunFunctionResponse{Results: rsp.GetResults(), Conditions: rsp.GetConditions(), Context: rsp.GetContext()}
		encoded, err := protojson.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(encoded))
		if status := rsp.GetDesired().GetComposite().GetResource().GetFields()["status"]; status != nil {
			encoded, err := json.Marshal(status.AsInterface())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(encoded))
		}
	}
	return strings.Join(all, "\n")
}
