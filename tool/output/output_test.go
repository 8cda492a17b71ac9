package output

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCount(t *testing.T) {
	for want, n := range map[string]int{"0 graphs": 0, "1 graph": 1, "2 graphs": 2} {
		if got := Count(n, "graph"); got != want {
			t.Errorf("Count(%d, ...): want %q, got %q", n, want, got)
		}
	}
}

func TestJSON(t *testing.T) {
	got, err := JSON(map[string]string{"a": "<b> & c"}, " ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("{\n \"a\": \"<b> & c\"\n}\n", got); diff != "" {
		t.Errorf("JSON(...): -want, +got:\n%s", diff)
	}
	if _, err := JSON(func() {}, ""); err == nil {
		t.Error("want an error for a value that has no JSON")
	}
}

func TestIsColored(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	// It is a character device, as terminals are.
	terminal, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	if !isColored(terminal) || isColored(file) || isColored(&bytes.Buffer{}) {
		t.Error("terminals have colors, and files and pipes have none")
	}
	for _, variable := range []string{"NO_COLOR", "TERM"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, "dumb")
			if isColored(terminal) {
				t.Errorf("%s turns colors off", variable)
			}
		})
	}
}
