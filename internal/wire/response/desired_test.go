package response

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
)

func TestSet(t *testing.T) {
	pod := func(spec corev1.PodSpec) *appsv1.Deployment {
		return &appsv1.Deployment{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
			ObjectMeta: metav1.ObjectMeta{Name: "d"},
			Spec: appsv1.DeploymentSpec{
				Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
				Template: corev1.PodTemplateSpec{Spec: spec},
			},
			Status: appsv1.DeploymentStatus{Replicas: 3},
		}
	}
	cases := map[string]struct {
		reason  string
		desired *fnv1.State
		object  any
		want    *fnv1.State
	}{
		"NoDesiredStateYet": {
			reason: "The first composed resource makes the desired state.",
			object: map[string]any{"kind": "Service"},
			want:   &fnv1.State{Resources: map[string]*fnv1.Resource{"key": {Resource: resource.MustStructJSON(`{"kind":"Service"}`)}}},
		},
		"OthersStay": {
			reason: "What other steps desire is theirs, readiness and connection details included.",
			desired: &fnv1.State{
				Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"a":"b"}}`)},
				Resources: map[string]*fnv1.Resource{
					"other": {
						Resource:          resource.MustStructJSON(`{"kind":"Bucket"}`),
						Ready:             fnv1.Ready_READY_TRUE,
						ConnectionDetails: map[string][]byte{"k": []byte("v")},
					},
				},
			},
			object: map[string]any{"kind": "Service"},
			want: &fnv1.State{
				Composite: &fnv1.Resource{Resource: resource.MustStructJSON(`{"status":{"a":"b"}}`)},
				Resources: map[string]*fnv1.Resource{
					"key": {Resource: resource.MustStructJSON(`{"kind":"Service"}`)},
					"other": {
						Resource:          resource.MustStructJSON(`{"kind":"Bucket"}`),
						Ready:             fnv1.Ready_READY_TRUE,
						ConnectionDetails: map[string][]byte{"k": []byte("v")},
					},
				},
			},
		},
		"ZeroValuesAreNotClaimed": {
			reason: "Server-side apply owns every field that is written, so what is not set must not appear; an empty emptyDir means something.",
			object: pod(corev1.PodSpec{
				Containers: []corev1.Container{{Name: "main", Ports: []corev1.ContainerPort{{ContainerPort: 80}}}},
				Volumes:    []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			}),
			want: &fnv1.State{Resources: map[string]*fnv1.Resource{"key": {Resource: resource.MustStructJSON(`{
				"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},
				"spec":{"selector":{"matchLabels":{"a":"b"}},"strategy":{},"template":{"metadata":{},"spec":{
					"containers":[{"name":"main","ports":[{"containerPort":80}],"resources":{}}],
					"volumes":[{"name":"v","emptyDir":{}}]}}}}`)}}},
		},
		"ExplicitZeroStays": {
			reason: "A zero that a pointer refers to was set on purpose.",
			object: map[string]any{"spec": struct {
				Replicas *int32 `json:"replicas,omitempty"`
			}{Replicas: new(int32)}},
			want: &fnv1.State{Resources: map[string]*fnv1.Resource{"key": {Resource: resource.MustStructJSON(`{"spec":{"replicas":0}}`)}}},
		},
		"Nulls": {
			reason: "In server-side apply, a null removes the field.",
			object: map[string]any{"a": nil, "b": map[string]any{"c": nil, "d": "e"}, "f": []any{map[string]any{"g": nil, "h": 1}, "i"}},
			want: &fnv1.State{Resources: map[string]*fnv1.Resource{"key": {Resource: resource.MustStructJSON(
				`{"b":{"d":"e"},"f":[{"h":1},"i"]}`)}}},
		},
		"Quantities": {
			reason: "Quantities are strings.",
			object: corev1.ResourceList{"nvidia.com/gpu": apiresource.MustParse("8")},
			want:   &fnv1.State{Resources: map[string]*fnv1.Resource{"key": {Resource: resource.MustStructJSON(`{"nvidia.com/gpu":"8"}`)}}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := &fnv1.RunFunctionResponse{Desired: tc.desired}
			if err := Set(rsp, "key", tc.object); err != nil {
				t.Fatalf("%s\nSet(...): %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, rsp.GetDesired(), protocmp.Transform()); diff != "" {
				t.Errorf("%s\nSet(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	cases := map[string]struct {
		reason string
		object any
	}{
		"NotJSON":     {reason: "What has no JSON form is an error.", object: map[string]any{"a": func() {}}},
		"NotAnObject": {reason: "A list is no resource.", object: []string{"a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := &fnv1.RunFunctionResponse{}
			err := Set(rsp, "service-worker", tc.object)
			if err == nil || !strings.HasPrefix(err.Error(), "cannot encode composed resource service-worker: ") {
				t.Errorf("%s\nSet(...): want an error that names the resource, got %v", tc.reason, err)
			}
			if rsp.GetDesired() != nil {
				t.Errorf("%s\nSet(...): want nothing desired after an error", tc.reason)
			}
		})
	}
}
