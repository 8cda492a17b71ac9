package document

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	type document struct {
		Text   string
		Before int
		Empty  bool
	}
	cases := map[string]struct {
		reason string
		data   string
		want   []document
	}{
		"One":       {reason: "A stream without separators is one document.", data: "a: 1\n", want: []document{{Text: "a: 1\n"}}},
		"Two":       {reason: "A separator begins a document.", data: "a: 1\n---\nb: 2\n", want: []document{{Text: "a: 1\n"}, {Text: "---\nb: 2\n", Before: 1}}},
		"First":     {reason: "The first document may have a separator.", data: "---\na: 1\n", want: []document{{Text: "---\na: 1\n"}}},
		"Content":   {reason: "A separator may be followed by content.", data: "a: 1\n--- {b: 2}\n", want: []document{{Text: "a: 1\n"}, {Text: "--- {b: 2}\n", Before: 1}}},
		"Comments":  {reason: "Comments are no content.", data: "# a\n---\n# b\n...\n", want: []document{{Text: "# a\n", Empty: true}, {Text: "---\n# b\n...\n", Before: 1, Empty: true}}},
		"Dashes":    {reason: "A line of more dashes is content.", data: "a: |\n----\n", want: []document{{Text: "a: |\n----\n"}}},
		"NoLineEnd": {reason: "The last line needs no end.", data: "a: 1\n---", want: []document{{Text: "a: 1\n"}, {Text: "---", Before: 1, Empty: true}}},
		"JSON":      {reason: "Objects of JSON follow each other, also in one line.", data: "{\"a\": 1}\n{\"b\":\n2} {}\n", want: []document{{Text: "{\"a\": 1}"}, {Text: "{\"b\":\n2}", Before: 1}, {Text: "{}", Before: 2}}},
		"Flow":      {reason: "A mapping in braces need not be JSON.", data: "{a: 1}\n---\n{\"b\": 2}\n", want: []document{{Text: "{a: 1}\n"}, {Text: "---\n{\"b\": 2}\n", Before: 1}}},
		"Nothing":   {reason: "Nothing is one empty document.", want: []document{{Empty: true}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []document
			for _, d := range Split([]byte(tc.data)) {
				got = append(got, document{Text: string(d.Text), Before: d.Before, Empty: d.IsEmpty()})
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nSplit(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestReadStrict(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   any
		err    string
	}{
		"Scalars":  {reason: "Values have the types of JSON, and those of YAML 1.1.", text: "{a: 1, b: yes, c: 0.5, d: null, e: '1'}", want: map[string]any{"a": int64(1), "b": true, "c": 0.5, "d": nil, "e": "1"}},
		"JSON":     {reason: "JSON is YAML.", text: "{\n\t\"a\": [1]\n}", want: map[string]any{"a": []any{int64(1)}}},
		"Ended":    {reason: "A document may say that it ends.", text: "a: 1\n...\n# b\n", want: map[string]any{"a": int64(1)}},
		"After":    {reason: "What follows the end of a document would be lost.", text: "a: 1\n...\nb: 2\n", err: "line 7: more content follows the end of the document, and would be lost; begin each document with a line ---"},
		"Garbage":  {reason: "So would what follows an object.", text: "{\"a\": 1}\nb\n", err: "line 6: more content follows the end of the document, and would be lost; begin each document with a line ---"},
		"Indented": {reason: "What follows a first line with more indentation would be lost.", text: " a: 1\nb: 2\n", err: "line 5: cannot parse YAML: this line is indented more than what follows, which would be lost; indent both equally"},
		"Anchors":  {reason: "An alias has the value of its anchor.", text: "a: &a {b: 1}\nc: *a\n", want: map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(1)}}},
		"Merged":   {reason: "A mapping has the keys that are merged into it.", text: "a: &a {b: 1}\nc: {<<: *a}\n", want: map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(1)}}},
		"Override": {reason: "A key takes precedence over one that is merged, and is not set twice.", text: "a: &a {b: 1}\nc: {<<: *a, b: 2}\n", want: map[string]any{"a": map[string]any{"b": int64(1)}, "c": map[string]any{"b": int64(2)}}},
		"Before": {
			reason: "A key is not merged over one that comes first, as kubectl does, which nobody means.", text: "a: &a {b: 1}\nc: {b: 2, <<: *a}\n",
			err: "line 6: this merges key \"b\" over the key in line 6, whose value is lost; move << to the beginning of the mapping",
		},
		"BeforeSeveral": {
			reason: "Merged mappings may merge others.", text: "a: &a {b: 1}\nd: &d {<<: [*a], e: 1}\nc:\n  b: 2\n  <<: *d\n",
			err: "line 9: this merges key \"b\" over the key in line 8, whose value is lost; move << to the beginning of the mapping",
		},
		"Several": {
			reason: "Of several mappings that are merged, the first one takes precedence.", text: "a: &a {b: 1}\nd: &d {b: 3, e: 4}\nc: {<<: [*a, *d], e: 5}\n",
			want: map[string]any{"a": map[string]any{"b": int64(1)}, "d": map[string]any{"b": int64(3), "e": int64(4)}, "c": map[string]any{"b": int64(1), "e": int64(5)}},
		},
		"Empty": {reason: "A comment has no value.", text: "# a\n"},
		"Twice": {
			reason: "Of two keys, one value would be lost. All such keys are named.", text: "a: 1\nb: {c: 1,\n  c: 2}\na: 2\n",
			err: "line 7: key \"c\" is already set in line 6, and one of the two values is lost; remove one of them\n" +
				"line 8: key \"a\" is already set in line 5, and one of the two values is lost; remove one of them",
		},
		"NotYAML": {reason: "A document that cannot be parsed has the line in the stream.", text: "a: 1\nb: [\n", err: "line 6: cannot parse YAML: did not find expected node content"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Document{Text: []byte(tc.text), Before: 4}.ReadStrict()
			if err != nil || tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("%s\nReadStrict(): want error %q, got %v", tc.reason, tc.err, err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got.Value); diff != "" {
				t.Errorf("%s\nReadStrict(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// FuzzRead checks that nothing breaks the reader, and that every line that it names is one of the stream.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a: 1\n---\nb: [", "a: &a {b: 1}\nc: {<<: *a, b: 2}\n", "a: &a [*a]", "? [a]\n: b\n", "\xef\xbb\xbf{}", "a: 1\na: 2\n", "--- {}\n---\n%YAML 1.1\n---\n", "&a]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// Parsers also count other characters than these as the ends of lines.
		lines := 1 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + strings.Count(string(data), "\xe2\x80") + strings.Count(string(data), "\xc2\x85")
		for _, d := range Split(data) {
			content, err := d.Read()
			if err != nil {
				var unreadable *Error
				if !errors.As(err, &unreadable) || unreadable.Line < 1 || unreadable.Line > lines {
					t.Errorf("Read(): want an error with a line of the stream, got %v", err)
				}
				continue
			}
			if content.Root == nil {
				continue
			}
			for _, duplicate := range d.Duplicates(content.Root) {
				if duplicate.Line < 1 || duplicate.Line > lines {
					t.Errorf("Duplicates(): line %d is not in the stream", duplicate.Line)
				}
			}
		}
	})
}
