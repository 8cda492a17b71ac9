package graph

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
)

// namesOf the fields in the JSON of a type.
func namesOf(t reflect.Type) []string {
	var names []string
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// TestPlaces sets each field of a pod and of a container one level too high or more: the place of all of them is known.
func TestPlaces(t *testing.T) {
	parents := map[string]struct {
		reason         string
		parent         reflect.Type
		pod, container string
	}{
		"Service":     {reason: "A service has its pod in extraPodSpec.", parent: reflect.TypeFor[v1alpha1.Service](), pod: "extraPodSpec", container: "extraPodSpec.mainContainer"},
		"Component":   {reason: "A component has its pod in podTemplate.", parent: reflect.TypeFor[v1beta1.Component](), pod: "podTemplate.spec", container: "container main"},
		"PodTemplate": {reason: "A template has its pod in spec.", parent: reflect.TypeFor[corev1.PodTemplateSpec](), pod: "podTemplate.spec", container: "container main"},
	}
	for name, tc := range parents {
		t.Run(name, func(t *testing.T) {
			own := namesOf(tc.parent)
			for want, fields := range map[string][]string{tc.pod: namesOf(reflect.TypeFor[corev1.PodSpec]()), tc.container: namesOf(reflect.TypeFor[corev1.Container]())} {
				for _, field := range fields {
					isOwn := strings.Contains(" "+strings.Join(own, " ")+" ", " "+field+" ")
					if got := placeOf(tc.parent, field); !isOwn && !strings.Contains(got, want) && !strings.Contains(got, tc.pod) {
						t.Errorf("%s\nplaceOf(%s, %q): want a remedy with %q, got %q", tc.reason, tc.parent, field, want, got)
					}
				}
			}
			if got := placeOf(tc.parent, "nonsense"); got != "" {
				t.Errorf("%s\nplaceOf(%s, nonsense): want none, got %q", tc.reason, tc.parent, got)
			}
		})
	}
	for _, tc := range []struct {
		reason      string
		parent      reflect.Type
		field, want string
	}{
		{"A container has fields of its pod one level too low.", reflect.TypeFor[corev1.Container](), "nodeSelector", "set it in the spec of the pod"},
		{"The main container of a service is that of its pod.", reflect.TypeFor[v1alpha1.Service](), "mainContainer", "set it in extraPodSpec"},
		{"GPUs are resources.", reflect.TypeFor[v1alpha1.Service](), "gpu", "set it in resources.limits"},
	} {
		if got := placeOf(tc.parent, tc.field); !strings.Contains(got, tc.want) {
			t.Errorf("%s\nplaceOf(%s, %q): want a remedy with %q, got %q", tc.reason, tc.parent, tc.field, tc.want, got)
		}
	}
	for field, want := range map[string]string{"configMapRef": "envFrom", "secretRef": "envFrom", "secretKeyRef": "valueFrom", "fieldRef": "valueFrom", "nonsense": ""} {
		if got := placeOf(reflect.TypeFor[corev1.EnvVar](), field); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("placeOf(EnvVar, %q): want a remedy with %q, got %q", field, want, got)
		}
	}
}
