package condition

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestJoin(t *testing.T) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("m%d", i)
	}
	long := make([]string, 50)
	for i := range long {
		long[i] = strings.Repeat("x", 1000)
	}
	cases := map[string]struct {
		reason   string
		messages []string
		want     string
	}{
		"None": {reason: "No messages make an empty text.", want: ""},
		"Some": {reason: "A few messages are all in the text.", messages: []string{"one", "two"}, want: "one; two"},
		"Many": {
			reason:   "Of many messages those that are left out are counted.",
			messages: many,
			want:     strings.Join(many[:60], "; ") + "; and 940 more",
		},
		"Long": {
			reason:   "Of long messages fewer are in the text.",
			messages: long,
			want:     strings.Join(long[:24], "; ") + "; and 26 more",
		},
		"Control": {
			reason:   "What would make a terminal do something is not sent to one: colors, bells, and text that runs backwards.",
			messages: []string{"host \x1b[31mpay\u202e\a"},
			want:     "host ?[31mpay??",
		},
		"Lines": {
			reason:   "A message is one line: a text of a user in it cannot look like another message.",
			messages: []string{"é\tü\nö"},
			want:     "é ü ö",
		},
		"OneLong": {
			reason:   "A long message is cut in the middle: its beginning says what is wrong, and its end what to do about it.",
			messages: []string{"begin" + strings.Repeat("x", 1<<20) + "end"},
			want:     "begin" + strings.Repeat("x", 507) + " ... " + strings.Repeat("x", 509) + "end",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Join(tc.messages)); diff != "" {
				t.Errorf("%s\nJoin(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestJoinKeepsCharactersWhole(t *testing.T) {
	for n := range 4 {
		if got := Join([]string{strings.Repeat("x", n) + strings.Repeat("€", 1000)}); !utf8.ValidString(got) || len(got) > 1100 {
			t.Errorf("Join(...): want a short message of whole characters, got %q", got)
		}
	}
}
