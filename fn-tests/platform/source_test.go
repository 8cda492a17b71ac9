package platform

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// elsewhere are folders whose kinds never reach Crossplane.
var elsewhere = []string{
	"internal/kinds", "fn-tests/support/steptest", "functions/plan/input", "fn-tests/support/plantest", "functions/plan/admission",
}

// whyFolder is that of the command why, which looks at objects with the permissions of its user.
const whyFolder = "tool/why"

// sourceKinds are the kinds that the source of the functions names where it makes an object or asks for one: the values of
// the field Kind beside a field APIVersion, and of constants called Kind*. Each comes with where it stands.
func sourceKinds(t *testing.T) map[string]string {
	t.Helper()
	kinds := kindsIn(t, "functions", elsewhere...)
	maps.Copy(kinds, kindsIn(t, "internal", elsewhere...))
	return kinds
}

// kindsIn a folder are the kinds that its source names, except for that of some folders below.
func kindsIn(t *testing.T, folder string, except ...string) map[string]string {
	t.Helper()
	s := &source{set: token.NewFileSet(), constants: map[string]string{}, kinds: map[string]string{}}
	for _, file := range s.files(t, folder, except) {
		ast.Inspect(file, s.constant)
	}
	for _, file := range s.parsed {
		ast.Inspect(file, s.object)
	}
	return s.kinds
}

type source struct {
	set       *token.FileSet
	parsed    []*ast.File
	constants map[string]string
	kinds     map[string]string
}

func (s *source) files(t *testing.T, folder string, except []string) []*ast.File {
	t.Helper()
	for _, path := range harness.Walk(t, ".go", folder) {
		inside := func(other string) bool { return strings.HasPrefix(path, other+"/") }
		if strings.HasSuffix(path, "_test.go") || slices.ContainsFunc(except, inside) {
			continue
		}
		file, err := parser.ParseFile(s.set, filepath.Join(harness.Root(), path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.parsed = append(s.parsed, file)
	}
	return s.parsed
}

// constant takes down constants that name kinds.
func (s *source) constant(node ast.Node) bool {
	spec, ok := node.(*ast.ValueSpec)
	if !ok {
		return true
	}
	for i, name := range spec.Names {
		if i >= len(spec.Values) || !strings.HasPrefix(strings.ToLower(name.Name), "kind") {
			continue
		}
		if literal, ok := spec.Values[i].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if value, err := strconv.Unquote(literal.Value); err == nil {
				s.constants[name.Name] = value
				s.found(value, name.Pos())
			}
		}
	}
	return true
}

// object takes down the kind of an object that has one.
func (s *source) object(node ast.Node) bool {
	literal, ok := node.(*ast.CompositeLit)
	if !ok {
		return true
	}
	fields := map[string]ast.Expr{}
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				fields[key.Name] = pair.Value
			}
		}
	}
	if fields["APIVersion"] == nil || fields["Kind"] == nil {
		return true
	}
	if value := s.value(fields["Kind"]); value != "" {
		s.found(value, literal.Pos())
	}
	return true
}

// value of an expression that is a string or a constant; empty for what is known at run time only, whose values are constants
// somewhere else.
func (s *source) value(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		value, err := strconv.Unquote(e.Value)
		if err != nil {
			return ""
		}
		return value
	case *ast.Ident:
		return s.constants[e.Name]
	case *ast.SelectorExpr:
		if value, ok := s.constants[e.Sel.Name]; ok {
			return value
		}
		// Kubernetes calls such constants ServiceAccountKind.
		if kind, ok := strings.CutSuffix(e.Sel.Name, "Kind"); ok {
			return kind
		}
	}
	return ""
}

func (s *source) found(kind string, at token.Pos) {
	// Some constants hold the group too, as PodGroup.scheduling.volcano.sh.
	kind, _, _ = strings.Cut(kind, ".")
	position := s.set.Position(at)
	s.kinds[kind] = filepath.Base(filepath.Dir(position.Filename)) + "/" + filepath.Base(position.Filename) + ":" + strconv.Itoa(position.Line)
}
