package rule

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestIsConsequence(t *testing.T) {
	const service = "spec.services[w]"
	unknown := func(path, detail string) *field.Error {
		return &field.Error{Type: field.ErrorTypeInvalid, Field: path, Detail: detail, Origin: string(UnknownField)}
	}
	image := &field.Error{Type: field.ErrorTypeRequired, Field: service + ".extraPodSpec.mainContainer.image"}
	cases := map[string]struct {
		reason string
		err    *field.Error
		other  *field.Error
		want   bool
	}{
		"Misplaced": {reason: "What is one level too high is not missing.", err: image, other: unknown(service+".image", "set it in extraPodSpec.mainContainer"), want: true},
		"Parent":    {reason: "The object that is in the wrong place may have the field.", err: image, other: unknown(service+".mainContainer", "set it in extraPodSpec"), want: true},
		"Misspelt":  {reason: "The name that was meant counts.", err: image, other: unknown(service+".extraPodSpec.mainContainer.imgae", `did you mean "image"?`), want: true},
		"NameBeside": {
			reason: "An item that is written as something else has no name.",
			err:    field.Required(field.NewPath("spec.envs[0].name"), ""), other: unknown("spec.envs[0].configMapRef", "use envFrom of the main container instead"), want: true,
		},
		"EmptyNameBeside": {
			reason: "The name that such an item does not have is not valid either.",
			err:    field.Invalid(field.NewPath("spec.envs.0.name"), "", "must be non-empty"), other: unknown("spec.envs.0.configMapRef", "use envFrom of the main container instead"), want: true,
		},
		"NameBesideNothing": {
			reason: "A field that is only to be removed says nothing of a name.",
			err:    field.Required(field.NewPath("spec.envs[0].name"), ""), other: unknown("spec.envs[0].x", "remove it"),
		},
		"NameOfObject": {
			reason: "What is not an item of a list needs its name.",
			err:    field.Required(field.NewPath("metadata.name"), ""), other: unknown("metadata.configMapRef", "set it elsewhere"),
		},
		"OtherField":  {reason: "Another field in the wrong place is another mistake.", err: image, other: unknown(service+".args", "set it in extraPodSpec.mainContainer")},
		"OtherObject": {reason: "A mistake in another service is another one.", err: image, other: unknown("spec.services[w2].image", "set it in extraPodSpec.mainContainer")},
		"WrongType": {
			reason: "A value that cannot be read may have anything.", err: image, want: true,
			other: &field.Error{Type: field.ErrorTypeInvalid, Field: service, Origin: string(WrongType)},
		},
		"Other": {reason: "An error of another kind hides no field.", err: image, other: &field.Error{Type: field.ErrorTypeInvalid, Field: service, Origin: string(Images)}},
		"Present": {
			reason: "Only what is missing is the consequence of something.", other: unknown(service+".image", "remove it"),
			err: &field.Error{Type: field.ErrorTypeInvalid, Field: image.Field},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := IsConsequence(tc.err, field.ErrorList{tc.other}); got != tc.want {
				t.Errorf("%s\nIsConsequence(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
}
