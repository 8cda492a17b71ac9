package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// versions of what graphs consist of, by the names of the graphs and the keys of the objects.
func (s *suite) versions(t testing.TB, graphs ...*unstructured.Unstructured) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	for _, g := range graphs {
		all[g.GetName()] = map[string]string{}
		for key, object := range s.composed(t, controlplane.RefOf(g)) {
			all[g.GetName()][key] = object.GetResourceVersion()
		}
	}
	return all
}

// versionsAtRest are the versions once nothing is written any more.
func (s *suite) versionsAtRest(t testing.TB, graphs ...*unstructured.Unstructured) map[string]map[string]string {
	t.Helper()
	last := s.versions(t, graphs...)
	s.eventually(t, "the graphs are at rest", func() error {
		time.Sleep(5 * time.Second)
		now := s.versions(t, graphs...)
		diff := cmp.Diff(last, now)
		last = now
		if diff != "" {
			return fmt.Errorf("-before, +now:\n%s", diff)
		}
		return nil
	})
	return last
}
