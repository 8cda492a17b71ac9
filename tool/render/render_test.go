package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/pipelinetest"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// input of a pipeline of one step, which is the function given.
func input(t *testing.T, xr string, run func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse) Input {
	t.Helper()
	o, err := single("-", strings.NewReader(xr))
	if err != nil {
		t.Fatalf("cannot decode composite resource: %v", err)
	}
	step := pipeline.CompositionStep{Step: "only"}
	step.FunctionRef.Name = "fn"
	c := &pipeline.Composition{}
	c.Metadata.Name = "comp"
	c.Spec.Pipeline = []pipeline.CompositionStep{step}
	return Input{
		CompositeResource: o,
		Composition:       c,
		Functions:         map[string]pipeline.Function{"fn": pipeline.OverTheWire(pipelinetest.Function{Run: run})},
	}
}

func desired(s *fnv1.State) func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	return func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse { return &fnv1.RunFunctionResponse{Desired: s} }
}

func TestRenderReady(t *testing.T) {
	component := resource.MustStructJSON(`{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}`)
	ready, unready := &fnv1.Resource{Resource: component, Ready: fnv1.Ready_READY_TRUE}, &fnv1.Resource{Resource: component}

	cases := map[string]struct {
		reason  string
		desired *fnv1.State
		want    condition
	}{
		"Nothing": {
			reason: "A composite resource that composes nothing is ready.",
			want:   condition{Type: "Ready", Status: "True", Reason: "Available"},
		},
		"AllReady": {
			reason:  "A composite resource is ready when all that it composes is.",
			desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"a": ready, "b": ready}},
			want:    condition{Type: "Ready", Status: "True", Reason: "Available"},
		},
		"Unready": {
			reason:  "What is not ready is named; a function that says nothing of it says that it is not.",
			desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"c": unready, "a": ready, "b": {Resource: component, Ready: fnv1.Ready_READY_FALSE}}},
			want:    condition{Type: "Ready", Status: "False", Reason: "Creating", Message: "Unready resources: b, c"},
		},
		"ManyUnready": {
			reason:  "Of more than three resources that are not ready the rest is counted.",
			desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"a": unready, "b": unready, "c": unready, "d": unready, "e": unready}},
			want:    condition{Type: "Ready", Status: "False", Reason: "Creating", Message: "Unready resources: a, b, c, and 2 more"},
		},
		"SaidReady": {
			reason:  "What the functions say of the composite resource itself wins.",
			desired: &fnv1.State{Composite: &fnv1.Resource{Ready: fnv1.Ready_READY_TRUE}, Resources: map[string]*fnv1.Resource{"a": unready}},
			want:    condition{Type: "Ready", Status: "True", Reason: "Available"},
		},
		"SaidUnready": {
			reason:  "What the functions say of the composite resource itself wins.",
			desired: &fnv1.State{Composite: &fnv1.Resource{Ready: fnv1.Ready_READY_FALSE}, Resources: map[string]*fnv1.Resource{"a": ready}},
			want:    condition{Type: "Ready", Status: "False", Reason: "Creating"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := Render(t.Context(), input(t, `{"apiVersion":"v1","kind":"X","metadata":{"name":"x"}}`, desired(tc.desired)))
			if err != nil {
				t.Fatalf("\n%s\nRender(...): unexpected error: %v", tc.reason, err)
			}
			tc.want.LastTransitionTime = renderTime
			for _, got := range conditionsOf(out.CompositeResource.Object["status"]) {
				if got.Type != "Ready" {
					continue
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\nRender(...): -want, +got:\n%s", tc.reason, diff)
				}
				return
			}
			t.Errorf("\n%s\nRender(...): no condition Ready", tc.reason)
		})
	}
}

