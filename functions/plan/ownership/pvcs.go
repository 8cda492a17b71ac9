package ownership

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/lost"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/takeover"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// Claims of a graph.
type Claims struct {
	// Composed are the names of the claims that belong to the graph, sorted.
	Composed []string

	// Adopted are those of the composed claims that the graph takes over.
	Adopted lost.Objects
}

// PVCs decides which claims belong to the graph: claims that it creates and that did not exist before, and claims that it has created
// earlier, even if their entry was removed, because Crossplane would otherwise delete them with their data. A claim with another
// controller is a conflict. A claim without a controller is used but not composed, unless it is proven that the operator created it for the graph,
// which adopts the objects of the operator.
func PVCs(f *subject.Facts) (Claims, subject.Outcome) {
	var outcome subject.Outcome
	all, adopted := map[string]bool{}, lost.Objects{}
	for _, key := range f.Observed.Keys() {
		if name, ok := names.PVCOf(key); ok {
			all[name] = true
		}
	}
	for i, claim := range f.Graph.PVCs {
		// With an invalid name or without a namespace there is nothing to look up: the request would fail, and the user would not see the
		// errors.
		if !ptr.Deref(claim.Create, false) || len(validation.IsDNS1123Subdomain(claim.Name)) > 0 || f.Graph.Namespace == "" {
			continue
		}
		object, resolved := findPVC(f, &outcome.Requirements, claim)
		path := field.NewPath("spec", "pvcs").Index(i).Child("create")
		owner, controlled := require.Controller(object)
		switch {
		case !resolved:
		case object == nil:
			all[claim.Name] = true
		case require.IsDeleting(object):
			outcome.Refuse(subject.AwaitsDeletion, message.Because("waiting for the deletion of PersistentVolumeClaim %s to complete", claim.Name))
		case all[claim.Name], f.Observed.Controls(object):
			all[claim.Name] = true
		case takeover.Requested(f.Graph) && !controlled && takeover.Unproven(f.Graph, f.Observed, object).IsZero():
			all[claim.Name] = true
			adopted[string(names.KeyPVC(claim.Name))] = object
		case f.Observed.Succeeds(object) && !takeover.Requested(f.Graph):
			outcome.Refuse(subject.AwaitsDeletion, message.Because("waiting for the deletion of PersistentVolumeClaim %s, which belongs to an earlier graph of the same name", claim.Name))
		case controlled && takeover.Requested(f.Graph):
			outcome.Refuse(subject.NameTaken, message.Invalid(path, true, "%s", takeover.Controlled("PersistentVolumeClaim", claim.Name, owner)))
		case controlled:
			outcome.Refuse(subject.NameTaken, message.Invalid(path, true, "PersistentVolumeClaim %s already exists and belongs to %s; set create to false to use it as it is, or choose another name", claim.Name, owner))
		case takeover.Requested(f.Graph):
			outcome.Warnings = append(outcome.Warnings, message.About(path, "has no effect: %s. It is used as it is, and is kept when the graph is deleted", takeover.Unproven(f.Graph, f.Observed, object)))
		default:
			outcome.Warnings = append(outcome.Warnings, message.About(path, "has no effect: PersistentVolumeClaim %s already exists and has no controller; it is used as it is, and is kept when the graph is deleted", claim.Name))
		}
	}
	return Claims{Composed: slices.Sorted(maps.Keys(all)), Adopted: adopted}, outcome
}

// findPVC finds the claim of an entry. An observed claim is not looked up.
func findPVC(f *subject.Facts, r *require.Requirements, claim v1alpha1.PVC) (object *structpb.Struct, resolved bool) {
	if key := names.KeyPVC(claim.Name); f.Observed.Has(key) {
		return f.Observed.Object(key), true
	}
	return r.Get(f.Answers, require.Object{
		Name:       "pvc-" + claim.Name,
		APIVersion: "v1", Kind: "PersistentVolumeClaim",
		ObjectName: claim.Name, Namespace: f.Graph.Namespace,
	})
}
