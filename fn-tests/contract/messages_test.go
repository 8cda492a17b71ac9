package contract

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/forms"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestMessages converts the manifests that are refused or get a warning, and compares what their user is told with a golden file. Messages
// name the fields of the version in which the graph is written.
func TestMessages(t *testing.T) {
	functions := crossplane.Direct(crossplane.Servers(logging.NewNopLogger()))
	text := &strings.Builder{}
	for _, m := range corpus.Manifests(t) {
		base := filepath.Base(m.Path)
		if !strings.HasPrefix(base, "refused-") && !strings.HasPrefix(base, "warned-") {
			continue
		}
		inOtherForm := converted(harness.Read(t, m.Path)[0])
		graph := crossplane.NewGraph(inOtherForm, harness.Read(t, m.Platform.Cluster))
		if _, err := pipelineOf(t, m.Platform).Run(t.Context(), graph, functions); err != nil && !errors.Is(err, crossplane.ErrFatal) {
			t.Fatal(err)
		}
		message, _ := graph.Condition("Accepted")["message"].(string)
		fmt.Fprintf(text, "%s in %s\n", m.Name, inOtherForm.GetAPIVersion())
		for part := range strings.Lines(message) {
			fmt.Fprintln(text, "  "+strings.TrimSuffix(part, "\n"))
		}
		words := forms.OfComponents(message)
		if inOtherForm.GetAPIVersion() == "nvidia.com/v1beta1" {
			words = forms.OfServices(message)
		}
		if len(words) > 0 {
			t.Errorf("%s: the message has %q, which %s does not have: %s", m.Name, words, inOtherForm.GetAPIVersion(), message)
		}
	}
	harness.Golden(t, filepath.Join("testdata", "forms", "messages.txt"), []byte(text.String()))
}
