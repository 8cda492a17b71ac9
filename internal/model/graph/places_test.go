package graph

import (
	"reflect"
	"slices"
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
					if got := placeOf(tc.parent, field); !isOwn && !strings.Contains(got, want) && !strings.Contains(got, tc.pod) && !strings.Contains(got, "beside podTemplate") {
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
		{"Metadata of pods is beside their spec in services.", reflect.TypeFor[v1alpha1.ExtraPodSpec](), "metadata", "extraPodMetadata"},
		{"Metadata of pods is beside their spec in components.", reflect.TypeFor[corev1.PodSpec](), "annotations", "podTemplate.metadata"},
		{"A component has no metadata but that of its pods.", reflect.TypeFor[v1beta1.Component](), "metadata", "podTemplate.metadata"},
		{"A graph has no pods.", reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec](), "extraPodSpec", "each of the services"},
		{"A graph of components has no pods.", reflect.TypeFor[v1beta1.DynamoGraphDeploymentSpec](), "podTemplate", "each of the components"},
		{"Replicas are those of a service.", reflect.TypeFor[v1alpha1.ExtraPodSpec](), "replicas", "the service, beside extraPodSpec"},
		{"A framework is that of a graph.", reflect.TypeFor[v1alpha1.Service](), "backendFramework", "spec of the graph"},
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

// TestForeignFields sets the fields of each object of a graph in each other one: the place of all of them is known.
func TestForeignFields(t *testing.T) {
	pod, container, template := reflect.TypeFor[corev1.PodSpec](), reflect.TypeFor[corev1.Container](), reflect.TypeFor[corev1.PodTemplateSpec]()
	for form, types := range map[string][]reflect.Type{
		"Services": {
			reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec](), reflect.TypeFor[v1alpha1.Service](), reflect.TypeFor[v1alpha1.ExtraPodSpec](), container,
		},
		"Components": {reflect.TypeFor[v1beta1.DynamoGraphDeploymentSpec](), reflect.TypeFor[v1beta1.Component](), template, pod, container},
	} {
		t.Run(form, func(t *testing.T) {
			for _, parent := range types {
				own := namesOf(parent)
				if parent == reflect.TypeFor[v1alpha1.ExtraPodSpec]() {
					own = append(own, namesOf(pod)...)
				}
				for _, other := range types {
					for _, field := range namesOf(other) {
						isOfList := other == types[0] && parent == container
						isMisspelt := parent == reflect.TypeFor[v1alpha1.DynamoGraphDeploymentSpec]() && field == "env"
						if !slices.Contains(own, field) && !isMisspelt && !isOfList && placeOf(parent, field) == "" {
							t.Errorf("Field %s of a %s in a %s has no place.", field, other, parent)
						}
					}
				}
			}
		})
	}
}
