package pipeline

import (
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestShortest shows that no time to live is forever.
func TestShortest(t *testing.T) {
	const none, minute, hour = 0, time.Minute, time.Hour
	for name, tc := range map[string]struct{ a, b, want time.Duration }{
		"First":  {minute, hour, minute},
		"Second": {hour, minute, minute},
		"NoneA":  {none, hour, hour},
		"NoneB":  {hour, none, hour},
		"None":   {none, none, none},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shortest(durationpb.New(tc.a), durationpb.New(tc.b)).AsDuration(); got != tc.want {
				t.Errorf("shortest(%v, %v): want %v, got %v", tc.a, tc.b, tc.want, got)
			}
		})
	}
}

// TestWaits shows that resources and schemas are both waited for.
func TestWaits(t *testing.T) {
	rsp := &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{
		Resources: map[string]*fnv1.ResourceSelector{"a": {}}, Schemas: map[string]*fnv1.SchemaSelector{"b": {}},
	}}
	none, there := &fnv1.Resources{}, &fnv1.Schema{OpenapiV3: &structpb.Struct{}}
	cases := map[string]struct {
		req  *fnv1.RunFunctionRequest
		want bool
	}{
		"Nothing":  {&fnv1.RunFunctionRequest{}, true},
		"NoSchema": {&fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"a": none}}, true},
		"NoObject": {&fnv1.RunFunctionRequest{RequiredSchemas: map[string]*fnv1.Schema{"b": there}}, true},
		"All":      {&fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"a": none}, RequiredSchemas: map[string]*fnv1.Schema{"b": there}}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Waits(tc.req, rsp); got != tc.want {
				t.Errorf("Waits(...): want %t, got %t", tc.want, got)
			}
		})
	}
}
