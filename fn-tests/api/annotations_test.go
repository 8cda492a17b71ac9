package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestEveryUserAnnotation checks that the table has exactly the annotations that the functions read. Their source lists these annotations.
func TestEveryUserAnnotation(t *testing.T) {
	table, err := ReadAnnotations(".")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, annotation := range table {
		got = append(got, annotation.Name)
	}
	if diff := cmp.Diff(userAnnotations(t), got); diff != "" {
		t.Errorf("annotations.tsv: -read by the functions, +in the table:\n%s", diff)
	}
}

// userAnnotations are the annotations that UserAnnotations of package metadata returns, sorted.
func userAnnotations(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(harness.Root(), "internal", "names", "metadata", "annotations.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	values, listed := map[string]string{}, []string(nil)
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.ValueSpec:
			if literal, ok := node.Values[0].(*ast.BasicLit); ok {
				if values[node.Names[0].Name], err = strconv.Unquote(literal.Value); err != nil {
					t.Fatal(err)
				}
			}
		case *ast.FuncDecl:
			if node.Name.Name != "UserAnnotations" {
				return false
			}
		case *ast.CompositeLit:
			for _, element := range node.Elts {
				if name, ok := element.(*ast.Ident); ok {
					listed = append(listed, values[name.Name])
				}
			}
		}
		return true
	})
	if len(listed) == 0 {
		t.Fatal("found no annotations in function UserAnnotations")
	}
	slices.Sort(listed)
	return listed
}
