package strict

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// treeSeeds are objects, right and wrong ones.
var treeSeeds = []string{
	`{"name":"x","mode":"m","count":3,"big":1099511627776,"share":0.25,"on":false,"inner":{"size":"1Gi","level":7},"labels":{"a":"b"}}`,
	`{"name":"x","amounts":{"a":4,"b":"16Gi","c":0.5},"blob":"aGk=","port":8080,"at":"2026-01-31T12:00:00Z","after":"1m30s","raw":{"b":[1,null]},"any":{"a":null}}`,
	`{"name":"x","hostNetwork":true,"main":{"name":"m","ports":[{"containerPort":1}]},"envs":[{"name":"A","value":"v"}],"matrix":[["a"],[]],"odd":{"a":{"b":"c"}}}`,
	`{"name":null,"count":"3","nam":"x","envs":[null,{"value":1}],"labels":{"a":1,"b":null},"matrix":{"a":1},"inner":{"level":1e99},"pods":[]}`,
	`{"metadata":{"name":"x","managedFields":[{"manager":"m","fieldsV1":{"f:a":{}}}],"creationTimestamp":null},"spec":{"replicas":2,"template":{"spec":{"containers":[{"name":"a","future":1}]}}},"status":{"conditions":[{"type":"Available","lastUpdateTime":"2026-01-31T12:00:00Z"}]}}`,
	`{"spec":{"replicas":"two"}}`, `{"a":{"b":{"c":[{}]}}}`, `[1]`, `"x"`, `1.5`, `true`,
}

// FuzzLenient shows that the decoder reads objects of other owners as encoding/json does.
func FuzzLenient(f *testing.F) {
	names := namesIn(shapeOf(reflect.TypeFor[appsv1.Deployment]()), map[*shape]bool{})
	for _, seed := range treeSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value := &structpb.Value{}
		if value.UnmarshalJSON(data) != nil || tree.IsNull(value) {
			return
		}
		data, err := value.MarshalJSON()
		if err != nil {
			return
		}
		if misspelt(value.AsInterface(), names) {
			return
		}
		var got, want appsv1.Deployment
		if errs := Decode(value, &got, nil, Options{Lenient: true}); len(errs) > 0 {
			return
		}
		if err := json.Unmarshal(data, &want); err != nil {
			if strings.Contains(string(data), `"managedFields"`) {
				return
			}
			t.Fatalf("Decode(...) takes what encoding/json does not: %v", err)
		}
		want.ManagedFields = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("Decode(...): -want, +got:\n%s", diff)
		}
	})
}

// misspelt reports whether any key differs from one of the names in nothing but capital letters: encoding/json takes it for
// that.
func misspelt(in any, names []string) bool {
	switch in := in.(type) {
	case map[string]any:
		for key, value := range in {
			differs := func(name string) bool { return strings.EqualFold(name, key) && name != key }
			if slices.ContainsFunc(names, differs) || misspelt(value, names) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(in, func(e any) bool { return misspelt(e, names) })
	}
	return false
}

// namesIn a type and all that it is made of.
func namesIn(s *shape, seen map[*shape]bool) []string {
	if s == nil || seen[s] {
		return nil
	}
	seen[s] = true
	names := slices.Concat(s.names, namesIn(s.elem, seen))
	for _, m := range s.fields {
		names = append(names, namesIn(m.shape, seen)...)
	}
	return names
}

// TestLenient shows what of an object in a cluster is read, and what an error says.
func TestLenient(t *testing.T) {
	cases := map[string]struct {
		reason string
		in     string
		want   string
		err    string
	}{
		"Known": {
			reason: "Fields of a newer version and managed fields are passed over, and nothing is required.",
			in:     `{"metadata":{"name":"x","managedFields":[{"manager":"m"}]},"spec":{"future":1,"replicas":2}}`,
			want:   `{"metadata":{"name":"x"},"spec":{"replicas":2,"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}`,
		},
		"Nulls": {
			reason: "A null stands for the zero value.",
			in:     `{"metadata":{"labels":{"a":null},"finalizers":[null]},"spec":{"replicas":null}}`,
			want: `{"metadata":{"labels":{"a":""},"finalizers":[""]},` +
				`"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}`,
		},
		"WrongType": {
			reason: "An error has no value: it may be a Secret's.",
			in:     `{"spec":{"replicas":"hush"}}`,
			err:    "spec.replicas: Invalid value: must be a whole number, not a string",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			value := &structpb.Value{}
			if err := value.UnmarshalJSON([]byte(tc.in)); err != nil {
				t.Fatal(err)
			}
			got := appsv1.Deployment{}
			errs := Decode(value, &got, nil, Options{Lenient: true})
			if diff := cmp.Diff(tc.err, messages(errs)); diff != "" || tc.err != "" {
				if diff != "" {
					t.Errorf("%s\nDecode(...): -want error, +got error:\n%s", tc.reason, diff)
				}
				return
			}
			data, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(data)); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
