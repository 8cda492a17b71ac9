package pipeline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/pipelinetest"
)

func configMap(name, namespace, labels string) *unstructured.Unstructured {
	meta := map[string]any{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	if key, value, ok := strings.Cut(labels, "="); ok {
		meta["labels"] = map[string]any{key: value}
	}
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}}
}

func resourcesOf(objects ...*unstructured.Unstructured) *fnv1.Resources {
	out := &fnv1.Resources{}
	for _, o := range objects {
		data, err := o.MarshalJSON()
		if err != nil {
			panic(err)
		}
		out.Items = append(out.Items, &fnv1.Resource{Resource: resource.MustStructJSON(string(data))})
	}
	return out
}

func TestCall(t *testing.T) {
	one, two := configMap("one", "ns", "a=b"), configMap("two", "ns", "a=b")
	in := Objects{two, one}

	// requiring asks for the same whatever it is given.
	requiring := func(r *fnv1.Requirements) func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		return func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
			return &fnv1.RunFunctionResponse{Requirements: r}
		}
	}
	named := func(name string) *fnv1.Requirements {
		return &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"r": pipelinetest.ByName(name, "ns")}}
	}

	type call struct {
		Resources, Extra map[string]*fnv1.Resources
		Schemas          map[string]*fnv1.Schema
	}

	cases := map[string]struct {
		reason  string
		run     func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse
		caller  func() Caller
		known   map[string]*fnv1.ResourceSelector
		want    []call
		wantErr string
	}{
		"NoRequirements": {
			reason: "A function that requires nothing is called once.",
			run:    requiring(nil),
			want:   []call{{}},
		},
		"Required": {
			reason: "A function that requires something is called again with it, and then its requirements are the same.",
			run:    requiring(named("one")),
			want:   []call{{}, {Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}}},
		},
		"Absent": {
			reason: "What is not there arrives as an empty entry, which says that it was looked for.",
			run:    requiring(named("nobody")),
			want:   []call{{}, {Resources: map[string]*fnv1.Resources{"r": {}}}},
		},
		"GivenAlready": {
			reason: "One call is enough for a function that was given all that it requires.",
			run:    requiring(named("one")),
			known:  map[string]*fnv1.ResourceSelector{"r": pipelinetest.ByName("one", "ns")},
			want:   []call{{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}}},
		},
		"Forgetful": {
			reason: "Crossplane v2.3 calls again until the requirements are twice the same, whatever the function was given.",
			run:    requiring(named("one")),
			caller: func() Caller { return Caller{Early: true} },
			known:  map[string]*fnv1.ResourceSelector{"r": pipelinetest.ByName("one", "ns")},
			want: []call{
				{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}},
				{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}},
			},
		},
		"Old": {
			reason: "Crossplane v2.0 hands over nothing with the first call.",
			run:    requiring(named("one")),
			caller: func() Caller { return Caller{} },
			known:  map[string]*fnv1.ResourceSelector{"r": pipelinetest.ByName("one", "ns")},
			want:   []call{{}, {Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}}},
		},
		"Schemas": {
			reason: "Schemas are looked up like objects, and that of a kind which is not served is empty.",
			run: requiring(&fnv1.Requirements{Schemas: map[string]*fnv1.SchemaSelector{
				"served": {ApiVersion: "v1", Kind: "ConfigMap"}, "unserved": {ApiVersion: "v2", Kind: "ConfigMap"},
			}}),
			want: []call{{}, {Schemas: map[string]*fnv1.Schema{
				"served": {OpenapiV3: resource.MustStructJSON(`{"type":"object"}`)}, "unserved": {},
			}}},
		},
		"GivenMore": {
			reason: "What was given stays given, whether or not the function requires it.",
			run:    requiring(named("one")),
			known:  map[string]*fnv1.ResourceSelector{"g": pipelinetest.ByName("two", "ns")},
			want: []call{
				{Resources: map[string]*fnv1.Resources{"g": resourcesOf(two)}},
				{Resources: map[string]*fnv1.Resources{"g": resourcesOf(two), "r": resourcesOf(one)}},
			},
		},
		"Extra": {
			reason: "The deprecated field is answered in the deprecated field.",
			run:    requiring(&fnv1.Requirements{ExtraResources: map[string]*fnv1.ResourceSelector{"r": pipelinetest.ByLabel("a", "b")}}),
			want:   []call{{}, {Extra: map[string]*fnv1.Resources{"r": resourcesOf(one, two)}}},
		},
		"Growing": {
			reason: "What a function learns from one requirement may lead to another.",
			run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				rsp := &fnv1.RunFunctionResponse{Requirements: named("one")}
				if len(req.GetRequiredResources()) > 0 {
					rsp.Requirements.Resources["s"] = pipelinetest.ByName("two", "ns")
				}
				return rsp
			},
			want: []call{
				{},
				{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}},
				{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one), "s": resourcesOf(two)}},
			},
		},
		"Fatal": {
			reason: "A Fatal ends the step, whatever it requires.",
			run: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				return &fnv1.RunFunctionResponse{Requirements: named("one"), Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL}}}
			},
			want: []call{{}},
		},
		"NeverStable": {
			reason: "A function that asks for something else each time is given up on after as many calls as Crossplane makes.",
			run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				if _, ok := req.GetRequiredResources()["r"]; ok {
					return &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"s": pipelinetest.ByName("two", "ns")}}}
				}
				return &fnv1.RunFunctionResponse{Requirements: named("one")}
			},
			want: []call{
				{},
				{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}},
				{Resources: map[string]*fnv1.Resources{"s": resourcesOf(two)}},
				{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}},
				{Resources: map[string]*fnv1.Resources{"s": resourcesOf(two)}},
				{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}},
			},
			wantErr: "requirements didn't stabilize after the maximum number of iterations (5)",
		},
		"Error": {
			reason:  "An error of a function is an error of its step.",
			run:     func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return nil },
			want:    []call{{}},
			wantErr: "no response",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []call
			fn := OverTheWire(pipelinetest.Function{Run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				got = append(got, call{Resources: req.GetRequiredResources(), Extra: req.GetExtraResources(), Schemas: req.GetRequiredSchemas()}) //nolint:staticcheck // As above.
				return tc.run(req)
			}})
			caller := Crossplane
			if tc.caller != nil {
				caller = tc.caller
			}
			_, err := caller().Call(t.Context(), fn, &fnv1.RunFunctionRequest{}, &fnv1.Requirements{Resources: tc.known}, in)
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nCall(...): calls: -want, +got:\n%s", tc.reason, diff)
			}
			if (err == nil) != (tc.wantErr == "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("\n%s\nCall(...): want error %q, got %v", tc.reason, tc.wantErr, err)
			}
		})
	}
}

// TestMeta tests what Crossplane adds to a request.
func TestMeta(t *testing.T) {
	fn := pipelinetest.Function{Run: func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return &fnv1.RunFunctionResponse{} }}
	call, err := Crossplane().Call(t.Context(), fn, &fnv1.RunFunctionRequest{}, nil, Objects{})
	if err != nil {
		t.Fatal(err)
	}
	want := &fnv1.RequestMeta{Tag: tag, Capabilities: Crossplane().Capabilities}
	if diff := cmp.Diff(want, call.Requests[0].GetMeta(), protocmp.Transform()); diff != "" {
		t.Errorf("meta: -want, +got:\n%s", diff)
	}
}
