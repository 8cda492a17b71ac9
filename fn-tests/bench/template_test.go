package main

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
)

func TestTemplateRequest(t *testing.T) {
	object := func(text string) *fnv1.Resource { return &fnv1.Resource{Resource: resource.MustStructJSON(text)} }
	// settled graph with these composed resources, desired and observed.
	settled := func(resources map[string]*fnv1.Resource) *crossplane.Reconcile {
		return &crossplane.Reconcile{Calls: []crossplane.Call{{
			Request: &fnv1.RunFunctionRequest{
				Meta:              &fnv1.RequestMeta{Tag: "tag"},
				Observed:          &fnv1.State{Composite: object(`{"kind":"DynamoGraphDeployment"}`), Resources: resources},
				RequiredResources: map[string]*fnv1.Resources{"queue": {}},
			},
			Response: &fnv1.RunFunctionResponse{Desired: &fnv1.State{Resources: resources}},
		}}}
	}
	templated := func(resources map[string]*fnv1.Resource, template string) *fnv1.RunFunctionRequest {
		return &fnv1.RunFunctionRequest{
			Meta: &fnv1.RequestMeta{Tag: "tag"},
			Input: resource.MustStructJSON(fmt.Sprintf(
				`{"apiVersion":"gotemplating.fn.crossplane.io/v1beta1","kind":"GoTemplate","source":"Inline","inline":{"template":%q}}`, template)),
			Observed: &fnv1.State{Composite: object(`{"kind":"DynamoGraphDeployment"}`), Resources: resources},
		}
	}
	set, service := object(`{"kind":"PodCliqueSet","metadata":{"annotations":{"a":"b"},"name":"n"}}`), object(`{"kind":"Service"}`)
	cases := map[string]struct {
		reason    string
		resources map[string]*fnv1.Resource
		want      *fnv1.RunFunctionRequest
	}{
		"Several": {
			reason:    "Each object keeps its metadata and has its name as a composed resource. What is required is not sent to a template.",
			resources: map[string]*fnv1.Resource{"service": service, "podcliqueset": set},
			want: templated(map[string]*fnv1.Resource{"service": service, "podcliqueset": set},
				"---\nkind: PodCliqueSet\nmetadata:\n  annotations:\n    a: b\n    gotemplating.fn.crossplane.io/composition-resource-name: podcliqueset\n  name: \"n\"\n"+
					"---\nkind: Service\nmetadata:\n  annotations:\n    gotemplating.fn.crossplane.io/composition-resource-name: service\n"),
		},
		"None": {reason: "A graph that composes nothing has an empty template.", want: templated(nil, "")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := templateRequest(settled(tc.resources))
			if err != nil {
				t.Fatalf("%s\ntemplateRequest(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%s\ntemplateRequest(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
