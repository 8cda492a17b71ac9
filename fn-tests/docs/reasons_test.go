package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// atLeast so many reasons are found, or they are no longer looked for where they are.
const atLeast = 2500

var (
	whole = regexp.MustCompile("(?s)^[\\p{Lu}\\d\"'`].*[.?]$")
	// continued is how a sentence begins that goes on with the one before it.
	continued = regexp.MustCompile(`^(And|Nor|So|Or|But)\b`)
)

// TestReasons reports all reasons that are no whole sentences, at once.
func TestReasons(t *testing.T) {
	found := 0
	for _, path := range testFiles(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			text, is := reasonOf(t, node)
			if !is {
				return true
			}
			found++
			if !standsAlone(text) {
				t.Errorf("%s: the reason %q is no sentence that stands alone: begin it with a capital letter and its subject, and end it with a period", set.Position(node.Pos()), text)
			}
			return true
		})
	}
	if found < atLeast {
		t.Errorf("found %d reasons, want at least %d", found, atLeast)
	}
}

func standsAlone(text string) bool {
	return whole.MatchString(text) && !continued.MatchString(text)
}

// reasonOf a test case, if the node is the field of one. The text is empty if it is put together in another way than from literals,
// because such a reason cannot be checked here.
func reasonOf(t *testing.T, node ast.Node) (string, bool) {
	t.Helper()
	field, ok := node.(*ast.KeyValueExpr)
	if !ok {
		return "", false
	}
	key, ok := field.Key.(*ast.Ident)
	if !ok || key.Name != "reason" {
		return "", false
	}
	if copied, ok := field.Value.(*ast.SelectorExpr); ok && copied.Sel.Name == "reason" {
		return "", false
	}
	return textOf(t, field.Value), true
}

// textOf a literal, or of several that are joined to fit in their lines.
func textOf(t *testing.T, value ast.Expr) string {
	t.Helper()
	switch value := value.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(value.Value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	case *ast.BinaryExpr:
		return textOf(t, value.X) + textOf(t, value.Y)
	default:
		return ""
	}
}

// testFiles of the repository, without what is built in it.
func testFiles(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(harness.Root(), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".cache" || entry.Name() == "_output"):
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
