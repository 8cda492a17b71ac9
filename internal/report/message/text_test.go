package message

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// loud words are in capitals, so that a text shows what was worded.
type loud struct{}

func (loud) Field(path string) string { return strings.ToUpper(path) }

func (loud) Word(term string) string { return strings.ToUpper(term) }

func TestIn(t *testing.T) {
	const braces = "{{service}} 100%d"
	cases := map[string]struct {
		reason string
		text   Text
		want   string
	}{
		"Word":       {reason: "A word of the format is worded.", text: Format("the {{service}} is new"), want: "the SERVICE is new"},
		"Path":       {reason: "A path in the format is worded as a path.", text: Format("set {{spec.pvcs}}"), want: "set SPEC.PVCS"},
		"User":       {reason: "What a user wrote stays as it is, whatever it looks like.", text: Format("value %s", braces), want: "value " + braces},
		"Plain":      {reason: "A text that is the same in all forms is not worded.", text: Plain(braces), want: braces},
		"FieldPath":  {reason: "A path among the arguments is worded.", text: Format("see %s", field.NewPath("spec", "a")), want: "see SPEC.A"},
		"Nested":     {reason: "A text in a text is worded once.", text: Format("no: %s", Format("the {{service}} %s", braces)), want: "no: the SERVICE " + braces},
		"Error":      {reason: "An error can be a text.", text: Format("no: %s", Error("{{service}} %d", 1)), want: "no: SERVICE 1"},
		"Wrapped":    {reason: "What an error is wrapped in is not lost.", text: Format("no: %s", fmt.Errorf("wrapped: %w", Error("{{service}} %d", 1))), want: "no: wrapped: service 1"},
		"OtherError": {reason: "Other errors are written as they are.", text: Format("no: %s", errors.New(braces)), want: "no: " + braces},
		"Joined":     {reason: "Each of several texts is worded.", text: Join([]Text{Format("{{a}}"), Plain("b")}, " 100% "), want: "A 100% b"},
		"Percent":    {reason: "A percent sign in a format is written twice.", text: Format("100%% of {{a}}"), want: "100% of A"},
		"First":      {reason: "A text that is not there says nothing.", text: First(Text{}, Optional(""), Optional("b")), want: "b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.text.In(loud{})); diff != "" {
				t.Errorf("%s\nIn(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestRemedy(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   Text
		want   string
	}{
		"Last":     {reason: "The remedy follows the last semicolon.", text: Format("a; b; set {{a}}"), want: "set A"},
		"Argument": {reason: "The remedy has its own arguments.", text: Format("%s is %d; set %s", "a; x", 1, "b; y"), want: "set b; y"},
		"Width":    {reason: "A verb may have a width.", text: Format("%3d%% of %-5s; set %s", 1, "x", "b"), want: "set b"},
		"Index":    {reason: "Verbs with an index refer to all arguments.", text: Format("%[2]s; set %[1]s", "a", "b"), want: "set a"},
		"Nested":   {reason: "A text at the end has the remedy.", text: Format("no: %s", Format("a; set {{a}}")), want: "set A"},
		"Plain":    {reason: "Errors of Kubernetes end with their remedy, too.", text: Plain("wrong; remove it"), want: "remove it"},
		"None":     {reason: "Not every message has one.", text: Format("%s is wrong", "a; b")},
		"Number":   {reason: "A number has none.", text: Format("%d", 1)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.text.Remedy(loud{})); diff != "" {
				t.Errorf("%s\nRemedy(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
