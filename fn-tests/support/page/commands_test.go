package page

import (
	"testing"
)

func TestFails(t *testing.T) {
	cases := map[string]struct {
		reason      string
		output      []string
		interrupted bool
		want        bool
	}{
		"Nothing":  {reason: "A command without an output succeeds."},
		"Error":    {reason: "A message with its severity is an error.", output: []string{"-:1: error: no"}, want: true},
		"NotReady": {reason: "The command why fails while a graph is not ready.", output: []string{"a/b is not ready ..."}, want: true},
		"Stopped":  {reason: "A command that is interrupted has not come to its end.", interrupted: true, want: true},
		"Ready":    {reason: "It ends well when the graph is ready.", output: []string{"a/b is ready"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (Command{Output: tc.output, Interrupted: tc.interrupted}).Fails(); got != tc.want {
				t.Errorf("%s\nwant %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestPrinted(t *testing.T) {
	cases := map[string]struct {
		reason string
		shown  []string
		out    string
		want   bool
	}{
		"Nothing":  {reason: "A page need not show an output.", out: "a", want: true},
		"Spaces":   {reason: "Columns may have other widths.", shown: []string{"A   B", "1 2"}, out: "A B\n1    2\n", want: true},
		"Part":     {reason: "A page may show a part.", shown: []string{"b"}, out: "a\nb\nc", want: true},
		"Anything": {reason: "Three dots stand for anything, also for nothing.", shown: []string{"... a ... c", "..."}, out: "a\nb\nc", want: true},
		"Lacking":  {reason: "What is shown must be there.", shown: []string{"a ... d"}, out: "a b c"},
		"Order":    {reason: "The parts come in the order of the page.", shown: []string{"b ... a"}, out: "a b"},
		"Number":   {reason: "What is shown twice is there twice.", shown: []string{"a ... a"}, out: "a b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if err := (Command{Output: tc.shown}).Printed(tc.out); (err == nil) != tc.want {
				t.Errorf("%s\ngot %v", tc.reason, err)
			}
		})
	}
}
