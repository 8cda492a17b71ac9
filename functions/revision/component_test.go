package revision

import (
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// FuzzDecode reads revisions that anybody may have written. What can be read is recorded as it was.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"llama-a"},"revision":1,"data":{"format":1,"components":{"Worker":{"written":"a","pods":"{\"spec\":{}}","replicas":{"1":"{}"}}}}}`))
	f.Add([]byte(`{"data":{"format":1,"components":{"Worker":{"pods":"{}","replicas":{"1":"{\"a\":1}"}}}}}`))
	f.Add([]byte(`{"revision":"1","data":[{"format":1}]}`))
	f.Add([]byte(`{"data":{"format":1,"components":{"Worker":[],"Other":null,"Third":{"pods":"[]"},"Fourth":{"pods":"{\"a\":1e400}"}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		observed := &structpb.Struct{}
		if observed.UnmarshalJSON(data) != nil {
			return
		}
		for name, encoded := range decode("revision-a", observed).components {
			c, err := decodeComponent(encoded, nil)
			if err != nil {
				continue
			}
			again, err := decodeComponent((&component{written: c.written, release: c.release, pods: c.pods, replicas: c.replicas}).encode(), nil)
			if err != nil {
				t.Fatalf("cannot decode component %s once more: %v", name, err)
			}
			if again.written != c.written || again.release != c.release || !tree.Equal(again.podsOf(0), c.podsOf(0)) || !tree.Equal(again.podsOf(1), c.podsOf(1)) {
				t.Errorf("component %s: want %v, got %v", name, c, again)
			}
		}
	})
}
