package graphplan

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// maxFuzzed is the size of the largest plan that is tried.
const maxFuzzed = 64 << 10

// FuzzRead shows that nothing in the context of a pipeline panics, that a plan of another version is refused, and that a plan
// that is read is the same when it is written and read again. What is in the context is tried as JSON, and as bytes on the
// wire, which can say what JSON cannot.
func FuzzRead(f *testing.F) {
	for _, plan := range []*Plan{full(), {Version: Version, Orchestrator: Deployment, Components: map[string]Component{}}} {
		rsp := &fnv1.RunFunctionResponse{}
		if err := Write(rsp, plan); err != nil {
			f.Fatal(err)
		}
		value := rsp.GetContext().GetFields()[ContextKey]
		text, err := value.MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}
		wire, err := proto.Marshal(value)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, false)
		f.Add(wire, true)
	}
	for _, text := range []string{
		`null`, `1`, `"plan"`, `[]`, `{}`, `{"version":1}`, `{"version":"1"}`, `{"version":1.5}`, `{"version":2,"Version":2}`, `{"VERSION":2}`,
		`{"version":2,"orchestrator":"Grove"}`, `{"version":2,"orchestrator":"Grove","grove":{}}`, `{"version":2,"orchestrator":"LeaderWorkerSet"}`,
		`{"version":2,"services":{"a":null,"":{}},"children":{"a":{"observedGeneration":null}},"restart":{"marks":{"a":null,"b":[null,{}]}}}`,
		`{"version":2,"totalGPUs":1e30}`, `{"version":2,"unknown":{}}`, `{"version":2,"mnnvl":{"mode":"x"},"topology":{"missing":[null]}}`,
	} {
		f.Add([]byte(text), false)
	}
	f.Add([]byte{}, true) // A value without a kind.
	f.Fuzz(func(t *testing.T, data []byte, wire bool) {
		if len(data) > maxFuzzed {
			return
		}
		value := &structpb.Value{}
		if wire && proto.Unmarshal(data, value) != nil || !wire && value.UnmarshalJSON(data) != nil {
			return
		}
		checkRead(t, value)
	})
}

func checkRead(t *testing.T, value *structpb.Value) {
	t.Helper()
	first, err := readValue(value)
	second, errSecond := readValue(value)
	if diff := cmp.Diff(first, second); diff != "" || fmt.Sprint(err) != fmt.Sprint(errSecond) {
		t.Fatalf("two answers for %v: %v, %v\n%s", value, err, errSecond, diff)
	}
	if err != nil {
		return
	}
	if first.Version != Version {
		t.Fatalf("version %d is read: %v", first.Version, value)
	}
	if first.Orchestrator == Grove && first.Grove == nil || first.Orchestrator == LeaderWorkerSet && first.LWS.Gang == (Gang{}) {
		t.Fatalf("a plan for %s without its part is read: %v", first.Orchestrator, value)
	}
	once := written(t, first)
	again, err := readValue(once)
	if err != nil {
		t.Fatalf("what is written cannot be read: %v\n%v", err, once)
	}
	if twice := written(t, again); !proto.Equal(once, twice) {
		t.Fatalf("what is read is written in another way: -first, +second:\n%s", cmp.Diff(once.AsInterface(), twice.AsInterface()))
	}
}

func readValue(value *structpb.Value) (*Plan, error) {
	return Read(&fnv1.RunFunctionRequest{Context: &structpb.Struct{Fields: map[string]*structpb.Value{ContextKey: value}}})
}

func written(t *testing.T, p *Plan) *structpb.Value {
	t.Helper()
	rsp := &fnv1.RunFunctionResponse{}
	if err := Write(rsp, p); err != nil {
		t.Fatalf("what was read cannot be written: %v", err)
	}
	value := rsp.GetContext().GetFields()[ContextKey]
	dropNulls(value.GetStructValue())
	return value
}

// dropNulls of an object: a null counts as absent, and no plan of ours has any.
func dropNulls(object *structpb.Struct) {
	for key, value := range object.GetFields() {
		if _, null := value.GetKind().(*structpb.Value_NullValue); null {
			delete(object.GetFields(), key)
			continue
		}
		dropNulls(value.GetStructValue())
	}
}
