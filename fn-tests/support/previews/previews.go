// Package previews shows what graphs become on the platforms of the corpus.
package previews

import (
	"path/filepath"
	"testing"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/corpus"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
	"github.com/dynamo-crossplane/configuration-dynamo/tool/render"
)

// On a platform.
func On(t testing.TB, platform corpus.Platform) *preview.Previewer {
	t.Helper()
	p := &preview.Previewer{Functions: functions.All(logging.NewNopLogger())}
	var err error
	if p.Composition, err = render.Composition(harness.WithInput(t, harness.Composition, platform.Input)); err != nil {
		t.Fatal(err)
	}
	if p.Objects, err = preview.ClusterNamed(filepath.Join(harness.Root(), platform.Cluster)); err != nil {
		t.Fatal(err)
	}
	return p
}
