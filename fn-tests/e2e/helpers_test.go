package e2e

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keysOf composed objects that begin with one of some prefixes, sorted.
func keysOf(composed map[string]*unstructured.Unstructured, prefixes ...string) []string {
	var keys []string
	for key := range maps.Keys(composed) {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(key, prefix) }) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// splitJSON into its strings.
func splitJSON(data string) []string { return strings.Split(data, `"`) }

// reconciled waits until Crossplane, once started, has reconciled every graph.
func (s *suite) reconciled(t testing.TB) {
	t.Helper()
	s.eventually(t, "Crossplane has reconciled the graphs", func() error {
		graphs, err := s.Client.List(s.ctx, nvidia, dgd, "", "")
		if err != nil {
			return err
		}
		count, err := s.Reconciles(s.ctx)
		if err != nil {
			return err
		}
		// Twice each, since the first may only add a watch.
		if count < 2*len(graphs) {
			return errors.New("not yet")
		}
		return nil
	})
}
