package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

func configMap(name, namespace, labels string) unstructured.Unstructured {
	meta := map[string]any{"name": name}
	if namespace != "" {
		meta["namespace"] = namespace
	}
	if key, value, ok := strings.Cut(labels, "="); ok {
		meta["labels"] = map[string]any{key: value}
	}
	return unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}}
}

func resourcesOf(objects ...unstructured.Unstructured) *fnv1.Resources {
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

func TestRunStep(t *testing.T) {
	one, two := configMap("one", "ns", "a=b"), configMap("two", "ns", "a=b")
	available := []unstructured.Unstructured{two, one}

	// requiring asks for the same whatever it is given.
	requiring := func(r *fnv1.Requirements) func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		return func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
			return &fnv1.RunFunctionResponse{Requirements: r}
		}
	}
	named := func(name string) *fnv1.Requirements {
		return &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"r": byName(name, "ns")}}
	}

	type call struct {
		Resources, Extra map[string]*fnv1.Resources
	}

	cases := map[string]struct {
		reason  string
		run     func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse
		given   map[string]*fnv1.Resources
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
			given:  map[string]*fnv1.Resources{"r": resourcesOf(one)},
			want:   []call{{Resources: map[string]*fnv1.Resources{"r": resourcesOf(one)}}},
		},
		"GivenMore": {
			reason: "What was given stays given, whether or not the function requires it.",
			run:    requiring(named("one")),
			given:  map[string]*fnv1.Resources{"g": resourcesOf(two)},
			want: []call{
				{Resources: map[string]*fnv1.Resources{"g": resourcesOf(two)}},
				{Resources: map[string]*fnv1.Resources{"g": resourcesOf(two), "r": resourcesOf(one)}},
			},
		},
		"Extra": {
			reason: "The deprecated field is answered in the deprecated field.",
			run:    requiring(&fnv1.Requirements{ExtraResources: map[string]*fnv1.ResourceSelector{"r": byLabel("a", "b")}}),
			want:   []call{{}, {Extra: map[string]*fnv1.Resources{"r": resourcesOf(one, two)}}},
		},
		"Growing": {
			reason: "What a function learns from one requirement may lead to another.",
			run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				rsp := &fnv1.RunFunctionResponse{Requirements: named("one")}
				if len(req.GetRequiredResources()) > 0 {
					rsp.Requirements.Resources["s"] = byName("two", "ns")
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
					return &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"s": byName("two", "ns")}}}
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
			fn := fakeFunction{run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
				got = append(got, call{Resources: req.GetRequiredResources(), Extra: req.GetExtraResources()}) //nolint:staticcheck // As above.
				return tc.run(req)
			}}
			_, err := runStep(t.Context(), fn, &fnv1.RunFunctionRequest{RequiredResources: tc.given}, available)
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nrunStep(...): calls: -want, +got:\n%s", tc.reason, diff)
			}
			if (err == nil) != (tc.wantErr == "") || err != nil && !strings.Contains(err.Error(), tc.wantErr) {
				t.Errorf("\n%s\nrunStep(...): want error %q, got %v", tc.reason, tc.wantErr, err)
			}
		})
	}
}

// TestRunStepSharesNothing holds the renderer to what a call over gRPC is: a
// function that writes to its request, as the SDK makes easy, changes nothing
// for its next call.
func TestRunStepSharesNothing(t *testing.T) {
	var got []int
	fn := fakeFunction{run: func(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
		got = append(got, len(req.GetDesired().GetResources()))
		req.Desired.Resources["mine"] = &fnv1.Resource{}
		return &fnv1.RunFunctionResponse{
			Desired:      req.GetDesired(),
			Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"r": byName("one", "ns")}},
		}
	}}
	req := &fnv1.RunFunctionRequest{Desired: &fnv1.State{Resources: map[string]*fnv1.Resource{"other": {}}}}
	if _, err := runStep(t.Context(), fn, req, nil); err != nil {
		t.Fatalf("runStep(...): unexpected error: %v", err)
	}
	if diff := cmp.Diff([]int{1, 1}, got); diff != "" {
		t.Errorf("runStep(...): desired resources at each call: -want, +got:\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	available := []unstructured.Unstructured{
		configMap("b", "n2", "a=b"), configMap("a", "n1", "a=b"), configMap("a", "n2", "a=c"), configMap("cluster", "", "a=b"),
		{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "a", "namespace": "n1"}}},
		{Object: map[string]any{"apiVersion": "v2", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "n1"}}},
	}
	namespace := func(s *fnv1.ResourceSelector, ns string) *fnv1.ResourceSelector {
		s.Namespace = &ns
		return s
	}

	cases := map[string]struct {
		reason   string
		selector *fnv1.ResourceSelector
		want     *fnv1.Resources
	}{
		"ByName": {
			reason:   "A name means one object of that apiVersion, kind and namespace.",
			selector: byName("a", "n1"),
			want:     resourcesOf(configMap("a", "n1", "a=b")),
		},
		"ByNameOtherNamespace": {
			reason:   "An object of that name in another namespace is not meant.",
			selector: byName("b", "n1"),
			want:     &fnv1.Resources{},
		},
		"ByNameWithoutNamespace": {
			reason:   "A name without a namespace means an object that has none.",
			selector: byName("cluster", ""),
			want:     resourcesOf(configMap("cluster", "", "a=b")),
		},
		"ByLabels": {
			reason:   "Labels select in all namespaces, sorted by namespace and name.",
			selector: byLabel("a", "b"),
			want:     resourcesOf(configMap("cluster", "", "a=b"), configMap("a", "n1", "a=b"), configMap("b", "n2", "a=b")),
		},
		"ByLabelsInNamespace": {
			reason:   "Labels select in one namespace where the selector names it.",
			selector: namespace(byLabel("a", "b"), "n2"),
			want:     resourcesOf(configMap("b", "n2", "a=b")),
		},
		"All": {
			reason:   "Neither name nor labels selects all of the kind.",
			selector: namespace(&fnv1.ResourceSelector{ApiVersion: "v1", Kind: "ConfigMap"}, "n2"),
			want:     resourcesOf(configMap("a", "n2", "a=c"), configMap("b", "n2", "a=b")),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := find(tc.selector, available)
			if err != nil {
				t.Fatalf("\n%s\nfind(...): unexpected error: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nfind(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
