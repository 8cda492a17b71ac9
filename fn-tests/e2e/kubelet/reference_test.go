package kubelet

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/sets"
)

// objects of a cluster by the resource in errors and the name, with their keys.
type objects map[[2]string][]string

func (o objects) find(k kind, _, name string) (sets.Set[string], error) {
	keys, there := o[[2]string{k.resource, name}]
	if !there {
		return nil, kerrors.NewNotFound(corev1.Resource(k.resource), name)
	}
	return sets.New(keys...), nil
}

// A way in which a pod refers to an object: what is added to the pod, and what holds the pod meanwhile.
type way struct {
	// refer to an object, in the pod or its container main.
	refer func(pod *corev1.Pod, name string, optional *bool)
	of    kind
	// key that has to be there. Empty if any object will do.
	key string
	// mounted is true for volumes.
	mounted bool
}

// ways in which pods refer to Secrets and ConfigMaps.
func ways() map[string]way {
	main := func(pod *corev1.Pod) *corev1.Container { return &pod.Spec.Containers[0] }
	volume := func(pod *corev1.Pod, name string, source corev1.VolumeSource) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	}
	named := func(name string) corev1.LocalObjectReference { return corev1.LocalObjectReference{Name: name} }
	items := []corev1.KeyToPath{{Key: "key", Path: "file"}}
	return map[string]way{
		"envFrom.secretRef": {of: secrets(), refer: func(pod *corev1.Pod, name string, optional *bool) {
			from := corev1.EnvFromSource{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: named(name), Optional: optional}}
			main(pod).EnvFrom = append(main(pod).EnvFrom, from)
		}},
		"envFrom.configMapRef": {of: configMaps(), refer: func(pod *corev1.Pod, name string, optional *bool) {
			from := corev1.EnvFromSource{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: named(name), Optional: optional}}
			main(pod).EnvFrom = append(main(pod).EnvFrom, from)
		}},
		"env.secretKeyRef": {of: secrets(), key: "key", refer: func(pod *corev1.Pod, name string, optional *bool) {
			from := corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: named(name), Key: "key", Optional: optional}}
			main(pod).Env = append(main(pod).Env, corev1.EnvVar{Name: "V", ValueFrom: &from})
		}},
		"env.configMapKeyRef": {of: configMaps(), key: "key", refer: func(pod *corev1.Pod, name string, optional *bool) {
			from := corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: named(name), Key: "key", Optional: optional}}
			main(pod).Env = append(main(pod).Env, corev1.EnvVar{Name: "V", ValueFrom: &from})
		}},
		"init.env.secretKeyRef": {of: secrets(), key: "key", refer: func(pod *corev1.Pod, name string, optional *bool) {
			from := corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: named(name), Key: "key", Optional: optional}}
			init := corev1.Container{Name: "init-" + name, Image: "image:1", Env: []corev1.EnvVar{{Name: "V", ValueFrom: &from}}}
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, init)
		}},
		"volume.secret": {of: secrets(), mounted: true, refer: func(pod *corev1.Pod, name string, optional *bool) {
			volume(pod, name, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name, Optional: optional}})
		}},
		"volume.secret.items": {of: secrets(), key: "key", mounted: true, refer: func(pod *corev1.Pod, name string, optional *bool) {
			volume(pod, name, corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name, Items: items, Optional: optional}})
		}},
		"volume.configMap": {of: configMaps(), mounted: true, refer: func(pod *corev1.Pod, name string, optional *bool) {
			volume(pod, name, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: named(name), Optional: optional}})
		}},
		"volume.configMap.items": {of: configMaps(), key: "key", mounted: true, refer: func(pod *corev1.Pod, name string, optional *bool) {
			volume(pod, name, corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: named(name), Items: items, Optional: optional}})
		}},
		"volume.projected.secret": {of: secrets(), key: "key", mounted: true, refer: func(pod *corev1.Pod, name string, optional *bool) {
			source := corev1.VolumeProjection{Secret: &corev1.SecretProjection{LocalObjectReference: named(name), Items: items, Optional: optional}}
			volume(pod, name, corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{source}}})
		}},
		"volume.projected.configMap": {of: configMaps(), mounted: true, refer: func(pod *corev1.Pod, name string, optional *bool) {
			source := corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: named(name), Optional: optional}}
			volume(pod, name, corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{source}}})
		}},
	}
}

// isHeld reports whether a pod runs none of its containers, and says something about it.
func isHeld(l *look) bool {
	return l.status.Phase == corev1.PodPending && len(l.events) > 0 && l.again > 0
}

// TestReference looks at pods that refer to one object.
func TestReference(t *testing.T) {
	for name, w := range ways() {
		cases := map[string]struct {
			reason   string
			optional *bool
			there    objects
			want     bool
		}{
			"Absent":         {reason: "An object that does not exist holds the pod.", want: true},
			"Optional":       {reason: "An optional object need not exist.", optional: new(true)},
			"NotOptional":    {reason: "An object may be said to be required.", optional: new(false), want: true},
			"LacksKey":       {reason: "An object without the key holds the pod.", there: objects{{w.of.resource, "it"}: {"other"}}, want: w.key != ""},
			"OptionalNoKey":  {reason: "An optional key need not exist.", optional: new(true), there: objects{{w.of.resource, "it"}: {"other"}}},
			"There":          {reason: "An object with the key does not hold the pod.", there: objects{{w.of.resource, "it"}: {"key"}}},
			"OfAnotherKind":  {reason: "An object of another kind does not help.", there: objects{{"other", "it"}: {"key"}}, want: true},
			"OfAnotherName":  {reason: "An object of another name does not help.", there: objects{{w.of.resource, "other"}: {"key"}}, want: true},
			"EmptyAndNoKeys": {reason: "An object may be empty, unless a key is wanted.", there: objects{{w.of.resource, "it"}: nil}, want: w.key != ""},
		}
		for c, tc := range cases {
			t.Run(name+"/"+c, func(t *testing.T) {
				pod := podOf("image:1")
				w.refer(pod, "it", tc.optional)
				l := lookAt(pod, 0, tc.there.find)
				if got := isHeld(l); got != tc.want {
					t.Fatalf("%s\nheld: want %t, got %t: %v", tc.reason, tc.want, got, l.events)
				}
				if l.status.PodIP == "" != (tc.want && w.mounted) {
					t.Errorf("A pod has an address once its volumes are mounted, got %q", l.status.PodIP)
				}
				if tc.want && w.mounted != slices.ContainsFunc(l.events, func(e event) bool { return e.reason == "FailedMount" }) {
					t.Errorf("Volumes have events of their own, got %v", l.events)
				}
				if last := len(l.events) - 1; last >= 0 && !strings.Contains(l.events[last].message, w.of.resource) && !strings.Contains(l.events[last].message, w.of.title) {
					t.Errorf("The event names the kind of the object, got %v", l.events)
				}
			})
		}
	}
}
