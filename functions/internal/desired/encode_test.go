package desired

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// slowStruct is what toStruct must be the same as.
func slowStruct(object any) (*structpb.Struct, error) {
	encoded, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	if err := json.Unmarshal(encoded, &tree); err != nil {
		return nil, err
	}
	delete(tree, "status")
	dropNulls(tree)
	return structpb.NewStruct(tree)
}

func dropNulls(in any) {
	switch in := in.(type) {
	case map[string]any:
		for key, value := range in {
			if value == nil {
				delete(in, key)
				continue
			}
			dropNulls(value)
		}
	case []any:
		for _, e := range in {
			dropNulls(e)
		}
	}
}

// FuzzToStruct shows that the short way to protobuf values ends where the long one does, whatever encoding/json may write, and
// that their size is known without them.
func FuzzToStruct(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":{},"b":[],"c":[[],{}],"d":null,"e":[null,{"f":null}],"g":[[{"h":null}]]}`, `{"status":{"a":1},"spec":{"status":{"a":1}}}`,
		`{"n":[0,-0,1,-1.5,1e21,1e-7,9007199254740993],"b":[true,false]}`,
		`{"quote \"":"back\\slash \u0000\u2028\ud800 <&> é € \ud83d\ude00","":"","s":"a\nb && c > d"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var object map[string]any
		if json.Unmarshal(data, &object) != nil || object == nil {
			return
		}
		want, err := slowStruct(object)
		if err != nil {
			return
		}
		got, err := toStruct(object)
		if err != nil {
			t.Fatalf("toStruct(...): %v", err)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Fatalf("toStruct(...): -want, +got:\n%s", diff)
		}
		state := &fnv1.State{Resources: map[string]*fnv1.Resource{"key": {Resource: got, Ready: fnv1.Ready_READY_TRUE}}}
		if size, err := Size("key", object); err != nil || size != proto.Size(state) {
			t.Fatalf("Size(...): want %d, got %d and error %v", proto.Size(state), size, err)
		}
	})
}
