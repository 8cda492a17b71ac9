package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// changeForm writes running graphs with components instead of services, and back. That is an edit, but nothing that a graph consists of is
// written again.
func (s *suite) changeForm(t *T) {
	t.Helper()
	cases := map[string]struct {
		reason string
		change []func(*unstructured.Unstructured)
	}{
		"Grove":            {reason: "The PodCliqueSet and what is around it stay as they are."},
		"LeaderWorkerSets": {reason: "LeaderWorkerSets, gangs and Deployments stay as they are.", change: []func(*unstructured.Unstructured){onLeaderWorkerSets}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *T) {
			t.Parallel()
			g := s.run(t, "sglang-multinode", "form-"+strings.ToLower(name), tc.change...)
			ref := controlplane.RefOf(g)
			before := s.versionsAtRest(t, g)

			components, _ := conversion.ToV1beta1(g.Object)
			s.reform(t, ref, components, "components")
			if diff := cmp.Diff(before, s.versionsAtRest(t, g)); diff != "" {
				t.Errorf("%s\nwritten with components: -before, +after:\n%s", tc.reason, diff)
			}
			services, _ := conversion.ToV1alpha1(components)
			s.reform(t, ref, services, "services")
			if diff := cmp.Diff(before, s.versionsAtRest(t, g)); diff != "" {
				t.Errorf("%s\nwritten with services again: -before, +after:\n%s", tc.reason, diff)
			}
			s.remove(t, g)
		})
	}
}

// reform applies a graph in another form, and waits until its status has that form.
func (s *suite) reform(t testing.TB, ref controlplane.Ref, graph map[string]any, form string) {
	t.Helper()
	s.apply(t, &unstructured.Unstructured{Object: graph})
	s.eventually(t, fmt.Sprintf("%s is ready with %s", ref, form), func() error {
		if err := s.is(ref, "Synced", "True", "Ready", "True", "Accepted", "True")(); err != nil {
			return err
		}
		object, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		status, _, _ := unstructured.NestedMap(object.Object, "status")
		_, services := status["services"]
		_, components := status["components"]
		if services != (form == "services") || components != (form == "components") {
			return fmt.Errorf("the status has services: %t, components: %t", services, components)
		}
		return nil
	})
}
