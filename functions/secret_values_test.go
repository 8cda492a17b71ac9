package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/server"
)

// leaked is what must not be said, as a text and as a number.
const (
	leaked       = "hf_aBcDeF"
	leakedNumber = "8675309"
)

// holders are the objects that have a command line or variables, JSON with %s in place of one field, each in a graph of its own.
func holders() map[string]string {
	const worker = `{"componentType":"worker","resources":{"limits":{"gpu":"1"}},`
	inPod := func(rest string) string {
		return `{"services":{"Worker":` + worker + `"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1","command":["python3","-m","dynamo.vllm"]},` + rest + `}}}}`
	}
	inMain := func(rest string) string {
		return `{"services":{"Worker":` + worker + `"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1",` + rest + `}}}}}`
	}
	return map[string]string{
		"Graph":           `{%s,"services":{"Worker":{"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}}}}}`,
		"Service":         `{"services":{"Worker":{%s,"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}}}}}`,
		"FrontendSidecar": `{"services":{"Worker":` + worker + `"frontendSidecar":{"image":"registry.example.org/runtime:1",%s},"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1"}}}}}`,
		"ExtraPodSpec":    inPod(`%s`),
		"MainContainer":   inMain(`%s`),
		"Multinode": `{"services":{"Worker":{"componentType":"worker","multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"1"}},
			"annotations":{"nvidia.com/vllm-distributed-executor-backend":"mp"},"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1",%s}}}}}`,
		"Probe":              inMain(`"startupProbe":{"exec":{%s}}`),
		"Lifecycle":          inMain(`"lifecycle":{"postStart":{"exec":{%s}}}`),
		"Container":          inPod(`"containers":[{"name":"a","image":"registry.example.org/tool:1",%s}]`),
		"InitContainer":      inPod(`"initContainers":[{"name":"a","image":"registry.example.org/tool:1",%s}]`),
		"EphemeralContainer": inPod(`"ephemeralContainers":[{"name":"a","image":"registry.example.org/tool:1",%s}]`),
	}
}

// TestNoValueLeaks writes a credential where users write one, in all wrong shapes and under misspelt names, and looks for it
// in what the pipeline says.
func TestNoValueLeaks(t *testing.T) {
	fields := []string{"args", "command", "env", "envs", "envFrom"}
	misspelt := []string{"agrs", "arg", "arguments", "comand", "cmd", "enviroment", "environment", "evn", "extraArgs", "flags"} //nolint:misspell // That is what it is about.
	shapes := []string{
		`"` + leaked + `"`,
		`"--api-key ` + leaked + `"`,
		`{"HF_TOKEN":"` + leaked + `"}`,
		`["--api-key",` + leakedNumber + `]`,
		leakedNumber,
		`["HF_TOKEN=` + leaked + `"]`,
		`[{"HF_TOKEN":"` + leaked + `"}]`,
		`[{"HF_TOKEN=` + leaked + `":true}]`,
		`[["` + leaked + `"]]`,
		`[{"name":"HF_TOKEN=` + leaked + `"}]`,
		`[{"name":"A","value":{"a":"` + leaked + `"}}]`,
		`[{"name":"A","value":` + leakedNumber + `}]`,
		`[{"name":"A","valeu":"` + leaked + `"}]`,
		`[{"name":"A","value":"` + leaked + `","valueFrom":"` + leaked + `"}]`,
		`[{"name":"A","valueFrom":{"secretKeyRef":"` + leaked + `"}}]`,
		`[{"name":"A=` + leaked + `"},{"name":"A=` + leaked + `"}]`,
		`[{"name":"A","value":"` + leaked + `","valueFrom":{"fieldRef":{"fieldPath":"x"}}}]`,
		`[{"secretRef":"` + leaked + `"}]`,
		`["python3","-m","dynamo.vllm","--tensor-parallel-size","` + leaked + `"]`,
		`["sh","-c","python3 -m dynamo.vllm -tp ` + leaked + `"]`,
	}
	cluster := objectsOf(t, "examples/cluster/lws-volcano.yaml")
	for name, holder := range holders() {
		t.Run(name, func(t *testing.T) {
			for _, field := range fields {
				for _, shape := range shapes {
					hunt(t, cluster, holder, field, shape)
				}
			}
			for _, field := range misspelt {
				for _, shape := range shapes[:4] {
					hunt(t, cluster, holder, field, shape)
				}
			}
		})
	}
}

// hunt for the credential in what is said of a graph that has it in a field of a holder.
func hunt(t *testing.T, cluster []*structpb.Struct, holder, field, value string) {
	t.Helper()
	spec := &structpb.Struct{}
	written := fmt.Sprintf("%q:%s", field, value)
	if err := spec.UnmarshalJSON([]byte(strings.Replace(holder, "%s", written, 1))); err != nil {
		t.Fatalf("%s: %v", written, err)
	}
	xr := &structpb.Struct{Fields: map[string]*structpb.Value{
		"apiVersion": structpb.NewStringValue("nvidia.com/v1alpha1"),
		"kind":       structpb.NewStringValue("DynamoGraphDeployment"),
		"metadata":   structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"name": structpb.NewStringValue("a"), "namespace": structpb.NewStringValue("b")}}),
		"spec":       structpb.NewStructValue(spec),
	}}
	p := runPipeline(t, func(log logging.Logger) []server.Function { return []server.Function{fused(log)} }, xr, cluster, nil)
	messages := p.messages(t)
	for _, secret := range []string{leaked, leakedNumber} {
		if i := strings.Index(messages, secret); i >= 0 {
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
