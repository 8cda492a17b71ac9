package preview

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// previewUID is that of a composite resource in a file.
const previewUID types.UID = "9a2c5d0e-0000-4000-8000-000000000000"

// owned is a cluster as a graph sees it that is applied there again. A file does not contain the UID of the composite resource, by which an
// object names its owner, so a graph that exists would find its own names taken.
type owned struct {
	pipeline.Cluster

	by *unstructured.Unstructured
}

// Resources that selectors select.
func (o owned) Resources(selectors map[string]*fnv1.ResourceSelector) (map[string]*fnv1.Resources, error) {
	found, err := o.Cluster.Resources(selectors)
	if err != nil {
		return nil, err
	}
	for _, resources := range found {
		for _, r := range resources.GetItems() {
			object := &unstructured.Unstructured{Object: r.GetResource().AsMap()}
			if !o.own(object) {
				continue
			}
			if r.Resource, err = structpb.NewStruct(object.Object); err != nil {
				return nil, errors.Wrapf(err, "cannot encode %s %q", object.GetKind(), object.GetName())
			}
		}
	}
	return found, nil
}

// objectsOf the cluster as a graph sees them that is applied there again, as in a cluster that was recorded.
func (p *Previewer) objectsOf(xr *unstructured.Unstructured) []unstructured.Unstructured {
	by := xr.DeepCopy()
	if by.GetUID() == "" {
		by.SetUID(previewUID)
	}
	all := slices.Clone(p.Objects)
	for i := range all {
		object := all[i].DeepCopy()
		if (owned{by: by}).own(object) {
			all[i] = *object
			xr.SetUID(by.GetUID())
		}
	}
	return all
}

// own an object that the composite resource controls, as far as names tell.
func (o owned) own(object *unstructured.Unstructured) bool {
	references := object.GetOwnerReferences()
	for i := range references {
		if isController(&references[i]) && references[i].Kind == o.by.GetKind() && (references[i].Name == o.by.GetName() || o.isOfClaim(object)) {
			references[i].UID, references[i].Name = o.by.GetUID(), o.by.GetName()
			object.SetOwnerReferences(references)
			return true
		}
	}
	return false
}

func isController(r *metav1.OwnerReference) bool { return r.Controller != nil && *r.Controller }

// isOfClaim reports whether an object is composed for the claim of the composite resource, whose own name is random.
func (o owned) isOfClaim(object *unstructured.Unstructured) bool {
	const name, namespace = metadata.LabelClaimName, metadata.LabelClaimNamespace
	labels, own := object.GetLabels(), o.by.GetLabels()
	return own[name] != "" && labels[name] == own[name] && labels[namespace] == own[namespace]
}
