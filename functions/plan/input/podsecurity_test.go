package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

func TestPodSecurityContext(t *testing.T) {
	cases := map[string]struct {
		reason string
		given  v1alpha1.PodSecurityContext
		want   *corev1.PodSecurityContext
		errs   []string
	}{
		"Default": {reason: "Without a mode of its own, a platform gets the default.", given: v1alpha1.PodSecurityContext{Mode: v1alpha1.PodSecurityDefault}},
		"None": {
			reason: "The cluster assigns users and groups by itself.", given: v1alpha1.PodSecurityContext{Mode: v1alpha1.PodSecurityNone},
			want: &corev1.PodSecurityContext{},
		},
		"Custom": {
			reason: "A platform names users and groups.",
			given: v1alpha1.PodSecurityContext{
				Mode: v1alpha1.PodSecurityCustom, FSGroup: new(int64(2000)), RunAsUser: new(int64(3000)), SeccompProfile: v1alpha1.SeccompRuntimeDefault,
			},
			want: &corev1.PodSecurityContext{
				FSGroup: new(int64(2000)), RunAsUser: new(int64(3000)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
		},
		"NoEffect": {
			reason: "A field that has no effect is not ignored silently.",
			given:  v1alpha1.PodSecurityContext{Mode: v1alpha1.PodSecurityNone, FSGroup: new(int64(2000))},
			want:   &corev1.PodSecurityContext{},
			errs:   []string{`context.mode: Invalid value: "None": must be Custom, because the other fields have no effect otherwise; set it, or remove them`},
		},
		"Range": {
			reason: "The API server refuses other numbers.",
			given:  v1alpha1.PodSecurityContext{Mode: v1alpha1.PodSecurityCustom, FSGroup: new(int64(-1))},
			want:   &corev1.PodSecurityContext{FSGroup: new(int64(-1))},
			errs:   []string{"context.fsGroup: Invalid value: -1: must be between 0 and 2147483647"},
		},
		"Root": {
			reason: "The kubelet starts no pod of root that must not be one of root.",
			given:  v1alpha1.PodSecurityContext{Mode: v1alpha1.PodSecurityCustom, RunAsUser: new(int64(0)), RunAsNonRoot: new(true)},
			want:   &corev1.PodSecurityContext{RunAsUser: new(int64(0)), RunAsNonRoot: new(true)},
			errs: []string{
				"context.runAsUser: Invalid value: 0: must not be 0, which is root, with runAsNonRoot; choose another user, or remove runAsNonRoot",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := &v1alpha1.Input{}
			in.PodSecurityContext = tc.given
			if diff := cmp.Diff(tc.want, PodSecurityContext(in)); diff != "" {
				t.Errorf("%s\nPodSecurityContext(...): -want, +got:\n%s", tc.reason, diff)
			}
			var errs []string
			for _, err := range validatePodSecurityContext(field.NewPath("context"), &tc.given) {
				errs = append(errs, err.Error())
			}
			if diff := cmp.Diff(tc.errs, errs); diff != "" {
				t.Errorf("%s\nvalidatePodSecurityContext(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
