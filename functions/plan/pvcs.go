package plan

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// planPVCs decides which claims belong to the graph: those that it creates and that were not there before it, and those
// that it created once, also when the entry is gone: Crossplane would delete the claim with its data. taken are those that
// others have. One that nobody controls is used as it is.
func (d *decider) planPVCs(out *decision) (composed []string, taken field.ErrorList) {
	all := map[string]bool{}
	for key := range d.memory.composed {
		if name, ok := names.PVCOf(key); ok {
			all[name] = true
		}
	}
	for i, claim := range d.graph.Spec.PVCs {
		// Without a proper name or a namespace there is nothing to look up: the request would fail, and with it the message
		// about what is wrong.
		if !ptr.Deref(claim.Create, false) || len(validation.IsDNS1123Subdomain(claim.Name)) > 0 || d.graph.Namespace == "" {
			continue
		}
		object, resolved := d.findPVC(claim)
		path := field.NewPath("spec", "pvcs").Index(i).Child("create")
		owner, controlled := require.Controller(object)
		switch {
		case !resolved:
		case object == nil:
			all[claim.Name] = true
		case require.IsDeleting(object):
			out.waits = append(out.waits, fmt.Sprintf("waiting until PersistentVolumeClaim %s, which is being deleted, is gone", claim.Name))
		case all[claim.Name], require.ControlledBy(object, d.req):
			all[claim.Name] = true
		case require.ControlledByNamesake(object, d.req):
			out.waits = append(out.waits, fmt.Sprintf("waiting until PersistentVolumeClaim %s, which belongs to an earlier graph of this name, is gone", claim.Name))
		case controlled:
			taken = append(taken, field.Invalid(path, true, fmt.Sprintf("PersistentVolumeClaim %s exists and belongs to %s: set create to false to use it as it is, or choose another name", claim.Name, owner)))
		default:
			out.warnings = append(out.warnings, fmt.Sprintf("%s: has no effect: PersistentVolumeClaim %s exists and nobody controls it; it is used as it is, and stays when the graph is deleted", path, claim.Name))
		}
	}
	return slices.Sorted(maps.Keys(all)), taken
}

// findPVC finds the claim of an entry: one that is observed is not looked up.
func (d *decider) findPVC(claim v1alpha1.PVC) (object *structpb.Struct, resolved bool) {
	if observed, ok := d.req.GetObserved().GetResources()[string(names.KeyPVC(claim.Name))]; ok {
		return observed.GetResource(), true
	}
	return d.requirements.Get(require.Object{
		Name:       "pvc-" + claim.Name,
		APIVersion: "v1", Kind: "PersistentVolumeClaim",
		ObjectName: claim.Name, Namespace: d.graph.Namespace,
	})
}
