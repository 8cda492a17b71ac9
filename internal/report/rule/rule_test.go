package rule

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestRules checks that each rule is documented, and that codes and names are unique and in order.
func TestRules(t *testing.T) {
	names := map[string]bool{}
	last := Code("")
	for _, r := range Rules() {
		if !regexp.MustCompile(`^DGD\d{3}$`).MatchString(string(r.Code)) || r.Code <= last {
			t.Errorf("%s follows %s", r.Code, last)
		}
		last = r.Code
		if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(r.Name) || names[r.Name] {
			t.Errorf("%s: the name %q is not valid or not unique", r.Code, r.Name)
		}
		names[r.Name] = true
		if r.Title == "" || r.Wrong == "" || r.Remedy == "" {
			t.Errorf("%s has no title, explanation or remedy", r.Code)
		}
		// What the functions compose from a graph that they accept is valid, as far as is known.
		if isOfFunctions := r.Code == ComposedObject || r.Code == Refused; len(r.Samples) == 0 && !isOfFunctions {
			t.Errorf("%s has no example", r.Code)
		}
		for _, sample := range r.Samples {
			if sample.Wrong == "" || sample.Right == "" || sample.Wrong == sample.Right {
				t.Errorf("%s: want an example that is wrong beside one that is right, got %+v", r.Code, sample)
			}
		}
		if got, ok := Of(r.Code); !ok || got.Name != r.Name {
			t.Errorf("Of(%s) is %v", r.Code, got)
		}
	}
	if _, ok := Of("DGD000"); ok {
		t.Error("want no rule DGD000")
	}
}

func TestMark(t *testing.T) {
	path := field.NewPath("spec")
	errs := field.ErrorList{
		field.Invalid(path, 1, "x"), field.TypeInvalid(path, 1, "must be a string"), field.Required(path, "must be specified"),
		field.Invalid(path, 1, "must be a quantity"), field.Invalid(path, 1, "format").WithOrigin("format=dns"), field.Invalid(path, 1, "marked").WithOrigin(string(Probes)),
	}
	for _, e := range errs[:4] {
		Mark(OfDecoded(e, e == errs[0]), field.ErrorList{e})
	}
	Mark(Labels, errs)
	var got []Code
	for _, e := range errs {
		got = append(got, CodeOf(e))
	}
	want := []Code{UnknownField, WrongType, MissingField, WrongFormat, Labels, Probes}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("codes: -want, +got:\n%s", diff)
	}
	if got := CodeOf(field.Invalid(path, 1, "unmarked")); got != Schema {
		t.Errorf("want an error of no rule to be one of the schema, got %s", got)
	}
}
