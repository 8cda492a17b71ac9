package contract

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crds"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/definitions"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/schema"
)

// judge says what an API server would refuse in objects.
type judge struct{ installed schema.Set }

func newJudge(t testing.TB) judge {
	t.Helper()
	return judge{definitions.Load(t, "grove-v0.1.0-alpha.12-rc1", "lws-v0.10.0", "volcano-v1.15.1", "nvidia-dra-v0.4.0")}
}

// broken rules of an object: its schema where that is known, its name, and its labels and annotations, also those of the
// templates and the selectors in it.
func (j judge) broken(object *unstructured.Unstructured) []string {
	var broken []string
	switch _, known := j.installed[object.GroupVersionKind()]; {
	case clientscheme.Scheme.Recognizes(object.GroupVersionKind()):
		broken = append(broken, crds.BuiltInResource(object)...)
	case known:
		for _, err := range j.installed.Validate(object) {
			broken = append(broken, err.Error())
		}
	}
	var errs field.ErrorList
	for _, problem := range nameRules(object.GetKind())(object.GetName(), false) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), object.GetName(), problem))
	}
	errs = append(errs, metadataRules(object.Object, nil)...)
	for _, err := range errs {
		broken = append(broken, err.Error())
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// nameRules of a kind. The headless Service of a LeaderWorkerSet has its name.
func nameRules(kind string) validation.ValidateNameFunc {
	switch kind {
	case "Service", "LeaderWorkerSet":
		return validation.NameIsDNS1035Label
	default:
		return validation.NameIsDNSSubdomain
	}
}

// metadataRules for all labels, selectors and annotations in a tree.
func metadataRules(tree any, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch tree := tree.(type) {
	case []any:
		for i, item := range tree {
			errs = append(errs, metadataRules(item, path.Index(i))...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			at := path.Child(key)
			texts, ok := textsOf(tree[key])
			switch {
			case !ok:
				errs = append(errs, metadataRules(tree[key], at)...)
			case key == "labels", key == "matchLabels", key == "selector", key == "nodeSelector":
				errs = append(errs, metavalidation.ValidateLabels(texts, at)...)
			case key == "annotations":
				errs = append(errs, validation.ValidateAnnotations(texts, at)...)
			}
		}
	}
	return errs
}

// textsOf a map that holds nothing but texts.
func textsOf(tree any) (map[string]string, bool) {
	fields, ok := tree.(map[string]any)
	texts := make(map[string]string, len(fields))
	for key, value := range fields {
		text, isText := value.(string)
		texts[key], ok = text, ok && isText
	}
	return texts, ok
}
