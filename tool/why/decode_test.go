package why

import (
	"strings"
	"testing"
)

// TestOneLine checks that texts of the cluster cannot control a terminal.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a b": "a b", "a\n  b\t\tc\r\n": "a b c", "\x1b[31mred\x1b[0m": "[31mred [0m", "\u009b1A": "1A", "größer": "größer",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("oneLine(%q): want %q, got %q", text, want, got)
		}
	}
}

func TestBrief(t *testing.T) {
	if got := brief(strings.Repeat("é", longest)); got != strings.Repeat("é", longest) {
		t.Errorf("want a text of %d characters in full, got %q", longest, got)
	}
	if got, want := brief(strings.Repeat("é", longest+1)), strings.Repeat("é", longest)+" ..."; got != want {
		t.Errorf("want a longer text cut, got %q", got)
	}
}
