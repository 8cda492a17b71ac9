package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	yaml "go.yaml.in/yaml/v3"
)

// evil is text that moves the cursor, sets a title, paints, turns its direction, and has a byte that is no text.
const evil = "a\x1b[2J\x1b]0;b\a\x1b[31;1mc\u202ed\u009be\rf\U000e0001g\xffh"

func TestWriter(t *testing.T) {
	const shown = "a?[2J?]0;b??[31;1mc?d?e?f?g\uFFFDh"
	cases := map[string]struct {
		reason  string
		colored bool
		written func(w *Writer)
		want    string
	}{
		"Write": {
			reason: "Whatever is written by any package is only text, also where there are colors.", colored: true,
			written: func(w *Writer) { _, _ = fmt.Fprint(w, evil, "\n\t") }, want: shown + "\n\t",
		},
		"Bytes": {
			reason:  "A byte that is no text is replaced, also where nothing else is.",
			written: func(w *Writer) { _, _ = fmt.Fprint(w, "a\xffb") }, want: "a\uFFFDb",
		},
		"Printf": {
			reason: "Arguments are only text, with the width that the format gives them, and credentials in them are masked.", colored: true,
			written: func(w *Writer) {
				w.Printf("%-*s|%d|%v|%s|%s\n", 4, "a\x1b", 2, errors.New(evil), []string{evil}, "https://me:secret@host")
			},
			want: "a?  |2|" + shown + "|[" + shown + "]|https://***@host\n",
		},
		"Painted": {
			reason: "What is painted has its color, and nothing else that a terminal acts on.", colored: true,
			written: func(w *Writer) { w.Printf("%s %s", Red.Paint("bad"+"\x1b[0m"), Plain.Paint("plain")) }, want: "\x1b[31;1mbad?[0m\x1b[0m plain",
		},
		"NotColored": {
			reason:  "A pipe and a file have no colors.",
			written: func(w *Writer) { w.Printf("%s", Green.Paint("fine")); w.Rewind(3) }, want: "fine",
		},
		"Rewind": {
			reason: "A terminal is redrawn.", colored: true,
			written: func(w *Writer) { w.Rewind(0); w.Rewind(3) }, want: "\x1b[3A\x1b[J",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := To(&Writer{Out: &out, Colored: tc.colored})
			tc.written(w)
			if diff := cmp.Diff(tc.want, out.String()); diff != "" || w.Err() != nil {
				t.Errorf("%s\nerror %v, -want, +got:\n%s", tc.reason, w.Err(), diff)
			}
		})
	}
}

// TestDocument shows that data of a user stays as it is in a pipe and in a file.
func TestDocument(t *testing.T) {
	var out bytes.Buffer
	const text = "a: b # \u202e\r\n"
	if err := To(&out).Document([]byte(text)); err != nil || out.String() != text {
		t.Errorf("want %q, got %v and %q", text, err, out.String())
	}
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steps.sh")
	if err := WriteFile(path, []byte("a\x1b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "a?\n" {
		t.Errorf("want only text in a file, got %q and %v", got, err)
	}
}

// full is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestErr(t *testing.T) {
	w := To(full{})
	w.Printf("a")
	for what, err := range map[string]error{"Err": w.Err(), "JSON": w.JSON(1), "YAML": w.YAML(1), "Document": w.Document(nil)} {
		if !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: want the first error, got %v", what, err)
		}
	}
}

// longestKey that is tried.
const longestKey = 100

// FuzzData checks that JSON and YAML of any text are the same text, and only have characters that a terminal shows.
func FuzzData(f *testing.F) {
	for _, text := range []string{"", "a", "\x1b[2J", "\u202e", "\U000e0001", "\u009b", "\x7f", "\ufeff", "a\n\u200db: c\n", "# \u202e", "'\u2066", "\u0085", "\u2028", "- \u202e", "\uffff", "\ufffe", "\U0001ffff", "<<"} {
		f.Add("key", text)
		f.Add(text, "value")
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		if utf8.RuneCountInString(key) > longestKey {
			t.Skip("YAML reads at most 1,024 characters of a key, and ten may stand for one.")
		}
		value := map[string]any{strings.ToValidUTF8(key, ""): strings.ToValidUTF8(text, "")}
		asJSON, err := JSON(value, " ")
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := YAML(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range []string{asJSON, string(asYAML)} {
			if !isVisible(data) {
				t.Errorf("want only what a terminal shows, got %q", data)
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(data), &got); data == asJSON && err != nil {
				t.Fatalf("cannot read %q: %v", data, err)
			}
			if err := yaml.Unmarshal([]byte(data), &got); data != asJSON && err != nil {
				t.Fatalf("cannot read %q: %v", data, err)
			}
			if diff := cmp.Diff(value, got); diff != "" {
				t.Errorf("%q: -want, +got:\n%s", data, diff)
			}
		}
	})
}
