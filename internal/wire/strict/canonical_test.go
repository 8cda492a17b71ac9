package strict

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestAppendCanonical(t *testing.T) {
	amounts := func(texts ...string) corev1.ResourceList {
		list := corev1.ResourceList{}
		for i, text := range texts {
			list[corev1.ResourceName(rune('a'+i))] = resource.MustParse(text)
		}
		return list
	}
	cases := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"Nothing":   {reason: "A value of no type is null.", value: nil, want: `null`},
		"Sorted":    {reason: "Fields are sorted by name, whatever their order in Go is.", value: corev1.Container{Name: "n", Image: "i", Args: []string{"b", "a"}}, want: `{"args":["b","a"],"image":"i","name":"n"}`},
		"Flattened": {reason: "Fields of an embedded struct are those of the outer one.", value: corev1.Volume{Name: "n", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}, want: `{"emptyDir":{},"name":"n"}`},
		"Empty":     {reason: "An empty list, an empty map and a struct that holds nothing else say nothing.", value: corev1.Container{Args: []string{}, Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{}}}, want: `{}`},
		"Pointers":  {reason: "A pointer says something also where it points to a zero value.", value: corev1.PodSpec{HostUsers: new(bool), SecurityContext: &corev1.PodSecurityContext{}, Priority: new(int32)}, want: `{"hostUsers":false,"priority":0,"securityContext":{}}`},
		"EmptyList": {reason: "A pointer to an empty list is not a list that is absent.", value: struct {
			Args *[]string `json:"args"`
			More *[]string `json:"more"`
		}{Args: &[]string{}}, want: `{"args":[]}`},
		"Items":      {reason: "Items of a list and entries of a map are there also where they say nothing.", value: corev1.PodSpec{Tolerations: []corev1.Toleration{{}}, NodeSelector: map[string]string{"b": "", "a": "x"}}, want: `{"nodeSelector":{"a":"x","b":""},"tolerations":[{}]}`},
		"Quantities": {reason: "Equal quantities are equal however they are written.", value: amounts("1000m", "1", "1Gi", "1073741824", "1e3", "1k", "0.5", "500m", "0"), want: `{"a":"1","b":"1","c":"1073741824","d":"1073741824","e":"1k","f":"1k","g":"500m","h":"500m","i":"0"}`},
		"NoQuantity": {reason: "A quantity of nothing in a field is an absent one.", value: corev1.ResourceFieldSelector{Resource: "r", Divisor: resource.MustParse("0")}, want: `{"resource":"r"}`},
		"NoTime":     {reason: "A time that is absent says nothing.", value: metav1.ObjectMeta{Name: "n"}, want: `{"name":"n"}`},
		"Leaves":     {reason: "A number or text is what it is.", value: []intstr.IntOrString{intstr.FromInt32(1), intstr.FromString("1")}, want: `[1,"1"]`},
		"Bytes":      {reason: "Bytes are base64.", value: map[string][]byte{"a": []byte("x")}, want: `{"a":"eA=="}`},
		"Text":       {reason: "Text is quoted so that no two texts look the same.", value: []string{"a\"b\\c\n\x00ü<\xff"}, want: "[\"a\\\"b\\\\c\\u000a\\u0000ü<\xff\"]"},
		"Pointer":    {reason: "What a pointer points to is encoded.", value: new(int64(-3)), want: `-3`},
		"Nil":        {reason: "A pointer to nothing in a list is null.", value: []*bool{nil, new(true)}, want: `[null,true]`},
		"Fraction":   {reason: "A fraction has as few digits as tell it from its neighbours.", value: 0.1, want: `0.1`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := AppendCanonical([]byte("before:"), tc.value)
			if err != nil {
				t.Fatalf("%s\nAppendCanonical(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff("before:"+tc.want, string(got)); diff != "" {
				t.Errorf("%s\nAppendCanonical(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestAppendCanonicalRefuses(t *testing.T) {
	if got, err := AppendCanonical(nil, []any{make(chan int)}); err == nil {
		t.Errorf("AppendCanonical(...): want an error for a type that JSON does not have, got %s", got)
	}
}
