package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestConditions checks that docs/conditions.md explains all types and reasons of conditions and events.
func TestConditions(t *testing.T) {
	const source, document = "internal/report/condition/condition.go", "docs/conditions.md"
	text := harness.File(t, document)
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(harness.Root(), source), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if name := spec.Names[0].Name; !ok || !strings.HasPrefix(name, "Type") && !strings.HasPrefix(name, "Reason") {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		found++
		if !strings.Contains(string(text), "`"+value+"`") {
			t.Errorf("%s: does not explain `%s`, which is constant %s in %s; add it", document, value, spec.Names[0].Name, source)
		}
		return true
	})
	// Fewer would mean that the constants are no longer found.
	const least = 30
	if found < least {
		t.Errorf("%s has %d types and reasons, want at least %d", source, found, least)
	}
}
