package message

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/rule"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/strict"
)

func TestIsConsequence(t *testing.T) {
	const component = "spec.services[w]"
	unknown := func(path string, about strict.Unknown) *Message {
		return &Message{Problem: field.ErrorTypeInvalid, Field: path, Code: rule.UnknownField, Unknown: about}
	}
	moved, useless := strict.Unknown{}, strict.Unknown{Useless: true}
	image := &Message{Problem: field.ErrorTypeRequired, Field: component + ".extraPodSpec.mainContainer.image"}
	cases := map[string]struct {
		reason string
		err    *Message
		other  *Message
		want   bool
	}{
		"Misplaced": {reason: "What is one level too high is not missing.", err: image, other: unknown(component+".image", moved), want: true},
		"Parent":    {reason: "The object that is in the wrong place may have the field.", err: image, other: unknown(component+".mainContainer", moved), want: true},
		"Misspelt":  {reason: "The name that was meant counts.", err: image, other: unknown(component+".extraPodSpec.mainContainer.imgae", strict.Unknown{Meant: "image"}), want: true},
		"Moved": {
			reason: "What belongs in another field may have what is missing there.", err: image, want: true,
			other: unknown(component+".extraPodSpec.mainContainers", strict.Unknown{MovedTo: "mainContainer"}),
		},
		"NameBeside": {
			reason: "An item that is written as something else has no name.",
			err:    Required(field.NewPath("spec.envs[0].name"), ""), other: unknown("spec.envs[0].configMapRef", moved), want: true,
		},
		"EmptyNameBeside": {
			reason: "The name that such an item does not have is not valid either.",
			err:    Invalid(field.NewPath("spec.envs.0.name"), "", "must be non-empty"), other: unknown("spec.envs.0.configMapRef", moved), want: true,
		},
		"NameBesideNothing": {
			reason: "A field that is only to be removed says nothing of a name.",
			err:    Required(field.NewPath("spec.envs[0].name"), ""), other: unknown("spec.envs[0].x", useless),
		},
		"NameOfObject": {
			reason: "What is not an item of a list needs its name.",
			err:    Required(field.NewPath("metadata.name"), ""), other: unknown("metadata.configMapRef", moved),
		},
		"OtherField":  {reason: "Another field in the wrong place is another mistake.", err: image, other: unknown(component+".args", moved)},
		"OtherObject": {reason: "A mistake in another service is another one.", err: image, other: unknown("spec.services[w2].image", moved)},
		"WrongType": {
			reason: "A value that cannot be read may have anything.", err: image, want: true,
			other: &Message{Problem: field.ErrorTypeInvalid, Field: component, Code: rule.WrongType},
		},
		"Other": {reason: "An error of another kind hides no field.", err: image, other: &Message{Problem: field.ErrorTypeInvalid, Field: component, Code: rule.Images}},
		"Present": {
			reason: "Only what is missing is the consequence of something.", other: unknown(component+".image", useless),
			err: &Message{Problem: field.ErrorTypeInvalid, Field: image.Field},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.err.IsConsequence(List{tc.other}); got != tc.want {
				t.Errorf("%s\nIsConsequence(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}

func TestIsWithin(t *testing.T) {
	at := func(path string) *Message { return &Message{Problem: field.ErrorTypeInvalid, Field: path} }
	cases := map[string]struct {
		reason   string
		decoding string
		keep     []string
		drop     []string
	}{
		"Field": {
			reason:   "Nothing more is said about a field that cannot be read, nor about what is below it.",
			decoding: "spec.services[A].envs",
			keep:     []string{"spec.services[A]", "spec.services[AB].envs", "spec.envs"},
			drop:     []string{"spec.services[A].envs", "spec.services[A].envs[0].name"},
		},
		"Prefix": {
			reason:   "A field whose name begins alike is another: a typo must not hide what is wrong with the field that was meant.",
			decoding: "spec.services[A].replica",
			keep:     []string{"spec.services[A].replicas"},
		},
		"Object": {
			reason:   "Nothing more is said about a spec that is not an object.",
			decoding: "spec",
			keep:     []string{"metadata.name", "specs"},
			drop:     []string{"spec.services", "spec[x]"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, path := range append(tc.keep, tc.drop...) {
				if !at(path).IsWithin(List{at(tc.decoding)}) {
					got = append(got, path)
				}
			}
			if diff := cmp.Diff(tc.keep, got); diff != "" {
				t.Errorf("%s\nIsWithin(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
