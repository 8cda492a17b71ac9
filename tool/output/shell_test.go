package output

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/shell"
)

func TestShell(t *testing.T) {
	for want, words := range map[string][]string{
		"kubectl --namespace=team-a get pod/a": {"kubectl", "--namespace=team-a", "get", "pod/a"},
		"''":                                   {""},
		"":                                     nil,
		"a '$(b)' 'c;d'":                       {"a", "$(b)", "c;d"},
		"'wow!!'":                              {"wow!!"},
		`'it'"'"'s'`:                           {"it's"},
	} {
		if diff := cmp.Diff(want, Shell(words...)); diff != "" {
			t.Errorf("Shell(%q): -want, +got:\n%s", words, diff)
		}
	}
}

// FuzzShell checks that a shell reads the words as they were.
func FuzzShell(f *testing.F) {
	for _, word := range []string{"", "a", "$(b)", "`b`", "'", `"`, `\`, "a\nb", "~", "{a,b}", "*", "#", "!!", "$'a'", "a=b", "&&", "<(b)", "\r\n"} {
		f.Add(word, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "\x00") || !utf8.ValidString(a+" "+b) {
			t.Skip("No word of a shell contains the first, and no text of a cluster the other.")
		}
		got, err := shell.Fields(Shell(a, b), func(string) string { return "expanded" })
		if err != nil {
			t.Fatalf("a shell cannot read %q: %v", Shell(a, b), err)
		}
		// The reader leaves out the first of both ends of a line, as no shell does.
		want := []string{strings.ReplaceAll(a, "\r\n", "\n"), strings.ReplaceAll(b, "\r\n", "\n")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Shell(%q, %q): -want, +got:\n%s", a, b, diff)
		}
	})
}
