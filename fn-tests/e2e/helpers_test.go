package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// set a field of a tree of objects.
func set(fields map[string]any, value any, path ...string) {
	if err := unstructured.SetNestedField(fields, value, path...); err != nil {
		panic(fmt.Sprintf("cannot set %v: %v", path, err))
	}
}

// splitJSON into its strings.
func splitJSON(data string) []string { return strings.Split(data, `"`) }
