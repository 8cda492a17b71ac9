package schema_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// definitions that there are.
const definitions = 36

// TestRealDefinitions checks that the definitions of the operators that we compose objects for can be used.
func TestRealDefinitions(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(shared.Path(t, definitions, "crds"), "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != definitions {
		t.Errorf("want %d definitions, found %d", definitions, len(paths))
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
