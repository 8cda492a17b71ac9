package findings

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// unsaid are messages that no manifest gets, with the reason.
var unsaid = map[string]string{
	"the annotations have %d bytes in total, but must have at most %d; remove or shorten some":                                              large,
	"the annotations of the graph, the {{component}} and its pods have %d bytes in total, but must have at most %d; remove or shorten some": large,
	"set 1 or more, or delete the graph and create it without the {{component}}":                                                            live,
	"has no effect on %s, where there are no scaling groups":                                                                                live,
	"a new graph is refused with it: %s":                                                                                                    live,
	"{{InterPod}} has no effect, and each pod has its own GPUs, because the pods of a live graph cannot be put into other groups; delete and recreate the graph on Grove, or use {{IntraPod}}": live,
}

// Reasons why no manifest gets a message.
const (
	large = "A manifest would need annotations of a quarter of a megabyte."
	live  = "Only a graph that was created by an earlier release, or before its cluster changed, gets it."
)

// everyMessageIsSaid of those in internal/validate, so that TestRemedies follows what it says to do. said are all findings of all manifests.
func everyMessageIsSaid(t *testing.T, said string) {
	t.Helper()
	files := token.NewFileSet()
	for _, path := range harness.Glob(t, "internal/validate/*.go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING || strings.Count(literal.Value, " ") < 4 {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			pattern := regexp.MustCompile(placeholder.ReplaceAllString(regexp.QuoteMeta(text), ".*"))
			_, exempt := unsaid[text]
			if isSaid := pattern.MatchString(said); err == nil && isSaid == exempt {
				t.Errorf("%s: a manifest gets %q: %t; add one that does to fn-tests/support/corpus/manifests, or correct unsaid", files.Position(literal.Pos()), text, isSaid)
			}
			return true
		})
	}
}

// placeholder of a value, or of a word that differs between the versions of the API.
var placeholder = regexp.MustCompile(`%%|%[+#]?[a-z]|\\\{\\\{.*?\\\}\\\}`)
