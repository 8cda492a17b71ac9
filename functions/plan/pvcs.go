package plan

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
)

// planPVCs decides which claims belong to the graph: those that it creates and that were not there before it, and those
// that it created once, also when the entry is gone: Crossplane would delete the claim with its data. A claim that
// exists and that this composite resource does not control is used as it is.
func planPVCs(req *fnv1.RunFunctionRequest, g *graph.Graph, m *memory, r *require.Requirements) []string {
	composed := map[string]bool{}
	for key := range m.composed {
		if name, ok := names.PVCOf(key); ok {
			composed[name] = true
		}
	}
	for _, claim := range g.Spec.PVCs {
		// Without a proper name or a namespace there is nothing to look up: the request would fail, and with it the message
		// about what is wrong.
		if !ptr.Deref(claim.Create, false) || len(validation.IsDNS1123Subdomain(claim.Name)) > 0 || g.Namespace == "" {
			continue
		}
		if object, resolved := r.Get(pvc(g, claim)); resolved && (object == nil || require.ControlledBy(object, req)) {
			composed[claim.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(composed))
}

func pvc(g *graph.Graph, claim v1alpha1.PVC) require.Object {
	return require.Object{
		Name:       "pvc-" + claim.Name,
		APIVersion: "v1", Kind: "PersistentVolumeClaim",
		ObjectName: claim.Name, Namespace: g.Namespace,
	}
}
