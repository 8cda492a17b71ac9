package graph

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

const (
	// maxFuzzed is the size of the largest composite resource that is tried.
	maxFuzzed = 64 << 10
	// hidden is the value of every environment variable.
	hidden = "hunter2-in-a-variable"
)

// FuzzDecode shows that no composite resource panics, that the same one is decoded to the same graph with the same mistakes,
// that none of them tells the value of a variable, and that what is decoded without a mistake is all there.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"DynamoGraphDeployment","metadata":{"name":"a","namespace":"b","generation":7,"annotations":{"a":"b"}},"spec":{"crossplane":{},"services":{"Worker":{"replicas":2,"multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8","custom":{"a/b":1}}},"envs":[{"name":"A","value":"b"}],"extraPodSpec":{"mainContainer":{"image":"x","args":["-m","dynamo.vllm"],"env":[{"name":"A","value":"b"}]}}}}}}`,
		`{"kind":"XDynamoGraphDeployment","metadata":{"name":"a-x"},"spec":{"claimRef":{"name":"a","namespace":"b"},"resourceRefs":[],"services":{"A":{}}}}`,
		`{"metadata":{"annotations":{"a":false,"b":null},"generation":1e30},"spec":{"services":{"a":{"replicas":1.5,"pvc":{},"resources":{"limits":{"nvidia.com/gpu":1,"nvidia\n.com/gpu":1}}}},"pvcs":[null,{}],"envs":[{"valueFrom":{}},{"value":{"a":"x"}}]}}`,
		`{"spec":{"services":{"a":{"extraPodSpec":{"containers":[{"env":[{"name":"A","value":1}]}],"mainContainer":{"env":"A=b","envFrom":[{}],"ports":[{"containerPort":99999999999}]},"tolerations":[{"tolerationSeconds":"x"}]},"livenessProbe":{"httpGet":{"port":true}}}}}}`,
		`{"spec":{"env":[{"name":"A","value":"b"}],"components":[{"name":"Worker","type":"prefill","sharedMemorySize":1,"scalingAdapter":{},"compilationCache":{"pvcName":"c"},"frontendSidecar":"f","podTemplate":{"metadata":{"name":"x","annotations":{"nvidia.com/enable-metrics":"true"}},"spec":{"containers":[{"name":"f","env":[{"name":"A","value":"b"}]},{"name":"main","volumeMounts":[{"name":"m","mountPath":"/m"}]}]}},"experimental":{"gpuMemoryService":{"mode":"I"},"failover":{}}},{"name":"Worker"},{},null,{"name":7}]}}`,
		`{"spec":{"components":{"a":{}},"services":null}}`, `{"spec":{"components":[[]],"services":{}}}`,
		`{"spec":[]}`, `{"spec":"x","metadata":1}`, `{"kind":7,"spec":{"services":[{"a":{}}],"envs":{"A":"b"},"restart":{"id":1},"backendFramework":"x"}}`,
	} {
		f.Add([]byte(seed), false)
		xr := &structpb.Struct{}
		if err := xr.UnmarshalJSON([]byte(seed)); err != nil {
			f.Fatal(err)
		}
		wire, err := proto.Marshal(xr)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, wire bool) {
		if len(data) > maxFuzzed {
			return
		}
		xr := &structpb.Struct{}
		if wire && proto.Unmarshal(data, xr) != nil || !wire && xr.UnmarshalJSON(data) != nil {
			return
		}
		spec := xr.GetFields()["spec"]
		hide(spec.GetStructValue(), false)
		checkDecode(t, xr)
	})
}

func checkDecode(t *testing.T, xr *structpb.Struct) {
	t.Helper()
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}}
	g, errs := Decode(req)
	again, errsAgain := Decode(req)
	if diff := cmp.Diff(errs.Texts(g), errsAgain.Texts(g)); diff != "" {
		t.Fatalf("two answers for one graph: -first, +second:\n%s", diff)
	}
	if diff := cmp.Diff(encoded(t, g), encoded(t, again)); diff != "" {
		t.Fatalf("two graphs of one composite resource: -first, +second:\n%s", diff)
	}
	for _, message := range errs.Texts(g) {
		if strings.Contains(message, hidden) || strings.Contains(message, "\n") {
			t.Fatalf("a message that tells the value of a variable, or is more than a line: %q", message)
		}
	}
	if len(errs) > 0 {
		return
	}
	if g.Form == Components {
		if got, want := len(g.Components), len(xr.GetFields()["spec"].GetStructValue().GetFields()["components"].GetListValue().GetValues()); got != want {
			t.Fatalf("want %d components, got %d services", want, got)
		}
		return
	}
	// What was decoded is a graph with the same spec.
	spec := &structpb.Struct{}
	if err := spec.UnmarshalJSON([]byte(encoded(t, g))); err != nil {
		t.Fatal(err)
	}
	xr = &structpb.Struct{Fields: map[string]*structpb.Value{"spec": structpb.NewStructValue(spec)}}
	same, errs := Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: xr}}})
	if len(errs) > 0 {
		t.Fatalf("what was decoded is refused when it is written down: %v\n%s", errs, encoded(t, g))
	}
	if diff := cmp.Diff(encoded(t, g), encoded(t, same)); diff != "" {
		t.Fatalf("what was decoded is another graph when it is written down: -first, +second:\n%s", diff)
	}
}

func encoded(t *testing.T, g *Graph) string {
	t.Helper()
	spec, err := json.Marshal(g.Spec)
	if err != nil {
		t.Fatalf("what was decoded cannot be written down: %v", err)
	}
	return string(spec)
}

// hide the values of variables.
func hide(tree *structpb.Struct, variable bool) {
	for name, value := range tree.GetFields() {
		inList := name == "env" || name == "envs"
		if variable && name == "value" {
			tree.Fields[name] = structpb.NewStringValue(hidden)
		}
		hide(value.GetStructValue(), false)
		for _, item := range value.GetListValue().GetValues() {
			hide(item.GetStructValue(), inList)
		}
	}
}
