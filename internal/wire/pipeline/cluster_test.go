package pipeline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/pipelinetest"
)

func TestFind(t *testing.T) {
	objects := Objects{
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
			selector: pipelinetest.ByName("a", "n1"),
			want:     resourcesOf(configMap("a", "n1", "a=b")),
		},
		"ByNameOtherNamespace": {
			reason:   "An object of that name in another namespace is not meant.",
			selector: pipelinetest.ByName("b", "n1"),
			want:     &fnv1.Resources{},
		},
		"ByNameWithoutNamespace": {
			reason:   "A name without a namespace means an object that has none.",
			selector: pipelinetest.ByName("cluster", ""),
			want:     resourcesOf(configMap("cluster", "", "a=b")),
		},
		"ByLabels": {
			reason:   "Labels select in all namespaces, sorted by namespace and name.",
			selector: pipelinetest.ByLabel("a", "b"),
			want:     resourcesOf(configMap("cluster", "", "a=b"), configMap("a", "n1", "a=b"), configMap("b", "n2", "a=b")),
		},
		"ByLabelsInNamespace": {
			reason:   "Labels select in one namespace where the selector names it.",
			selector: namespace(pipelinetest.ByLabel("a", "b"), "n2"),
			want:     resourcesOf(configMap("b", "n2", "a=b")),
		},
		"All": {
			reason:   "A selector with neither name nor labels selects all objects of the kind.",
			selector: namespace(&fnv1.ResourceSelector{ApiVersion: "v1", Kind: "ConfigMap"}, "n2"),
			want:     resourcesOf(configMap("a", "n2", "a=c"), configMap("b", "n2", "a=b")),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := objects.selected(tc.selector)
			if err != nil {
				t.Fatalf("\n%s\nfind(...): unexpected error: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got, protocmp.Transform()); diff != "" {
				t.Errorf("\n%s\nfind(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
