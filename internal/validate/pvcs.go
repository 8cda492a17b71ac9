package validate

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

const maxPVCs = 100

func (v *validator) pvcs() {
	path := specPath().Child("pvcs")
	if n := len(v.graph.PVCs); n > maxPVCs {
		v.add(message.TooMany(path, n, maxPVCs))
	}
	seen := map[string]bool{}
	for i, claim := range v.graph.PVCs {
		fieldPath := path.Index(i)
		switch {
		case claim.Name == "":
			v.required(fieldPath.Child("name"), "specify the name of the claim")
		case seen[claim.Name]:
			v.duplicate(fieldPath.Child("name"), claim.Name)
		default:
			v.malformed(fieldPath.Child("name"), claim.Name, validation.IsDNS1123Subdomain(claim.Name))
		}
		seen[claim.Name] = true
		if ptr.Deref(claim.Create, false) {
			v.createdPVC(fieldPath, claim)
		}
	}
}

func (v *validator) createdPVC(path *field.Path, claim v1alpha1.PVC) {
	if claim.Size.Sign() <= 0 {
		v.required(path.Child("size"), "must be greater than 0 when create is true")
	}
	if claim.StorageClass == "" {
		v.required(path.Child("storageClass"), "is required when create is true")
	}
	if claim.VolumeAccessMode == "" {
		v.required(path.Child("volumeAccessMode"), "is required when create is true")
		return
	}
	modes := []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}
	if slices.Contains(modes, string(claim.VolumeAccessMode)) {
		return
	}
	v.add(message.NotSupported(path.Child("volumeAccessMode"), string(claim.VolumeAccessMode), modes))
}

// existingPVCs warns of settings of claims that are not created.
func (w *warnings) existingPVCs(g *graph.Graph) {
	for i, claim := range g.PVCs {
		if !ptr.Deref(claim.Create, false) && (!claim.Size.IsZero() || claim.StorageClass != "" || claim.VolumeAccessMode != "") {
			w.add(specPath().Child("pvcs").Index(i), "size, storageClass and volumeAccessMode have no effect on an existing claim; set create: true, or remove them")
		}
	}
}
