package input

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/validate"
)

// validateProfiles of the input. Graphs name profiles and domains, Volcano and KAI know the labels: none may be duplicated.
func validateProfiles(path *field.Path, profiles []v1alpha1.TopologyProfile) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, profile := range profiles {
		fieldPath := path.Index(i)
		if profile.Name == "" {
			errs = append(errs, field.Required(fieldPath.Child("name"), "specify the name that graphs use in topologyConstraint.topologyProfile"))
		}
		errs = append(errs, objectName(fieldPath.Child("name"), profile.Name)...)
		errs = append(errs, once(fieldPath.Child("name"), profile.Name, seen)...)
		errs = append(errs, validateLevels(fieldPath.Child("levels"), profile.Levels)...)
	}
	return errs
}

// mostPodLabels is as many as the schema allows.
const mostPodLabels = 100

// validatePodLabels refuses names that no label has.
func validatePodLabels(path *field.Path, keys []string) field.ErrorList {
	if len(keys) > mostPodLabels {
		return field.ErrorList{field.TooMany(path, len(keys), mostPodLabels)}
	}
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, key := range keys {
		errs = append(errs, malformed(path.Index(i), key, validation.IsQualifiedName(key))...)
		errs = append(errs, once(path.Index(i), key, seen)...)
	}
	return errs
}

func validateLevels(path *field.Path, levels []v1alpha1.TopologyLevel) field.ErrorList {
	var errs field.ErrorList
	if len(levels) == 0 {
		errs = append(errs, field.Required(path, "specify at least one level, broadest first"))
	}
	domains, keys := map[string]bool{}, map[string]bool{}
	for i, level := range levels {
		fieldPath := path.Index(i)
		errs = append(errs, malformed(fieldPath.Child("domain"), level.Domain, validate.Domain(level.Domain))...)
		errs = append(errs, malformed(fieldPath.Child("key"), level.Key, validation.IsQualifiedName(level.Key))...)
		errs = append(errs, once(fieldPath.Child("domain"), level.Domain, domains)...)
		errs = append(errs, once(fieldPath.Child("key"), level.Key, keys)...)
	}
	return errs
}

// once refuses a value that was seen before.
func once(path *field.Path, value string, seen map[string]bool) field.ErrorList {
	if value != "" && seen[value] {
		return field.ErrorList{field.Duplicate(path, value)}
	}
	seen[value] = true
	return nil
}

func validateVolcanoTopology(path *field.Path, in *v1alpha1.Volcano) field.ErrorList {
	errs := oneOf(path.Child("topologyDialect"), in.TopologyDialect, []v1alpha1.VolcanoTopologyDialect{
		v1alpha1.VolcanoDialectAuto, v1alpha1.VolcanoDialectTierName, v1alpha1.VolcanoDialectTier,
	})
	for _, domain := range slices.Sorted(maps.Keys(in.Tiers)) {
		errs = append(errs, malformed(path.Child("tiers"), domain, validate.Domain(domain))...)
		if tier := in.Tiers[domain]; tier < 1 {
			errs = append(errs, field.Invalid(path.Child("tiers").Key(domain), tier, "must be at least 1, which is the tier of the narrowest HyperNodes"))
		}
	}
	return errs
}
