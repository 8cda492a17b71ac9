package schema_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/shared"
)

// TestRealDefinitions holds that the definitions of the operators that we compose objects for can be used.
func TestRealDefinitions(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(shared.Path(t, "crds"), "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("found no definitions")
	}
	for _, path := range paths {
		name := filepath.Join(filepath.Base(filepath.Dir(path)), strings.TrimSuffix(filepath.Base(path), ".yaml"))
		t.Run(name, func(t *testing.T) {
			set, err := schema.LoadSet(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(set) == 0 {
				t.Error("no version is served")
			}
		})
	}
}
