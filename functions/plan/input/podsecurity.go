package input

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// PodSecurityContext of pods whose user sets none, in the form of the plan. nil means the default, and one without fields means none.
func PodSecurityContext(in *v1alpha1.Input) *corev1.PodSecurityContext {
	given := in.PodSecurityContext
	switch given.Mode {
	case v1alpha1.PodSecurityNone:
		return &corev1.PodSecurityContext{}
	case v1alpha1.PodSecurityCustom:
		context := &corev1.PodSecurityContext{
			FSGroup: given.FSGroup, RunAsUser: given.RunAsUser, RunAsGroup: given.RunAsGroup, RunAsNonRoot: given.RunAsNonRoot,
			SupplementalGroups: given.SupplementalGroups,
		}
		if given.SeccompProfile != "" {
			context.SeccompProfile = &corev1.SeccompProfile{Type: corev1.SeccompProfileType(given.SeccompProfile)}
		}
		return context
	default:
		return nil
	}
}

func validatePodSecurityContext(path *field.Path, in *v1alpha1.PodSecurityContext) field.ErrorList {
	errs := oneOf(path.Child("mode"), in.Mode, []v1alpha1.PodSecurityMode{v1alpha1.PodSecurityDefault, v1alpha1.PodSecurityNone, v1alpha1.PodSecurityCustom})
	profiles := []v1alpha1.SeccompProfileType{v1alpha1.SeccompRuntimeDefault, v1alpha1.SeccompUnconfined}
	errs = append(errs, oneOf(path.Child("seccompProfile"), in.SeccompProfile, profiles)...)
	for _, given := range []struct {
		name string
		id   *int64
	}{{"fsGroup", in.FSGroup}, {"runAsUser", in.RunAsUser}, {"runAsGroup", in.RunAsGroup}} {
		if given.id != nil {
			errs = append(errs, validateID(path.Child(given.name), *given.id)...)
		}
	}
	given := *in
	if given.Mode = ""; in.Mode != v1alpha1.PodSecurityCustom && !equality.Semantic.DeepEqual(given, v1alpha1.PodSecurityContext{}) {
		errs = append(errs, field.Invalid(path.Child("mode"), in.Mode, "must be Custom, because the other fields have no effect otherwise; set it, or remove them"))
	}
	for i, id := range in.SupplementalGroups {
		errs = append(errs, validateID(path.Child("supplementalGroups").Index(i), id)...)
	}
	if in.RunAsNonRoot != nil && *in.RunAsNonRoot && in.RunAsUser != nil && *in.RunAsUser == 0 {
		errs = append(errs, field.Invalid(path.Child("runAsUser"), int64(0), "must not be 0, which is root, with runAsNonRoot; choose another user, or remove runAsNonRoot"))
	}
	return errs
}

// validateID of a user or a group, by the rule of the API server.
func validateID(path *field.Path, id int64) field.ErrorList {
	const most = 1<<31 - 1
	if id >= 0 && id <= most {
		return nil
	}
	return field.ErrorList{field.Invalid(path, id, "must be between 0 and 2147483647")}
}
