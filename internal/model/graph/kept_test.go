package graph

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/steptest"
)

// converted is a graph with an annotation of conversion.
func converted(t *testing.T, annotation, spec string) string {
	t.Helper()
	return steptest.JSON(t, map[string]any{
		"kind": "DynamoGraphDeployment", "spec": json.RawMessage(spec),
		"metadata": metav1.ObjectMeta{Name: "llama", Namespace: "inference", Annotations: map[string]string{"nvidia.com/dgd-spec": annotation}},
	})
}

func TestDecodeKept(t *testing.T) {
	type want struct {
		component v1beta1.Component
		fields    ServiceFields
		pvcs      []v1alpha1.PVC
		unread    []string
	}
	one := func(c v1beta1.Component) v1beta1.Component {
		c.Name = "Worker"
		if c.PodTemplate == nil {
			c.PodTemplate = podWith()
		}
		return c
	}
	main := corev1.Container{Name: "main", Image: "i"}
	cases := map[string]struct {
		reason     string
		annotation string
		spec       string
		want       want
	}{
		"Claims": {
			reason:     "Claims have no place in v1beta1 and are kept in the annotation.",
			annotation: `{"version":1,"spec":{"pvcs":[{"name":"models"}]}}`,
			spec:       `{"components":[{"name":"Worker"}]}`,
			want:       want{component: one(v1beta1.Component{}), pvcs: []v1alpha1.PVC{{Name: "models"}}},
		},
		"Service": {
			reason: "What only a service can say is taken from the annotation, and the rest from the component.",
			annotation: `{"version":1,"spec":{"services":{"Worker":{"labels":{"a":"b"},"ingress":{"enabled":true,"host":"h"},"autoscaling":{"enabled":true,"maxReplicas":2},
				"dynamoNamespace":"d","subComponentType":"vision","resources":{"limits":{"gpu":"2"}}}}}}`,
			spec: `{"components":[{"name":"Worker","type":"worker","replicas":3}]}`,
			want: want{component: one(v1beta1.Component{Type: "worker", Replicas: new(int32(3))}), fields: ServiceFields{
				ComponentType: "worker", SubComponentType: "vision", DynamoNamespace: new("d"), Labels: map[string]string{"a": "b"},
				Ingress:     &v1alpha1.Ingress{Enabled: true, Host: "h"},
				Autoscaling: &v1alpha1.Autoscaling{Enabled: true, MaxReplicas: 2},
			}},
		},
		"Type": {
			reason:     "The type of the component takes precedence.",
			annotation: `{"version":1,"spec":{"services":{"Worker":{"subComponentType":"vision"}}}}`,
			spec:       `{"components":[{"name":"Worker","type":"decode"}]}`,
			want:       want{component: one(v1beta1.Component{Type: "decode"}), fields: ServiceFields{ComponentType: "worker", SubComponentType: "decode"}},
		},
		"Annotations": {
			reason:     "The annotations of the pod template take precedence.",
			annotation: `{"version":1,"spec":{"services":{"Worker":{"annotations":{"a":"b","nvidia.com/vllm-distributed-executor-backend":"mp"}}}}}`,
			spec:       `{"components":[{"name":"Worker","podTemplate":{"metadata":{"annotations":{"nvidia.com/vllm-distributed-executor-backend":"ray"}},"spec":{"containers":[{"name":"main","image":"i"}]}}}]}`,
			want: want{
				component: one(v1beta1.Component{PodTemplate: podWith(main)}),
				fields:    ServiceFields{Annotations: map[string]string{"a": "b", "nvidia.com/vllm-distributed-executor-backend": "ray"}},
			},
		},
		"Gone": {
			reason:     "A component that was removed does not come back.",
			annotation: `{"version":1,"spec":{"services":{"Planner":{"labels":{"a":"b"}}}}}`,
			spec:       `{"components":[{"name":"Worker"}]}`,
			want:       want{component: one(v1beta1.Component{})},
		},
		"Mount": {
			reason:     "A mount of a service has the fields that only mounts of containers have.",
			annotation: `{"version":1,"spec":{"components":[{"name":"Worker","podTemplate":{"spec":{"containers":[{"name":"main","volumeMounts":[{"name":"models","mountPath":"/m","readOnly":true}]}]}}}]}}`,
			spec:       `{"services":{"Worker":{"volumeMounts":[{"name":"models","mountPoint":"/m"}],"resources":{"limits":{"gpu":"1"}},"extraPodSpec":{"mainContainer":{"image":"i"}}}}}`,
			want: want{component: one(v1beta1.Component{PodTemplate: &corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Volumes: []corev1.Volume{{Name: "models", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "models"},
				}}},
				Containers: []corev1.Container{{
					Name: "main", Image: "i", VolumeMounts: []corev1.VolumeMount{{Name: "models", MountPath: "/m", ReadOnly: true}},
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}},
				}},
			}}})},
		},
		"Sidecar": {
			reason:     "The name of a frontend sidecar is that of a container of the service.",
			annotation: `{"version":1,"spec":{"components":[{"name":"Worker","frontendSidecar":"front"}]}}`,
			spec:       `{"services":{"Worker":{"extraPodSpec":{"mainContainer":{"image":"i"},"containers":[{"name":"front","image":"f"}]}}}}`,
			want:       want{component: one(v1beta1.Component{FrontendSidecar: "front", PodTemplate: podWith(main, corev1.Container{Name: "front", Image: "f"})})},
		},
		"Origin": {
			reason:     "A component that is only named in the annotation changes nothing.",
			annotation: `{"version":1,"spec":{"components":[{"name":"Worker"}]}}`,
			spec:       `{"services":{"Worker":{"envs":[{"name":"A","value":"b"}]}}}`,
			want: want{
				component: one(v1beta1.Component{PodTemplate: podWith(corev1.Container{Name: "main", Env: []corev1.EnvVar{{Name: "A", Value: "b"}}})}),
				fields:    ServiceFields{Envs: []corev1.EnvVar{{Name: "A", Value: "b"}}},
			},
		},
		"NoJSON": {
			reason:     "An annotation that cannot be parsed is a warning, never an error.",
			annotation: `{`,
			spec:       `{"services":{"Worker":{}}}`,
			want: want{component: one(v1beta1.Component{}), unread: []string{
				"metadata.annotations[nvidia.com/dgd-spec]: The annotation cannot be parsed, so the values that it kept are lost. Do not edit it.",
			}},
		},
		"OtherType": {
			reason:     "A value of another type is a warning that names it, and the rest counts.",
			annotation: `{"version":1,"spec":{"services":{"Worker":{"labels":{"a":"b"},"ingress":{"enabled":"yes"}}}}}`,
			spec:       `{"components":[{"name":"Worker"}]}`,
			want: want{component: one(v1beta1.Component{}), fields: ServiceFields{Labels: map[string]string{"a": "b"}, Ingress: &v1alpha1.Ingress{}}, unread: []string{
				`metadata.annotations[nvidia.com/dgd-spec].spec.services[Worker].ingress.enabled: Invalid value: must be true or false, not a string`,
			}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			g, errs := Decode(request(converted(t, tc.annotation, tc.spec)))
			if len(errs) > 0 {
				t.Fatalf("%s\nDecode(...): %v", tc.reason, errs)
			}
			worker := g.Component("Worker")
			got := want{component: worker.Component, fields: worker.ServiceFields, pvcs: g.PVCs, unread: g.Unread.Texts(g)}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestKeptPaths holds that messages about what the annotation keeps name it there.
func TestKeptPaths(t *testing.T) {
	g, _ := Decode(request(converted(t, `{"version":1,"spec":{"pvcs":[{"name":"a"}],"services":{"Worker":{"ingress":{"host":"h"},"autoscaling":{"minReplicas":0},"annotations":{"a.b/c":"d"}}}}}`,
		`{"components":[{"name":"Worker"},{"name":"Other"}]}`)))
	const annotation = "metadata.annotations[nvidia.com/dgd-spec]."
	for text, want := range map[string]string{
		"spec.components[Worker].ingress.host":           annotation + "spec.services[Worker].ingress.host",
		"spec.components[Worker].annotations":            annotation + "spec.services[Worker].annotations",
		"spec.components[Worker].annotations[a.b/c]":     annotation + "spec.services[Worker].annotations[a.b/c]",
		"spec.components[Worker].annotations[a.b/other]": "spec.components[Worker].podTemplate.metadata.annotations[a.b/other]",
		"spec.components[Worker].replicas":               "spec.components[Worker].replicas",
		"spec.components[Other].labels":                  "spec.components[Other].podTemplate.metadata.labels",
		"spec.pvcs[0].name":                              annotation + "spec.pvcs[0].name",
	} {
		if got := g.Field(text); got != want {
			t.Errorf("Field(%q):\nwant %s\ngot  %s", text, want, got)
		}
	}
	if !g.Has("Worker", "autoscaling", "minReplicas") || g.Has("Worker", "autoscaling", "maxReplicas") || g.Has("Other", "autoscaling", "minReplicas") {
		t.Error("want the minimum of the autoscaler of Worker, which the annotation keeps, and no other field of autoscalers")
	}
}

// TestAmountOfKeptComponent shows that an amount is where the user wrote it, although the pods are those of the component in the annotation.
func TestAmountOfKeptComponent(t *testing.T) {
	g, errs := Decode(request(converted(t, `{"version":1,"spec":{"components":[{"name":"Worker","experimental":{"grove":{"forceScalingGroup":true}}}]}}`,
		`{"services":{"Worker":{"componentType":"worker","resources":{"limits":{"gpu":"1"}}}}}`)))
	if len(errs) > 0 {
		t.Fatalf("Decode(...): %v", errs)
	}
	if e := g.Component("Worker").Experimental; e == nil || e.Grove == nil {
		t.Fatal("want the settings for Grove, which only the annotation has")
	}
	path := MainPath(ComponentPath("Worker"), "resources", "limits").Key(DefaultGPU)
	if got, want := g.Field(path.String()), "spec.services[Worker].resources.limits.gpu"; got != want {
		t.Errorf("want %s, got %s", want, got)
	}
}

// TestCacheMount holds that the mount that the Dynamo operator makes of a compilation cache without a path is left out, and that the others
// keep their indices in messages.
func TestCacheMount(t *testing.T) {
	g, errs := Decode(request(ofSpec(`{"components":[{"name":"Worker","compilationCache":{"pvcName":"cache"},"podTemplate":{"spec":{"containers":[
		{"name":"main","volumeMounts":[{"name":"a","mountPath":"/a"},{"name":"cache","mountPath":""},{"name":"b","mountPath":"/b"}]}]}}}]}`)))
	if len(errs) > 0 {
		t.Fatalf("Decode(...): %v", errs)
	}
	want := []corev1.VolumeMount{{Name: "a", MountPath: "/a"}, {Name: "b", MountPath: "/b"}}
	if diff := cmp.Diff(want, g.Components["Worker"].Main().VolumeMounts); diff != "" {
		t.Errorf("mounts: -want, +got:\n%s", diff)
	}
	const main = "spec.components[Worker].podTemplate.spec.containers[main].volumeMounts"
	for i, want := range []string{main + "[0].mountPath", main + "[2].mountPath"} {
		if got := g.Field(main + "[" + string(rune('0'+i)) + "].mountPath"); got != want {
			t.Errorf("want %s, got %s", want, got)
		}
	}
}
