package controlplane

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// provisioner of the default StorageClass, which is simulated. The controllers of Kubernetes bind claims to the volumes that it creates.
const provisioner = "volumes.example.org"

// provision a volume for each claim that asks for it until the context ends, and delete the volumes of claims that are gone.
func (w *Workloads) provision(ctx context.Context) error {
	client := w.controlPlane.Client
	class := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": provisioner, "allowVolumeExpansion": true,
	}}
	class.SetName("standard")
	class.SetAnnotations(map[string]string{"storageclass.kubernetes.io/is-default-class": "true"})
	if _, err := client.Apply(ctx, class); err != nil {
		return fmt.Errorf("cannot create the default StorageClass: %w", err)
	}
	// What fails is tried again when the claim or volume changes. Tests detect pods that wait forever.
	if err := client.Watch(ctx, "v1", "PersistentVolumeClaim", "", func(claim *unstructured.Unstructured) {
		if volume := volumeFor(claim); volume != nil {
			_, _ = client.Create(ctx, volume)
		}
	}); err != nil {
		return err
	}
	return client.Watch(ctx, "v1", "PersistentVolume", "", func(volume *unstructured.Unstructured) {
		if phase, _, _ := unstructured.NestedString(volume.Object, "status", "phase"); phase == "Released" {
			_ = client.Delete(ctx, RefOf(volume))
		}
	})
}

// volumeFor a claim. nil if the claim is bound, or is not for the provisioner.
func volumeFor(claim *unstructured.Unstructured) *unstructured.Unstructured {
	spec, _ := claim.Object["spec"].(map[string]any)
	if claim.GetAnnotations()["volume.kubernetes.io/storage-provisioner"] != provisioner || spec["volumeName"] != nil || claim.GetDeletionTimestamp() != nil {
		return nil
	}
	size, _, _ := unstructured.NestedFieldCopy(spec, "resources", "requests")
	name := "pvc-" + string(claim.GetUID())
	volume := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "PersistentVolume", "spec": map[string]any{
		"accessModes": spec["accessModes"], "capacity": size, "storageClassName": spec["storageClassName"], "volumeMode": spec["volumeMode"],
		"persistentVolumeReclaimPolicy": "Delete",
		"csi":                           map[string]any{"driver": provisioner, "volumeHandle": name},
		"claimRef": map[string]any{
			"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.GetNamespace(), "name": claim.GetName(), "uid": string(claim.GetUID()),
		},
	}}}
	volume.SetName(name)
	volume.SetAnnotations(map[string]string{"pv.kubernetes.io/provisioned-by": provisioner})
	return volume
}
