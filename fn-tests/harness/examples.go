package harness

import (
	"path/filepath"
	"strings"
	"testing"
)

// Example is one of the manifests under examples/, and the Composition that it is for.
type Example struct {
	Name        string
	XR          string
	Composition string
}

// Examples of the repository. Those of the claims flavour are the composite resources of claims.
func Examples(t testing.TB) []Example {
	t.Helper()
	var examples []Example
	for _, flavour := range []struct{ pattern, composition string }{
		{"examples/*.yaml", Composition},
		{"examples/claims/*-xr.yaml", ClaimsComposition},
	} {
		paths, err := filepath.Glob(filepath.Join(Root(), flavour.pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no examples match %s: %v", flavour.pattern, err)
		}
		for _, path := range paths {
			name := strings.TrimSuffix(filepath.Base(path), ".yaml")
			if !strings.HasPrefix(name, "functions") {
				examples = append(examples, Example{Name: name, XR: path, Composition: flavour.composition})
			}
		}
	}
	return examples
}
