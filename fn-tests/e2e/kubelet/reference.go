package kubelet

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

// A kind of objects that pods refer to, as kubelets call it.
type kind struct {
	// resource is the kind in errors of the API server, and title in those of kubelets.
	resource, title string
	// lacks is how the error of a volume begins whose key does not exist.
	lacks string
}

func secrets() kind {
	return kind{resource: "secret", title: "Secret", lacks: "references non-existent secret key: "}
}

func configMaps() kind {
	return kind{resource: "configmap", title: "ConfigMap", lacks: "configmap references non-existent config key: "}
}

// find the keys of an object in the cluster, as kubelets with change detection Get: what has just been created is there.
// https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/
func (k *Kubelet) find(ctx context.Context) finder {
	return func(of kind, namespace, name string) (sets.Set[string], error) {
		keys := sets.New[string]()
		var err error
		if of == secrets() {
			var secret *corev1.Secret
			secret, err = k.client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
			keys = keys.Union(sets.KeySet(secret.Data))
		} else {
			var configMap *corev1.ConfigMap
			configMap, err = k.client.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
			keys = keys.Union(sets.KeySet(configMap.Data)).Union(sets.KeySet(configMap.BinaryData))
		}
		if kerrors.IsNotFound(err) {
			// Kubelets call the kind by another name than the API server.
			err = kerrors.NewNotFound(corev1.Resource(of.resource), name)
		}
		return keys, err
	}
}

// A finder finds the keys of an object. The error says that there is no such object, or that it cannot be read.
type finder func(k kind, namespace, name string) (sets.Set[string], error)

// A reference of a pod to an object, or to some of its keys.
type reference struct {
	kind     kind
	name     string
	keys     []string
	optional *bool
}

// ofEnvironment are the references of the variables of a container, in the order in which kubelets resolve them.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kubelet_pods.go#L775
func ofEnvironment(c *corev1.Container) []reference {
	var all []reference
	for i := range c.EnvFrom {
		if from := c.EnvFrom[i].ConfigMapRef; from != nil {
			all = append(all, reference{kind: configMaps(), name: from.Name, optional: from.Optional})
		}
		if from := c.EnvFrom[i].SecretRef; from != nil {
			all = append(all, reference{kind: secrets(), name: from.Name, optional: from.Optional})
		}
	}
	for i := range c.Env {
		from := ptr.Deref(c.Env[i].ValueFrom, corev1.EnvVarSource{})
		if key := from.ConfigMapKeyRef; key != nil {
			all = append(all, reference{kind: configMaps(), name: key.Name, keys: []string{key.Key}, optional: key.Optional})
		}
		if key := from.SecretKeyRef; key != nil {
			all = append(all, reference{kind: secrets(), name: key.Name, keys: []string{key.Key}, optional: key.Optional})
		}
	}
	return all
}

// ofVolume are the references of a volume.
func ofVolume(v *corev1.Volume) []reference {
	var all []reference
	if from := v.ConfigMap; from != nil {
		all = append(all, reference{kind: configMaps(), name: from.Name, keys: keysOf(from.Items), optional: from.Optional})
	}
	if from := v.Secret; from != nil {
		all = append(all, reference{kind: secrets(), name: from.SecretName, keys: keysOf(from.Items), optional: from.Optional})
	}
	for _, source := range ptr.Deref(v.Projected, corev1.ProjectedVolumeSource{}).Sources {
		if from := source.ConfigMap; from != nil {
			all = append(all, reference{kind: configMaps(), name: from.Name, keys: keysOf(from.Items), optional: from.Optional})
		}
		if from := source.Secret; from != nil {
			all = append(all, reference{kind: secrets(), name: from.Name, keys: keysOf(from.Items), optional: from.Optional})
		}
	}
	return all
}

func keysOf(items []corev1.KeyToPath) []string {
	var keys []string
	for _, item := range items {
		keys = append(keys, item.Key)
	}
	return keys
}

// resolve a reference. noKey is the error for a key that does not exist. What is optional need not exist.
func (l *look) resolve(r reference, noKey func(key string) error) error {
	optional := ptr.Deref(r.optional, false)
	keys, err := l.find(r.kind, l.pod.Namespace, r.name)
	if err != nil && (!optional || !kerrors.IsNotFound(err)) {
		return err
	}
	for _, key := range r.keys {
		if !keys.Has(key) && !optional {
			return noKey(key)
		}
	}
	return nil
}

// configure the variables of a container.
func (l *look) configure(c *corev1.Container) error {
	for _, r := range ofEnvironment(c) {
		noKey := func(key string) error {
			return fmt.Errorf("couldn't find key %v in %s %v/%v", key, r.kind.title, l.pod.Namespace, r.name)
		}
		if err := l.resolve(r, noKey); err != nil {
			return err
		}
	}
	return nil
}

// mount the volumes of the pod. It reports whether all are mounted.
// https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/volume/util/operationexecutor/operation_generator.go#L608
func (l *look) mount() bool {
	mounted := true
	for i := range l.pod.Spec.Volumes {
		volume := &l.pod.Spec.Volumes[i]
		var errs []error
		for _, r := range ofVolume(volume) {
			if err := l.resolve(r, func(key string) error { return errors.New(r.kind.lacks + key) }); err != nil {
				errs = append(errs, err)
			}
		}
		if err := utilerrors.NewAggregate(errs); err != nil {
			l.say("", corev1.EventTypeWarning, "FailedMount", fmt.Sprintf("MountVolume.SetUp failed for volume %q : %v", volume.Name, err))
			mounted = false
		}
	}
	return mounted
}
