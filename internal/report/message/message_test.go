package message

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
)

func TestMessage(t *testing.T) {
	path := field.NewPath("spec", "a")
	cases := map[string]struct {
		reason  string
		message *Message
		want    string
	}{
		"Because":      {reason: "A message may be about no field.", message: Because("the {{service}} is new"), want: "the SERVICE is new"},
		"About":        {reason: "A message begins with its field.", message: About(path, "has no effect"), want: "SPEC.A: has no effect"},
		"Invalid":      {reason: "What is wrong with a value is said as Kubernetes says it.", message: Invalid(path, "x", "set {{a}}"), want: `SPEC.A: Invalid value: "x": set A`},
		"Hidden":       {reason: "A value that may not be shown is not.", message: Invalid(path, field.OmitValueType{}, "is wrong"), want: "SPEC.A: Invalid value: is wrong"},
		"Forbidden":    {reason: "A field may be forbidden.", message: Forbidden(path, "is %s", "wrong"), want: "SPEC.A: Forbidden: is wrong"},
		"Required":     {reason: "A field may be missing.", message: Required(path, "set it"), want: "SPEC.A: Required value: set it"},
		"NotSupported": {reason: "The supported values are named.", message: NotSupported(path, "x", []string{"y"}), want: `SPEC.A: Unsupported value: "x": supported values: "y"`},
		"TooMany":      {reason: "Lists have limits.", message: TooMany(path, 3, 2), want: "SPEC.A: Too many: 3: must have at most 2 items"},
		"Internal":     {reason: "Not every error is one of the user.", message: Internal(path, errors.New("no")), want: "SPEC.A: Internal error: no"},
		"Lines":        {reason: "What a user wrote does not look like another message.", message: About(path.Key("a\nb"), "%s", "c\td"), want: "SPEC.A[A B]: c d"},
		"Written":      {reason: "An error of the decoder names the field as it is.", message: Of(field.Required(path, "set it")), want: "spec.a: Required value: set it"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.message.In(loud{})); diff != "" {
				t.Errorf("%s\nIn(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestMark shows that a message is of the first rule by which it is marked.
func TestMark(t *testing.T) {
	path := field.NewPath("spec")
	of := Of(field.Invalid(path, 1, "x").WithOrigin("format=dns"))
	marked := Of(field.Invalid(path, 1, "x").WithOrigin(string(rule.Probes)))
	var got []rule.Code
	for _, m := range (List{Because("a"), of, marked}).Mark(rule.Labels).Mark(rule.Schema) {
		got = append(got, m.Code)
	}
	if diff := cmp.Diff([]rule.Code{rule.Labels, rule.Labels, rule.Probes}, got); diff != "" {
		t.Errorf("Mark(...): -want, +got:\n%s", diff)
	}
}

// TestSorted shows that messages are sorted by their texts, each once.
func TestSorted(t *testing.T) {
	list := List{Because("b"), About(field.NewPath("a"), "x"), Because("b")}
	if diff := cmp.Diff([]string{"A: x", "b"}, list.Sorted(loud{}).Texts(loud{})); diff != "" {
		t.Errorf("Sorted(...): -want, +got:\n%s", diff)
	}
}

// TestBounded shows that a list that is too long to read ends with how many messages it lacks.
func TestBounded(t *testing.T) {
	var list List
	for range maxErrors + 2 {
		list = append(list, Invalid(field.NewPath("spec", "b"), 1, "x"))
	}
	got := append(list, Invalid(field.NewPath("spec", "a"), 1, "first")).Bounded(field.NewPath("spec"), Components{})
	want := []string{"spec.a: Invalid value: 1: first", "spec: Invalid value: 3 more errors are not shown; fix these first"}
	if diff := cmp.Diff(want, []string{got[0].String(), got[maxErrors].String()}); diff != "" || len(got) != maxErrors+1 {
		t.Errorf("Bounded(...): want %d messages, got %d: -want, +got:\n%s", maxErrors+1, len(got), diff)
	}
}

// TestNotSupportedAsksForWords misspells each word of a fixed set, in case and by a letter.
func TestNotSupportedAsksForWords(t *testing.T) {
	words := []string{"decode", "epp", "frontend", "planner", "prefill", "worker"}
	for _, word := range words {
		for _, written := range []string{strings.ToUpper(word), strings.ToUpper(word[:1]) + word[1:], word + "s", word[:1] + word} {
			want := fmt.Sprintf("did you mean %q?", word)
			if got := NotSupported(field.NewPath("type"), written, words); !strings.HasSuffix(got.String(), want) || got.Detail.Remedy(Components{}) != want {
				t.Errorf("NotSupported(%q): want the remedy %q, got %q", written, want, got)
			}
		}
	}
	for _, written := range []string{"", "router", "encode", "x", "ep"} {
		if got := NotSupported(field.NewPath("type"), written, words).String(); strings.Contains(got, "did you mean") {
			t.Errorf("NotSupported(%q): want no guess, got %q", written, got)
		}
	}
}

// TestWithoutPattern asks Kubernetes about values that are no names, and expects sentences that people read.
func TestWithoutPattern(t *testing.T) {
	for name, judge := range map[string]func(string) []string{
		"DNS1123Label": validation.IsDNS1123Label, "DNS1123Subdomain": validation.IsDNS1123Subdomain, "DNS1035Label": validation.IsDNS1035Label,
		"QualifiedName": func(s string) []string { return validation.IsQualifiedName(s) }, "LabelValue": validation.IsValidLabelValue, "EnvVar": validation.IsEnvVarName,
		"ConfigMapKey": validation.IsConfigMapKey, "HTTPHeader": validation.IsHTTPHeaderName, "PortName": validation.IsValidPortName,
	} {
		problems := judge("${NAME} /")
		if len(problems) == 0 {
			t.Errorf("%s: the value is valid", name)
		}
		for _, problem := range problems {
			if got := WithoutPattern(problem); strings.Contains(got, "regex") || strings.ContainsAny(got, "[]*") || strings.Count(got, "(") != strings.Count(got, ")") {
				t.Errorf("%s: want a sentence without a pattern, got %q", name, got)
			}
		}
	}
	if got := Of(field.Invalid(field.NewPath("metadata", "name"), "A", validation.IsDNS1123Label("A")[0])).String(); strings.Contains(got, "regex") {
		t.Errorf("Of(...): want no pattern, got %q", got)
	}
}
