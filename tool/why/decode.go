package why

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// controllerOf an object. Empty if it has none.
func controllerOf(o metav1.Object) types.UID {
	return ptr.Deref(metav1.GetControllerOf(o), metav1.OwnerReference{}).UID
}

// withConditions is an object with conditions. Those of the scheduler KAI are in a list of their own.
type withConditions struct {
	Status struct {
		Phase                string             `json:"phase"`
		Conditions           []metav1.Condition `json:"conditions"`
		SchedulingConditions []metav1.Condition `json:"schedulingConditions"`
	} `json:"status"`
}

// conditionsOf an object. None if it cannot be decoded.
func conditionsOf(object *unstructured.Unstructured) withConditions {
	decoded := withConditions{}
	if err := preview.Decode(object, &decoded); err != nil {
		return withConditions{}
	}
	return decoded
}

// oneLine is a text of the cluster as part of a line at a terminal: without line breaks and other characters that control it.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// longest message that is shown in full.
const longest = 600

// brief is a text of the cluster in one line that is not too long.
func brief(text string) string {
	runes := []rune(oneLine(text))
	if len(runes) > longest {
		return string(runes[:longest]) + " ..."
	}
	return string(runes)
}

func sortedReferences[V any](m map[preview.Reference]V) []preview.Reference {
	return slices.SortedFunc(maps.Keys(m), func(a, b preview.Reference) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.APIVersion, b.APIVersion), strings.Compare(a.Namespace, b.Namespace))
	})
}
