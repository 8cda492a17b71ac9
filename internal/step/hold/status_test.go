package hold

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/readiness"
)

// TestFields shows which fields of the status a graph that is held reports as they are observed. All others stay, because they describe the last
// spec that was applied. A new field needs a decision: add it here, and to update if it has to follow the pods.
func TestFields(t *testing.T) {
	graph := decisions{
		"state": true, "readyComponents": true,
		"observedGeneration": false, "orchestrator": false, "mnnvl": false, "totalGPUs": false, "runtimeVersion": false, "restart": false, "checkpoints": false,
		"rollingUpdate": false, "placement": false,
		// They are reported with each run, whether it is held or not.
		"conditions": false,
	}
	component := decisions{
		"componentKind": true, "componentNames": true,
		"replicas": true, "updatedReplicas": true, "readyReplicas": true, "availableReplicas": true, "scheduledReplicas": true,
		"runtimeNamespace": false, "servedModelName": false, "runtimeComponentName": false, "runtimeVersion": false, "gpuPowerLimitWatts": false,
		"gpusPerEngine": false, "gpusPerReplica": false, "executor": false, "revision": false,
	}
	cases := map[string]struct {
		key              string
		graph, component reflect.Type
		// more fields than those of both forms.
		more decisions
	}{
		"Services":   {key: "services", graph: reflect.TypeFor[v1alpha1.DynamoGraphDeploymentStatus](), component: reflect.TypeFor[v1alpha1.ServiceStatus](), more: decisions{"componentName": true}},
		"Components": {key: "components", graph: reflect.TypeFor[v1beta1.DynamoGraphDeploymentStatus](), component: reflect.TypeFor[v1beta1.ComponentStatus]()},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, frontend := placeholders(tc.graph), placeholders(tc.component)
			before.Fields[tc.key] = structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{"Frontend": structpb.NewStructValue(frontend)}})
			after := &structpb.Struct{Fields: maps.Clone(before.GetFields())}
			if err := update(after, readiness.Observe(request(told(ready()), down()), nil)); err != nil {
				t.Fatal(err)
			}
			now := after.GetFields()[tc.key].GetStructValue().GetFields()["Frontend"].GetStructValue()
			delete(before.GetFields(), tc.key)
			if diff := cmp.Diff(graph, decided(before, after)); diff != "" {
				t.Errorf("fields of the graph that follow what is observed: -want, +got:\n%s", diff)
			}
			want := maps.Clone(component)
			maps.Copy(want, tc.more)
			if diff := cmp.Diff(want, decided(frontend, now)); diff != "" {
				t.Errorf("fields of a component that follow what is observed: -want, +got:\n%s", diff)
			}
		})
	}
}

// decisions say of fields whether they follow what is observed.
type decisions map[string]bool

// decided compares the fields of a status.
func decided(before, after *structpb.Struct) decisions {
	all := decisions{}
	for field, value := range before.GetFields() {
		all[field] = after.GetFields()[field] != value
	}
	return all
}

// placeholders of all fields of a type.
func placeholders(of reflect.Type) *structpb.Struct {
	status := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		status.Fields[name] = structpb.NewStringValue("before")
	}
	return status
}
