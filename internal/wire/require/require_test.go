package require

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

func queue() Object {
	return Object{Name: "kai-queue", APIVersion: "scheduling.run.ai/v2", Kind: "Queue", ObjectName: "dynamo"}
}

func podCliques() Objects {
	return Objects{
		Name: "podcliques", APIVersion: "grove.io/v1alpha1", Kind: "PodClique", Namespace: "inference",
		Labels: map[string]string{"app.kubernetes.io/part-of": "llama"},
	}
}

func items(objects ...string) *fnv1.Resources {
	all := &fnv1.Resources{}
	for _, object := range objects {
		all.Items = append(all.Items, &fnv1.Resource{Resource: resource.MustStructJSON(object)})
	}
	return all
}

func capabilities(more ...fnv1.Capability) *fnv1.RequestMeta {
	return &fnv1.RequestMeta{Capabilities: append([]fnv1.Capability{fnv1.Capability_CAPABILITY_CAPABILITIES}, more...)}
}

func TestGet(t *testing.T) {
	cases := map[string]struct {
		reason     string
		req        *fnv1.RunFunctionRequest
		want       *structpb.Struct
		resolved   bool
		unresolved []string
	}{
		"NotDelivered": {
			reason:     "What is not in the request has not been looked up: unknown is not absent.",
			req:        &fnv1.RunFunctionRequest{},
			unresolved: []string{"kai-queue"},
		},
		"Delivered": {
			reason:   "An object that is there is returned.",
			req:      &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"kai-queue": items(`{"kind":"Queue"}`)}},
			want:     resource.MustStructJSON(`{"kind":"Queue"}`),
			resolved: true,
		},
		"DeliveredInTheOlderField": {
			reason:   "Crossplane before v2.0 fills extra_resources only.",
			req:      &fnv1.RunFunctionRequest{ExtraResources: map[string]*fnv1.Resources{"kai-queue": items(`{"kind":"Queue"}`)}},
			want:     resource.MustStructJSON(`{"kind":"Queue"}`),
			resolved: true,
		},
		"Absent": {
			reason:   "An empty entry means that the object was looked up and is not there.",
			req:      &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"kai-queue": {}}},
			resolved: true,
		},
		"AbsentAsAnEmptyItem": {
			reason:   "An item without an object means that the object was looked up and is not there.",
			req:      &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{"kai-queue": {Items: []*fnv1.Resource{{}, nil}}}},
			resolved: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var r Requirements
			got, resolved := r.Get(AnswersIn(tc.req), queue())
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nGet(...): -want, +got:\n%s", tc.reason, diff)
			}
			if resolved != tc.resolved {
				t.Errorf("%s\nGet(...): want resolved %t, got %t", tc.reason, tc.resolved, resolved)
			}
			if diff := cmp.Diff(tc.unresolved, r.Unresolved()); diff != "" {
				t.Errorf("%s\nUnresolved(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestExpect(t *testing.T) {
	req := &fnv1.RunFunctionRequest{Meta: capabilities()}
	var r Requirements
	r.Expect(queue())
	if got := r.Unresolved(); len(got) > 0 {
		t.Errorf("Unresolved(): nothing waits for what is expected, got %v", got)
	}
	got, want := &fnv1.RunFunctionResponse{}, &fnv1.RunFunctionResponse{}
	r.Write(req, got)
	r.Get(AnswersIn(req), queue())
	r.Write(req, want)
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("Write(...): want what is expected to be required as it will be later: -want, +got:\n%s", diff)
	}
}

