package validate

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/override"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// overrides checks the topology constraints in Grove's own form. All else of a PodCliqueSet follows from the graph.
func (v *validator) overrides() {
	for _, o := range override.In(v.graph) {
		v.overrideTarget(o)
		if override.HasTyped(v.graph) {
			v.forbidden(o.Path, "cannot be combined with topologyConstraint of the graph or of a {{service}}; remove one of the two")
		}
		value := o.Tree()
		if value == nil {
			v.forbidden(o.Path.Child("value"), "must be an object")
			continue
		}
		v.overrideValue(o, value)
	}
}

func (v *validator) overrideTarget(o override.Override) {
	if o.APIVersion != grovev1alpha1.APIVersion {
		v.add(field.NotSupported(o.Path.Child("apiVersion"), o.APIVersion, []string{grovev1alpha1.APIVersion}))
	}
	if o.Target != "" && o.Target != o.Of {
		v.invalid(o.Path.Child("target"), o.Target, fmt.Sprintf("must be %s here; correct or remove it", o.Of))
	}
}

// overrideValue checks that a value consists of a constraint.
func (v *validator) overrideValue(o override.Override, value *structpb.Struct) {
	path := o.Path.Child("value")
	for _, key := range append(o.Parents(), override.Constraint) {
		for _, other := range override.Others(value, key) {
			v.forbidden(path.Child(other), "cannot be overridden, because it follows from the graph; only "+override.Constraint+" can be")
		}
		path = path.Child(key)
		if value = value.GetFields()[key].GetStructValue(); value == nil {
			v.required(path, "specify an object, or remove the override")
			return
		}
	}
	if err := require.Into(value, &grovev1alpha1.TopologyConstraint{}); err != nil {
		v.forbidden(path, "is not a constraint of Grove: "+err.Error())
	}
}
