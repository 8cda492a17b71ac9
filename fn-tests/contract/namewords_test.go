package contract

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/conversion"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestNamesAreNoWords gives graphs and their components names that contain each word that the two forms of a graph do not have in common. A
// message names them as their user does, and contains no mark of a word.
func TestNamesAreNoWords(t *testing.T) {
	functions := crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
	// The names of the second prefix of a pair have the same length and contain no word.
	prefixes := [][2]string{{"service-", "qervice-"}, {"services-", "qervices-"}, {"envs-", "envq-"}}
	for i, m := range corpus.Manifests(t) {
		if !m.Refused && !m.Warned || !harness.Sampled(i, 4) {
			continue
		}
		prefix := prefixes[i%len(prefixes)]
		for _, xr := range []*unstructured.Unstructured{harness.Read(t, m.Path)[0], converted(harness.Read(t, m.Path)[0])} {
			messages := func(prefix string) string {
				graph := crossplane.NewGraph(renamed(t, xr, prefix), harness.Read(t, m.Platform.Cluster))
				if _, err := pipelineOf(t, m.Platform).Run(t.Context(), graph, functions); err != nil && !errors.Is(err, crossplane.ErrFatal) {
					t.Fatal(err)
				}
				message, _ := graph.Condition("Accepted")["message"].(string)
				return message
			}
			got, want := messages(prefix[0]), messages(prefix[1])
			if strings.Contains(got, "{{") {
				t.Errorf("%s in %s: a message contains a mark: %s", m.Name, xr.GetAPIVersion(), got)
			}
			if diff := cmp.Diff(linesOf(strings.ReplaceAll(want, prefix[0], prefix[1])), linesOf(strings.ReplaceAll(got, prefix[0], prefix[1]))); diff != "" {
				t.Errorf("%s in %s: with names that begin with %s: -want, +got:\n%s", m.Name, xr.GetAPIVersion(), prefix[0], diff)
			}
		}
	}
}

// hashed matches a name that is shortened to a hash.
var hashed = regexp.MustCompile(`\b[a-z]{3}-[0-9a-f]{4}\b`)

// linesOf a message, sorted: the order of messages depends on names.
func linesOf(message string) []string {
	lines := strings.Split(hashed.ReplaceAllString(message, "(hashed)"), "\n")
	slices.Sort(lines)
	return lines
}

// renamed is a graph with a prefix before its name and before the names of its components.
func renamed(t *testing.T, xr *unstructured.Unstructured, prefix string) *unstructured.Unstructured {
	t.Helper()
	xr = xr.DeepCopy()
	xr.SetName(prefix + xr.GetName())
	spec, _ := xr.Object["spec"].(map[string]any)
	if components, ok := spec["services"].(map[string]any); ok {
		withPrefix := map[string]any{}
		for name, component := range components {
			withPrefix[prefix+name] = component
		}
		spec["services"] = withPrefix
	}
	components, _ := spec["components"].([]any)
	for _, component := range components {
		if c, ok := component.(map[string]any); ok {
			name, _ := c["name"].(string)
			c["name"] = prefix + name
		}
	}
	// What a conversion keeps has the names before.
	annotations := xr.GetAnnotations()
	delete(annotations, conversion.AnnotationSpec)
	xr.SetAnnotations(annotations)
	return xr
}