func TestList(t *testing.T) {
	const name = "podcliques"
	cases := map[string]struct {
		reason     string
		req        *fnv1.RunFunctionRequest
		want       []*structpb.Struct
		resolved   bool
		unresolved []string
	}{
		"NotDelivered": {
			reason:     "What is not in the request has not been looked up: unknown is not none.",
			req:        &fnv1.RunFunctionRequest{},
			unresolved: []string{name},
		},
		"Delivered": {
			reason:   "All objects are returned, in their order.",
			req:      &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{name: items(`{"kind":"B"}`, `{"kind":"A"}`)}},
			want:     []*structpb.Struct{resource.MustStructJSON(`{"kind":"B"}`), resource.MustStructJSON(`{"kind":"A"}`)},
			resolved: true,
		},
		"DeliveredInTheOlderField": {
			reason:   "Crossplane before v2.0 fills extra_resources only.",
			req:      &fnv1.RunFunctionRequest{ExtraResources: map[string]*fnv1.Resources{name: items(`{"kind":"B"}`)}},
			want:     []*structpb.Struct{resource.MustStructJSON(`{"kind":"B"}`)},
			resolved: true,
		},
		"None": {
			reason:   "An empty entry means that objects were looked up and there are none.",
			req:      &fnv1.RunFunctionRequest{RequiredResources: map[string]*fnv1.Resources{name: {Items: []*fnv1.Resource{{}, nil}}}},
			resolved: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var r Requirements
			got, resolved := r.List(AnswersIn(tc.req), podCliques())
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\nList(...): -want, +got:\n%s", tc.reason, diff)
			}
			if resolved != tc.resolved {
				t.Errorf("%s\nList(...): want resolved %t, got %t", tc.reason, tc.resolved, resolved)
			}
			if diff := cmp.Diff(tc.unresolved, r.Unresolved()); diff != "" {
				t.Errorf("%s\nUnresolved(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHasSchema(t *testing.T) {
	const name = "schema"
	const object = `{"apiVersion":"grove.io/v1alpha1","kind":"ClusterTopologyBinding"}`
	type answer struct{ Served, Known, Resolved bool }
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		want   answer
		// unasked says that the schema is not required.
		unasked bool
	}{
		"CallerCannotTell": {
			reason: "A caller without the capability gives nothing to wait for.",
			req:    &fnv1.RunFunctionRequest{Meta: capabilities()},
			want:   answer{Resolved: true}, unasked: true,
		},
		"NotDelivered": {
			reason: "From a caller with the capability the answer comes in a later call.",
			req:    &fnv1.RunFunctionRequest{Meta: capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)},
			want:   answer{Known: true},
		},
		"Served": {
			reason: "A kind with a schema is served.",
			req: &fnv1.RunFunctionRequest{
				Meta:            capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS),
				RequiredSchemas: map[string]*fnv1.Schema{name: {OpenapiV3: resource.MustStructJSON(`{"type":"object"}`)}},
			},
			want: answer{Served: true, Known: true, Resolved: true},
		},
		"NotServed": {
			reason: "An empty schema means that the kind is not served.",
			req: &fnv1.RunFunctionRequest{
				Meta:            capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS),
				RequiredSchemas: map[string]*fnv1.Schema{name: {}},
			},
			want: answer{Known: true, Resolved: true},
		},
		"ObjectRequired": {
			reason: "A kind of which Crossplane has delivered an object is served, and its schema need not be fetched.",
			req: &fnv1.RunFunctionRequest{
				Meta:              capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS),
				RequiredResources: map[string]*fnv1.Resources{"topology": items(object)},
			},
			want: answer{Served: true, Known: true, Resolved: true}, unasked: true,
		},
		"ObjectObserved": {
			reason: "A kind of which Crossplane observes an object is served, too.",
			req: &fnv1.RunFunctionRequest{
				Meta:     capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS),
				Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{"topology": {Resource: resource.MustStructJSON(object)}}},
			},
			want: answer{Served: true, Known: true, Resolved: true}, unasked: true,
		},
		"ObjectOfAnotherVersion": {
			reason: "An object of another version of the kind says nothing.",
			req: &fnv1.RunFunctionRequest{
				Meta:              capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS),
				RequiredResources: map[string]*fnv1.Resources{"topology": items(`{"apiVersion":"grove.io/v1","kind":"ClusterTopologyBinding"}`)},
			},
			want: answer{Known: true},
		},
		"ObjectBesideSchema": {
			reason: "What was delivered for this call is required again, or Crossplane would call once more.",
			req: &fnv1.RunFunctionRequest{
				Meta:              capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS),
				RequiredSchemas:   map[string]*fnv1.Schema{name: {OpenapiV3: resource.MustStructJSON(`{"type":"object"}`)}},
				RequiredResources: map[string]*fnv1.Resources{"topology": items(object)},
			},
			want: answer{Served: true, Known: true, Resolved: true},
		},
		"ObjectForOthers": {
			reason:  "A caller without the capability is answered as without the object.",
			req:     &fnv1.RunFunctionRequest{Meta: capabilities(), RequiredResources: map[string]*fnv1.Resources{"topology": items(object)}},
			want:    answer{Resolved: true},
			unasked: true,
		},
	}
	for caseName, tc := range cases {
		t.Run(caseName, func(t *testing.T) {
			var r Requirements
			var got answer
			got.Served, got.Known, got.Resolved = r.HasSchema(AnswersIn(tc.req), name, "grove.io/v1alpha1", "ClusterTopologyBinding")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nHasSchema(...): -want, +got:\n%s", tc.reason, diff)
			}
			if asked := len(r) > 0; asked == tc.unasked {
				t.Errorf("%s\nHasSchema(...): want the schema required: %t, got %t", tc.reason, !tc.unasked, asked)
			}
			if pending := len(r.Unresolved()) > 0; pending == got.Resolved {
				t.Errorf("%s\nUnresolved(): want pending %t, got %t", tc.reason, !got.Resolved, pending)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	selector := &fnv1.ResourceSelector{
		ApiVersion: "scheduling.run.ai/v2", Kind: "Queue", Match: &fnv1.ResourceSelector_MatchName{MatchName: "dynamo"},
	}
	namespace := "inference"
	namespaced := &fnv1.ResourceSelector{
		ApiVersion: "v1", Kind: "PersistentVolumeClaim", Match: &fnv1.ResourceSelector_MatchName{MatchName: "cache"}, Namespace: &namespace,
	}
	cases := map[string]struct {
		reason string
		req    *fnv1.RunFunctionRequest
		ask    func(r *Requirements, from Answers)
		want   *fnv1.Requirements
	}{
		"Nothing": {
			reason: "An empty message differs from none, and costs another call.",
			req:    &fnv1.RunFunctionRequest{},
			ask:    func(*Requirements, Answers) {},
		},
		"CallerWithCapabilities": {
			reason: "A caller that advertises its capabilities knows the newer field.",
			req:    &fnv1.RunFunctionRequest{Meta: capabilities()},
			ask:    func(r *Requirements, from Answers) { r.Get(from, queue()) },
			want:   &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"kai-queue": selector}},
		},
		"CallerWithout": {
			reason: "All others know the older field, and some of them know no other.",
			req:    &fnv1.RunFunctionRequest{},
			ask:    func(r *Requirements, from Answers) { r.Get(from, queue()) },
			want:   &fnv1.Requirements{ExtraResources: map[string]*fnv1.ResourceSelector{"kai-queue": selector}},
		},
		"Namespaced": {
			reason: "An object in a namespace is asked for there.",
			req:    &fnv1.RunFunctionRequest{Meta: capabilities()},
			ask: func(r *Requirements, from Answers) {
				r.Get(from, Object{Name: "pvc-cache", APIVersion: "v1", Kind: "PersistentVolumeClaim", ObjectName: "cache", Namespace: "inference"})
			},
			want: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"pvc-cache": namespaced}},
		},
		"ByLabels": {
			reason: "Objects are asked for by their labels, in one namespace.",
			req:    &fnv1.RunFunctionRequest{Meta: capabilities()},
			ask:    func(r *Requirements, from Answers) { r.List(from, podCliques()) },
			want: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"podcliques": {
				ApiVersion: "grove.io/v1alpha1", Kind: "PodClique", Namespace: &namespace,
				Match: &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{"app.kubernetes.io/part-of": "llama"}}},
			}}},
		},
		"Schema": {
			reason: "Schemas are asked for beside objects.",
			req:    &fnv1.RunFunctionRequest{Meta: capabilities(fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS)},
			ask: func(r *Requirements, from Answers) {
				r.HasSchema(from, "schema", "grove.io/v1alpha1", "ClusterTopologyBinding")
			},
			want: &fnv1.Requirements{Schemas: map[string]*fnv1.SchemaSelector{
				"schema": {ApiVersion: "grove.io/v1alpha1", Kind: "ClusterTopologyBinding"},
			}},
		},
		"WhatIsResolvedToo": {
			reason: "Requirements are stable only when every call asks for all of them.",
			req: &fnv1.RunFunctionRequest{
				Meta:              capabilities(),
				RequiredResources: map[string]*fnv1.Resources{"kai-queue": {}},
			},
			ask:  func(r *Requirements, from Answers) { r.Get(from, queue()) },
			want: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"kai-queue": selector}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var r Requirements
			tc.ask(&r, AnswersIn(tc.req))
			rsp := &fnv1.RunFunctionResponse{}
			r.Write(tc.req, rsp)
			if diff := cmp.Diff(tc.want, rsp.GetRequirements(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nWrite(...): -want, +got:\n%s", tc.reason, diff)
			}
			if tc.want == nil && rsp.Requirements != nil { //nolint:protogetter // The getter cannot tell an empty message from none.
				t.Errorf("%s\nWrite(...): want no requirements at all", tc.reason)
			}
		})
	}
}