func TestRenderRequest(t *testing.T) {
	cases := map[string]struct {
		reason string
		xr     string
		want   string
	}{
		"Plain": {
			reason: "A function sees the composite resource as Crossplane has it in the middle of a reconcile.",
			xr:     `{"apiVersion":"v1","kind":"X","metadata":{"name":"x","generation":2},"spec":{"a":1}}`,
			want: `{"apiVersion":"v1","kind":"X","metadata":{"name":"x","generation":2,"resourceVersion":"999","labels":{"crossplane.io/composite":"x"},
				"uid":"7e970030-d690-5880-8a13-9d796f018e47"},"spec":{"a":1,"crossplane":{"compositionRef":{"name":"comp"}}},"status":{"conditions":[
				{"type":"Responsive","status":"True","reason":"WatchCircuitClosed","lastTransitionTime":"2024-01-01T00:00:00Z","observedGeneration":2}]}}`,
		},
		"Identity": {
			reason: "An identity that is given stays, because observed resources may name it.",
			xr:     `{"apiVersion":"v1","kind":"X","metadata":{"name":"x","uid":"u","labels":{"crossplane.io/composite":"y"}},"spec":{},"status":{"conditions":"odd"}}`,
			want: `{"apiVersion":"v1","kind":"X","metadata":{"name":"x","resourceVersion":"999","labels":{"crossplane.io/composite":"y"},"uid":"u"},
				"spec":{"crossplane":{"compositionRef":{"name":"comp"}}},"status":{"conditions":[
				{"type":"Responsive","status":"True","reason":"WatchCircuitClosed","lastTransitionTime":"2024-01-01T00:00:00Z"}]}}`,
		},
		"OddShape": {
			reason: "A spec and a status of the wrong type reach the functions, which refuse them with a better message.",
			xr:     `{"apiVersion":"v1","kind":"X","metadata":{"name":"x","uid":"u"},"spec":[1],"status":"odd"}`,
			want: `{"apiVersion":"v1","kind":"X","metadata":{"name":"x","resourceVersion":"999","labels":{"crossplane.io/composite":"x"},"uid":"u"},
				"spec":[1],"status":"odd"}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got map[string]any
			_, err := Render(t.Context(), input(t, tc.xr, func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				got = req.GetObserved().GetComposite().GetResource().AsMap()
				for _, c := range req.GetMeta().GetCapabilities() {
					if c == fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS {
						t.Errorf("Render(...): the function was told of schemas, which cannot be had")
					}
				}
				if len(req.GetMeta().GetCapabilities()) == 0 || req.GetMeta().GetTag() == "" {
					t.Errorf("Render(...): want tag and capabilities, got %v", req.GetMeta())
				}
				return &fnv1.RunFunctionResponse{}
			}))
			if err != nil {
				t.Fatalf("\n%s\nRender(...): unexpected error: %v", tc.reason, err)
			}
			if diff := cmp.Diff(resource.MustStructJSON(tc.want).AsMap(), got); diff != "" {
				t.Errorf("\n%s\nRender(...): observed composite resource: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReferencesStay shows that a composite resource refers to what is observed, and to what it had before that was deleted.
func TestReferencesStay(t *testing.T) {
	object := func(name string) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Service", "name": name}
	}
	xr := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "X", "spec": map[string]any{
		"crossplane": map[string]any{"resourceRefs": []any{object("deleted"), object("a")}},
	}}}
	var observed []unstructured.Unstructured
	for _, name := range []string{"a", "b"} {
		observed = append(observed, unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": name}}})
	}
	out, err := prepare(xr, "comp", observed)
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := unstructured.NestedSlice(out.Object, "spec", "crossplane", "resourceRefs")
	if diff := cmp.Diff([]any{object("deleted"), object("a"), object("b")}, got); diff != "" {
		t.Errorf("prepare(...): references: -want, +got:\n%s", diff)
	}
}

func TestRenderErrors(t *testing.T) {
	cases := map[string]struct {
		reason   string
		resource string
		want     string
	}{
		"NoKind": {
			reason:   "What has no kind cannot be applied.",
			resource: `{"apiVersion":"v1"}`,
			want:     `cannot compose resources: composed resource "a" has no apiVersion or no kind`,
		},
		"BadName": {
			reason:   "What no API server would accept is refused.",
			resource: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a:b"}}`,
			want:     `cannot compose resources: cannot apply composed resource "a" because its name "a:b" is not a valid RFC 1123 subdomain name`,
		},
		"TwoControllers": {
			reason: "Nobody else's object is taken.",
			resource: `{"apiVersion":"v1","kind":"Service","metadata":{"name":"b","ownerReferences":[
				{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1","controller":true}]}}`,
			want: `cannot compose resources: cannot render metadata for composed resource "a": it is already controlled by Pod p`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Render(t.Context(), input(t, `{"apiVersion":"v1","kind":"X","metadata":{"name":"x"}}`,
				desired(&fnv1.State{Resources: map[string]*fnv1.Resource{"a": {Resource: resource.MustStructJSON(tc.resource)}}})))
			if err == nil || err.Error() != tc.want {
				t.Errorf("\n%s\nRender(...): want error %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestChildName(t *testing.T) {
	cases := map[string]struct {
		reason string
		prefix string
		want   string
	}{
		"Short":   {reason: "A prefix is kept whole where there is room for it.", prefix: "llama-", want: "llama-e3b0c44298fc"},
		"NoDash":  {reason: "The hash is set apart from the prefix.", prefix: "llama", want: "llama-e3b0c44298fc"},
		"None":    {reason: "Without a prefix the hash is the name.", prefix: "", want: "e3b0c44298fc"},
		"Fits":    {reason: "63 characters fit a label.", prefix: strings.Repeat("a", 50), want: strings.Repeat("a", 50) + "-e3b0c44298fc"},
		"Long":    {reason: "A longer prefix is cut.", prefix: strings.Repeat("a", 51), want: strings.Repeat("a", 50) + "-e3b0c44298fc"},
		"CutDash": {reason: "A prefix that is cut after a dash needs no other.", prefix: strings.Repeat("a", 50) + "-b", want: strings.Repeat("a", 50) + "-e3b0c44298fc"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, childName(tc.prefix, "")); diff != "" {
				t.Errorf("\n%s\nchildName(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRefersTo(t *testing.T) {
	cases := map[string]struct {
		reason string
		ref    string
		want   bool
	}{
		"Package":      {reason: "A Function may be named after its package.", ref: "function-dynamo-plan", want: true},
		"Organisation": {reason: "A dependency is named after its repository.", ref: "dynamo-crossplane-function-dynamo-plan", want: true},
		"Longer":       {reason: "Another function may begin alike.", ref: "function-dynamo-planner", want: false},
		"NoBoundary":   {reason: "The package's name is a part of its own.", ref: "myfunction-dynamo-plan", want: false},
		"Other":        {reason: "Another function is another function.", ref: "function-dynamo-grove", want: false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := refersTo(tc.ref, "plan"); got != tc.want {
				t.Errorf("\n%s\nrefersTo(%q, ...): want %t, got %t", tc.reason, tc.ref, tc.want, got)
			}
		})
	}
}
