package foundation

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// pvcs are the PersistentVolumeClaims that belong to the graph. A claim that existed before is used but not composed, because it would be
// taken over, and deleted together with the graph.
func (f *foundation) pvcs() ([]composed, error) {
	var all []composed
	for _, name := range f.plan.ComposedPVCs {
		i := slices.IndexFunc(f.graph.PVCs, func(claim v1alpha1.PVC) bool { return claim.Name == name })
		if i < 0 || !ptr.Deref(f.graph.PVCs[i].Create, false) {
			claims, err := f.unrequestedPVC(name)
			if err != nil {
				return nil, err
			}
			all = append(all, claims...)
			continue
		}
		all = append(all, composed{names.KeyPVC(name), f.pvc(f.graph.PVCs[i])})
	}
	return all, nil
}

// unrequestedPVC is a claim that the graph created and no longer requests. It is composed without changes until the graph is deleted, because
// otherwise its data would be deleted.
func (f *foundation) unrequestedPVC(name string) ([]composed, error) {
	observed, ok := f.observed[string(names.KeyPVC(name))]
	if !ok {
		return nil, nil
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := require.Into(observed.GetResource(), claim); err != nil {
		return nil, errors.Wrapf(err, "cannot keep claim %s", name)
	}
	object := &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: f.objectMeta(name, nil),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      claim.Spec.AccessModes,
			StorageClassName: claim.Spec.StorageClassName,
			Resources:        claim.Spec.Resources,
		},
	}
	return []composed{{names.KeyPVC(name), object}}, nil
}

func (f *foundation) pvc(claim v1alpha1.PVC) *corev1.PersistentVolumeClaim {
	object := &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: f.objectMeta(claim.Name, nil),
		Spec: corev1.PersistentVolumeClaimSpec{
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: claim.Size}},
		},
	}
	if claim.VolumeAccessMode != "" {
		object.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{claim.VolumeAccessMode}
	}
	if claim.StorageClass != "" {
		object.Spec.StorageClassName = new(claim.StorageClass)
	}
	return object
}
