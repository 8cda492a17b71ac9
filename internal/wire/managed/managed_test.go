package managed

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// object with the managers of its fields, as the API server has it. The time of one of them is none.
func object(name string) *fnv1.Resource {
	type entry = map[string]any
	return &fnv1.Resource{Resource: steptest.Struct(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]string{"managedFields": "data", "metadata": "data"},
		"metadata": map[string]any{"name": name, "labels": map[string]string{"managedFields": "a label"}, "managedFields": []entry{
			{"manager": "kubectl", "operation": "Apply", "time": "2026-03-01T12:00:00Z", "fieldsV1": entry{"f:data": entry{"f:" + name: entry{}}}},
			{"manager": "other", "time": "2026-03-01T11:00:00Z"},
			{"manager": "odd", "time": "noon"},
			{"manager": "silent"},
		}},
	})}
}

// noon is when they were changed last.
var noon = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// objects of a request, by where they are.
func objects(req *fnv1.RunFunctionRequest) map[string]*structpb.Struct {
	return map[string]*structpb.Struct{
		"composite": req.GetObserved().GetComposite().GetResource(),
		"composed":  req.GetObserved().GetResources()["composed"].GetResource(),
		"required":  req.GetRequiredResources()["required"].GetItems()[1].GetResource(),
		"extra":     req.GetExtraResources()["extra"].GetItems()[0].GetResource(), //nolint:staticcheck // Crossplane up to v2.1 sends it.
	}
}

func TestDefer(t *testing.T) {
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag"},
		Observed: &fnv1.State{
			Composite: object("composite"),
			Resources: map[string]*fnv1.Resource{"composed": object("composed"), "none": {}},
		},
		Desired:           &fnv1.State{Resources: map[string]*fnv1.Resource{"desired": object("desired")}},
		RequiredResources: map[string]*fnv1.Resources{"required": {Items: []*fnv1.Resource{object("first"), object("second")}}, "none": {}},
		ExtraResources:    map[string]*fnv1.Resources{"extra": {Items: []*fnv1.Resource{object("extra")}}},
	}
	data, err := proto.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	Defer(data)
	got := &fnv1.RunFunctionRequest{}
	if err := proto.Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	want := objects(req)
	for where, o := range objects(got) {
		if _, decoded := tree.At(o, "metadata").GetFields()[key]; decoded {
			t.Errorf("%s: want managed fields that are not decoded yet", where)
		}
		if diff := cmp.Diff(noon, LastChange(o)); diff != "" {
			t.Errorf("%s: last change: -want, +got:\n%s", where, diff)
		}
		for range 2 {
			if diff := cmp.Diff(Fields(want[where]), Fields(o), protocmp.Transform()); diff != "" {
				t.Errorf("%s: managed fields: -want, +got:\n%s", where, diff)
			}
		}
		without := func(o *structpb.Struct) *structpb.Struct { return tree.With(o, nil, key, "metadata") }
		if diff := cmp.Diff(without(want[where]), without(o), protocmp.Transform()); diff != "" {
			t.Errorf("%s: the rest of the object: -want, +got:\n%s", where, diff)
		}
	}
	if diff := cmp.Diff(req.GetDesired(), got.GetDesired(), protocmp.Transform()); diff != "" {
		t.Errorf("desired state: -want, +got:\n%s", diff)
	}
}

func TestLastChange(t *testing.T) {
	if diff := cmp.Diff(noon, LastChange(object("decoded").GetResource())); diff != "" {
		t.Errorf("LastChange(...) of an object that is decoded as a whole: -want, +got:\n%s", diff)
	}
	for _, o := range []*structpb.Struct{nil, {}, resource.MustStructJSON(`{"metadata":{"name":"a","managedFields":[{"time":"noon"}]}}`)} {
		if got := LastChange(o); !got.IsZero() {
			t.Errorf("LastChange(%v): want the zero time, got %s", o, got)
		}
	}
}

func TestFieldsOfNone(t *testing.T) {
	for _, o := range []*structpb.Struct{nil, {}, resource.MustStructJSON(`{"metadata":{"name":"a"}}`)} {
		if got := Fields(o); len(got) != 0 {
			t.Errorf("Fields(%v): want none, got %v", o, got)
		}
	}
}

// FuzzDefer shows that a request which cannot be decoded is left to the decoder to refuse, whatever is wrong with it, and that one
// which can be decoded still can.
func FuzzDefer(f *testing.F) {
	seed, err := proto.Marshal(&fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: object("composite")}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:len(seed)-3])
	f.Fuzz(func(t *testing.T, data []byte) {
		before := proto.Unmarshal(data, &fnv1.RunFunctionRequest{})
		changed := slices.Clone(data)
		Defer(changed)
		read := &fnv1.RunFunctionRequest{}
		if proto.Unmarshal(changed, read) == nil {
			composite := read.GetObserved().GetComposite().GetResource()
			Fields(composite)
			LastChange(composite)
		}
		if after := proto.Unmarshal(changed, &fnv1.RunFunctionRequest{}); before == nil && after != nil {
			t.Errorf("want a request that can still be decoded, got %v", after)
		}
	})
}
