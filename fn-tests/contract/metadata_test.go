package contract

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestJudge shows that the rules find what an API server refuses.
func TestJudge(t *testing.T) {
	long := fmt.Sprintf("%064d", 1)
	object := func(apiVersion, kind, name string, spec map[string]any) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
		o.SetAPIVersion(apiVersion)
		o.SetKind(kind)
		o.SetName(name)
		o.SetNamespace("inference")
		return o
	}
	labelled := object("protection.crossplane.io/v1beta1", "Usage", "a", nil)
	labelled.SetLabels(map[string]string{"a": long})
	annotated := object("protection.crossplane.io/v1beta1", "Usage", "a", nil)
	annotated.SetAnnotations(map[string]string{"a": string(make([]byte, 256<<10))})
	cases := map[string]struct {
		reason string
		object *unstructured.Unstructured
		want   int
	}{
		"Good":        {reason: "Nothing is wrong with a good object.", object: object("v1", "Service", "a", map[string]any{"selector": map[string]any{"a": "b"}})},
		"ServiceName": {reason: "The name of a Service begins with a letter.", object: object("v1", "Service", "0", nil), want: 1},
		"LWSName":     {reason: "The name of a LeaderWorkerSet begins with a letter.", object: object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "0", map[string]any{"leaderWorkerTemplate": map[string]any{"workerTemplate": map[string]any{"spec": map[string]any{"containers": []any{}}}}}), want: 1},
		"OtherName":   {reason: "The names of other kinds may begin with a digit.", object: object("protection.crossplane.io/v1beta1", "Usage", "0", nil)},
		"Label":       {reason: "A label has 63 characters.", object: labelled, want: 1},
		"Annotations": {reason: "Annotations have 256 KiB together.", object: annotated, want: 1},
		"Selector":    {reason: "A selector is made of labels.", object: object("v1", "Service", "a", map[string]any{"selector": map[string]any{"a": long}}), want: 1},
		"Template": {
			reason: "The templates of pods have labels of 63 characters at most.",
			object: object("apps/v1", "Deployment", "a", map[string]any{"template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": long}}}}),
			want:   1,
		},
	}
	j := newJudge(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, len(j.broken(tc.object))); diff != "" {
				t.Errorf("%s\nbroken rules: -want, +got:\n%s%v", tc.reason, diff, j.broken(tc.object))
			}
		})
	}
}
