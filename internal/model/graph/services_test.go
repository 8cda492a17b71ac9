package graph

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/sets"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// servicesToConvert are services that together have each field that a component has, apart from its pods, with values that the conversion decides.
func servicesToConvert() []string {
	services := []string{
		`{}`,
		`{"replicas":0,"minAvailable":2,"globalDynamoNamespace":true,"runtimeVersionOverride":"1.3.0"}`,
		`{"multinode":{"nodeCount":2},"roles":[{"name":"leader"},{"name":"worker"}]}`,
		`{"modelRef":{"name":"llama","revision":"a1"},"eppConfig":{"config":{"plugins":[],"schedulingProfiles":[]}},"topologyConstraint":{"packDomain":"rack"},
			"providerOverride":{"apiVersion":"grove.io/v1alpha1","value":{"a":"b"}}}`,
		`{"sharedMemory":{"disabled":true,"size":"8Gi"}}`, `{"sharedMemory":{"size":"8Gi"}}`, `{"sharedMemory":{"size":"0"}}`, `{"sharedMemory":{}}`,
		`{"scalingAdapter":{"enabled":true}}`, `{"scalingAdapter":{"enabled":false}}`, `{"scalingAdapter":{}}`,
		`{"checkpoint":{"enabled":true,"mode":"Auto"}}`, `{"checkpoint":{"checkpointRef":"warm"}}`,
	}
	for _, componentType := range []string{"", "frontend", "worker", "planner", "epp", "prefill", "custom"} {
		for _, sub := range []string{"", "prefill", "decode", "vision"} {
			services = append(services, fmt.Sprintf(`{"componentType":%q,"subComponentType":%q}`, componentType, sub))
		}
	}
	for _, enabled := range []string{"true", "false"} {
		for _, mode := range []string{"intraPod", "interPod"} {
			services = append(services,
				fmt.Sprintf(`{"gpuMemoryService":{"enabled":%s,"mode":%q,"deviceClassName":"gpu.nvidia.com","extraClientContainers":["a"]}}`, enabled, mode),
				fmt.Sprintf(`{"failover":{"enabled":%s,"mode":%q,"numShadows":1},"checkpoint":{}}`, enabled, mode))
		}
	}
	return services
}

// TestServicesAsConverted shows that a service is read as the component that the conversion of the API makes of it. The pods are different: they keep
// what the conversion leaves out (see mainOf).
func TestServicesAsConverted(t *testing.T) {
	seen := sets.New("name", "podTemplate", "frontendSidecar", "compilationCache")
	for _, service := range servicesToConvert() {
		t.Run(service, func(t *testing.T) {
			var written map[string]any
			if err := json.Unmarshal([]byte(service), &written); err != nil {
				t.Fatal(err)
			}
			xr := map[string]any{"kind": v1alpha1.Kind, "metadata": map[string]any{"name": "llama", "namespace": "inference"}, "spec": map[string]any{
				"envs":               []any{map[string]any{"name": "A", "value": "b"}},
				"topologyConstraint": map[string]any{"topologyProfile": "gpus", "packDomain": "rack"},
				"services":           map[string]any{"Worker": written},
			}}
			converted, _ := conversion.ToV1beta1(xr)
			converted["metadata"] = xr["metadata"]
			want, got := decodeMap(t, converted), decodeMap(t, xr)
			if diff := cmp.Diff(want.Spec, got.Spec); diff != "" {
				t.Errorf("spec: -converted, +read:\n%s", diff)
			}
			component := want.Component("Worker").Component
			value := reflect.ValueOf(component)
			for i := range value.NumField() {
				if !value.Field(i).IsZero() {
					seen.Insert(jsonName(value.Type().Field(i)))
				}
			}
			read := got.Component("Worker").Component
			component.PodTemplate, read.PodTemplate = nil, nil
			if diff := cmp.Diff(component, read); diff != "" {
				t.Errorf("component: -converted, +read:\n%s", diff)
			}
		})
	}
	for f := range reflect.TypeFor[v1beta1.Component]().Fields() {
		if name := jsonName(f); !seen.Has(name) {
			t.Errorf("no service of this test sets field %s of a component", name)
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func decodeMap(t *testing.T, xr map[string]any) *Graph {
	t.Helper()
	resource, err := structpb.NewStruct(xr)
	if err != nil {
		t.Fatal(err)
	}
	g, errs := Decode(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource}}})
	if len(errs) > 0 {
		t.Fatalf("cannot read the graph: %v", errs)
	}
	return g
}

// TestShareMode shows that the modes of services are those of components, that the words of one form are none in the other, so that they are refused,
// and that messages have what the user wrote.
func TestShareMode(t *testing.T) {
	for written, valid := range map[string]bool{"intraPod": true, "interPod": true, "IntraPod": false, "InterPod": false, "shared": false, "": false} {
		mode := shareMode(v1alpha1.ShareMode(written))
		if got := mode == v1beta1.ShareIntraPod || mode == v1beta1.ShareInterPod; got != valid {
			t.Errorf("mode %q of a service is %q: want valid %t", written, mode, valid)
		}
		if got := (&Graph{Form: Services}).ShareMode(mode); got != written {
			t.Errorf("mode %q of a service: want it in messages, got %q", written, got)
		}
		if got := (&Graph{Form: Components}).ShareMode(mode); got != string(mode) {
			t.Errorf("mode %q of a component: want it in messages, got %q", mode, got)
		}
	}
}
