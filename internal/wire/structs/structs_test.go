package structs

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
)

// slowStruct is what Of must be the same as.
func slowStruct(object any) (*structpb.Struct, error) {
	encoded, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	if err := json.Unmarshal(encoded, &tree); err != nil {
		return nil, err
	}
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

// FuzzOf shows that the short way to protobuf values ends where the long one does, whatever encoding/json may write, and
// that their size is known without them.
func FuzzOf(f *testing.F) {
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
		got, err := Of(object)
		if err != nil {
			t.Fatalf("Of(...): %v", err)
		}
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Fatalf("Of(...): -want, +got:\n%s", diff)
		}
		delete(got.GetFields(), "status")
		if size, err := Size(object, "status"); err != nil || size != proto.Size(got) {
			t.Fatalf("Size(...): want %d, got %d and error %v", proto.Size(got), size, err)
		}
	})
}
