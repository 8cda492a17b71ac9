package input

import (
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
	snapshotv1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/snapshot/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
)

// Restore is how the pods of graphs are restored from checkpoints.
func Restore(in *v1alpha1.Input) *graphplan.Restore {
	restore := &graphplan.Restore{SeccompProfile: ptr.Deref(in.Checkpoints.SeccompProfile, snapshotv1alpha1.SeccompProfile)}
	if storage := in.Checkpoints.Storage; storage != nil {
		restore.ClaimName, restore.BasePath = storage.ClaimName, path.Clean(storage.BasePath)
	}
	return restore
}

func validateCheckpoints(fieldPath *field.Path, in v1alpha1.Checkpoints, modes []v1alpha1.Mode) field.ErrorList {
	errs := oneOf(fieldPath.Child("mode"), in.Mode, modes)
	contracts := []v1alpha1.SnapshotContract{v1alpha1.SnapshotAuto, v1alpha1.SnapshotV0, v1alpha1.SnapshotV0Alpha}
	errs = append(errs, oneOf(fieldPath.Child("contract"), in.Contract, contracts)...)
	if in.Contract == v1alpha1.SnapshotV0 && in.Storage != nil {
		errs = append(errs, field.Forbidden(fieldPath.Child("storage"), "the agent mounts it for pods since v0.1.0 of the snapshot operator; remove storage, or set contract to v0.1.0-alpha.1"))
	}
	if profile := in.SeccompProfile; profile != nil && (path.IsAbs(*profile) || slices.Contains(strings.Split(*profile, "/"), "..")) {
		errs = append(errs, field.Invalid(fieldPath.Child("seccompProfile"), *profile, "must be a path below the folder for profiles of the kubelet, such as profiles/block-iouring.json"))
	}
	if in.Storage == nil {
		return errs
	}
	fieldPath = fieldPath.Child("storage")
	if in.Storage.ClaimName == "" {
		errs = append(errs, field.Required(fieldPath.Child("claimName"), "specify the PersistentVolumeClaim that pods mount, or remove storage"))
	}
	errs = append(errs, objectName(fieldPath.Child("claimName"), in.Storage.ClaimName)...)
	if base := in.Storage.BasePath; !path.IsAbs(base) || strings.Contains(base, ":") {
		errs = append(errs, field.Invalid(fieldPath.Child("basePath"), base, "must be an absolute path without colons, such as /checkpoints"))
	}
	return errs
}