// TestWriteMore shows that a response can hold what two have asked for.
func TestWriteMore(t *testing.T) {
	for name, capabilities := range map[string][]fnv1.Capability{"Now": {fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS}, "Before": nil} {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Capabilities: capabilities}}
			var both Requirements
			rsp, want := &fnv1.RunFunctionResponse{}, &fnv1.RunFunctionResponse{}
			for _, kind := range []string{"Queue", "Topology"} {
				var apart Requirements
				for _, r := range []*Requirements{&both, &apart} {
					r.Get(AnswersIn(req), Object{Name: kind, APIVersion: "v1", Kind: kind, ObjectName: "a"})
					r.HasSchema(AnswersIn(req), kind, "v1", kind)
				}
				apart.Write(req, rsp)
			}
			both.Write(req, want)
			if diff := cmp.Diff(want, rsp, protocmp.Transform()); diff != "" {
				t.Errorf("Write(...): what is asked for at once and one after the other: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestInto(t *testing.T) {
	cases := map[string]struct {
		reason string
		object string
		want   string
		err    string
	}{
		"Lenient": {
			reason: "An object of another owner may be of a newer version.",
			object: `{"kind":"Queue","unknown":1}`,
			want:   "Queue",
		},
		"Named": {
			reason: "The error says what cannot be read.",
			object: `{"kind":"Queue","metadata":{"name":"default"},"weight":"x"}`,
			want:   "Queue",
			err:    "cannot read Queue default: weight: Invalid value: must be a whole number, not a string",
		},
		"WrongType": {
			reason: "What cannot be read is an error.",
			object: `{"kind":1}`,
			err:    "cannot read an object: kind: Invalid value: must be a string, not a number",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out := struct {
				Kind   string `json:"kind"`
				Weight int    `json:"weight"`
			}{}
			err := Into(resource.MustStructJSON(tc.object), &out)
			if diff := cmp.Diff(tc.err, message(err)); diff != "" {
				t.Errorf("%s\nInto(...): -want error, +got error:\n%s", tc.reason, diff)
			}
			if out.Kind != tc.want {
				t.Errorf("%s\nInto(...): want %q, got %q", tc.reason, tc.want, out.Kind)
			}
		})
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestControlledBy(t *testing.T) {
	cases := map[string]struct {
		reason string
		xr     string
		object string
		want   bool
	}{
		"Controller": {
			reason: "The controller reference tells whose an object is.",
			xr:     `{"metadata":{"uid":"u1"}}`,
			object: `{"metadata":{"ownerReferences":[{"uid":"u0"},{"uid":"u1","controller":true}]}}`,
			want:   true,
		},
		"OwnerOnly": {
			reason: "An owner that does not control an object does not delete it either.",
			xr:     `{"metadata":{"uid":"u1"}}`,
			object: `{"metadata":{"ownerReferences":[{"uid":"u1"}]}}`,
		},
		"Another": {
			reason: "A controller of the same name is another one.",
			xr:     `{"metadata":{"uid":"u1","name":"llama"}}`,
			object: `{"metadata":{"ownerReferences":[{"uid":"u2","name":"llama","controller":true}]}}`,
		},
		"CompositeWithoutUID": {
			reason: "A composite resource that does not exist yet controls nothing.",
			xr:     `{"metadata":{"name":"llama"}}`,
			object: `{"metadata":{"ownerReferences":[{"controller":true}]}}`,
		},
		"NoOwners": {
			reason: "An object without owners has no controller.",
			xr:     `{"metadata":{"uid":"u1"}}`,
			object: `{}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: resource.MustStructJSON(tc.xr)}}}
			if got := ControlledBy(resource.MustStructJSON(tc.object), req); got != tc.want {
				t.Errorf("%s\nControlledBy(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
