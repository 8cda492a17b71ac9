package tree

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/resource"
)

// TestHash holds the hash of an object as clusters have it.
func TestHash(t *testing.T) {
	object := resource.MustStructJSON(`{"b":true,"f":false,"n":null,"i":8000,"d":0.5,"s":"text","l":[1,"1",[],{}],"o":{"":"","k":{"a":"b"}}}`)
	const want = "3a7fd7b24b4f85ebe39af16d545a813eaf3f3ae61f4c5a7ae48a73ba9fdb815a"
	if got := Hash(object); got != want {
		t.Errorf("Hash(...): want %s, got %s", want, got)
	}
}

// FuzzHash holds that objects have the same hash if they are equal, and only then.
func FuzzHash(f *testing.F) {
	f.Add([]byte(`{"a":"b"}`), []byte(`{"a":["b"]}`))
	f.Add([]byte(`{"a":0,"b":1}`), []byte(`{"b":1,"a":-0}`))
	f.Add([]byte(`{"a":""}`), []byte(`{"":"a"}`))
	f.Add([]byte(`{"a":{"b":1},"c":1}`), []byte(`{"a":{"b":1,"c":1}}`))
	f.Add([]byte(`{"a":null}`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		a, b := &structpb.Struct{}, &structpb.Struct{}
		if a.UnmarshalJSON(first) != nil || b.UnmarshalJSON(second) != nil {
			return
		}
		if equal, same := Equal(a, b), Hash(a) == Hash(b); equal != same {
			t.Errorf("%s and %s: equal %t, same hash %t", first, second, equal, same)
		}
	})
}
