package plan_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/plantest"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// TestFieldsOfTheOtherForm shows that a field of the other version is named as its user wrote it, and not as the field that it would be.
func TestFieldsOfTheOtherForm(t *testing.T) {
	services, components := reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec](), reflect.TypeFor[v1beta1.DynamoGraphDeploymentSpec]()
	for _, tc := range []struct {
		version    string
		own, other reflect.Type
		spec       string
	}{
		{version: "v1beta1", own: components, other: services, spec: `{"components":[{"name":"Frontend","type":"frontend"}],"FIELD":[]}`},
		{version: "v1alpha1", own: services, other: components, spec: `{"services":{"Frontend":{"componentType":"frontend"}},"FIELD":[]}`},
	} {
		tried := 0
		for f := range tc.other.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "services" || name == "components" || slices.ContainsFunc(reflect.VisibleFields(tc.own), func(own reflect.StructField) bool {
				ownName, _, _ := strings.Cut(own.Tag.Get("json"), ",")
				return ownName == name
			}) {
				continue
			}
			tried++
			xr := strings.Replace(plantest.GraphOf(strings.Replace(tc.spec, "FIELD", name, 1)), "v1alpha1", tc.version, 1)
			rsp := run(t, plantest.Request(xr, plantest.WithGroups("grove")))
			if want, got := "spec."+name+": Invalid value: unknown field; ", fmt.Sprint(messagesOf(rsp)); !strings.Contains(got, want) {
				t.Errorf("%s: want a message with %q, got %s", tc.version, want, got)
			}
		}
		if tried == 0 {
			t.Errorf("%s: want fields that it does not have", tc.version)
		}
	}
}

// TestBeyondAllBounds shows that numbers which no cluster has are refused before anything is made of them.
func TestBeyondAllBounds(t *testing.T) {
	xr := plantest.Graph(plantest.Component("Worker", plantest.ComponentOf("worker", "python3", "-m", "dynamo.trtllm"), plantest.WithNodes(math.MaxInt32), plantest.WithGPUs("8")))
	xr.Spec.BackendFramework = v1alpha1.BackendTRTLLM
	rsp := run(t, plantest.Request(xr, plantest.WithGroups("grove")))
	if len(rsp.GetResults()) == 0 || rsp.GetResults()[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL {
		t.Errorf("RunFunction(...): want a Fatal, got %v", rsp.GetResults())
	}
}

// TestMultinodeWithoutNodeCount shows that what the API server fills in may be absent offline.
func TestMultinodeWithoutNodeCount(t *testing.T) {
	xr := plantest.GraphOf(`{"services":{"Worker":{"componentType":"worker","multinode":{},"resources":{"limits":{"gpu":"8"}},
		"extraPodSpec":{"mainContainer":{"image":"registry.example.org/runtime:1.4.0","command":["python3","-m","dynamo.vllm"],"args":["-tp","16"]}}}}}`)
	compare(t, map[string]responseCase{
		"Default": {
			reason: "A multinode block without a count is two nodes.",
			req:    plantest.Request(xr, plantest.WithGroups("grove")),
			want:   want(asksForGroups(), accepted(), onGrove(), noQueue(), planOf(steptest.PlanOnGrove(vllmComponents(), withGPUTotal(16)))),
		},
	})
}

// TestDeterministic runs one request many times: the response must not depend on the order of maps.
func TestDeterministic(t *testing.T) {
	var changes []plantest.GraphChange
	for i := range 8 {
		changes = append(changes, plantest.Component(fmt.Sprintf("S%d", i), plantest.ComponentOf("worker", "python3", "-m", "dynamo.vllm"),
			plantest.WithArgs("-tp", "5"), plantest.WithGPUs("3"), plantest.WithNodes(2), func(s *v1alpha1.Service) {
				s.ModelRef = &v1alpha1.ModelReference{Name: fmt.Sprintf("m%d", i)}
			}))
	}
	var first []byte
	for range 50 {
		rsp := run(t, plantest.Request(plantest.Graph(changes...), plantest.WithGroups("grove", "kai"), plantest.WithKAIQueue()))
		got, err := proto.MarshalOptions{Deterministic: true}.Marshal(rsp)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(string(first), string(got)); diff != "" {
			t.Fatalf("RunFunction(...) again: -first, +again:\n%s", diff)
		}
	}
}
