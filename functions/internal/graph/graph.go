// Package graph is the DynamoGraphDeployment as the steps of the chain see it: decoded, named, and the same whether it
// came as a namespaced composite resource or through a claim.
package graph

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/strict"
)

// Graph is one DynamoGraphDeployment.
type Graph struct {
	// Name and Namespace of the graph: the composite resource's, or the claim's when there is a claim.
	Name      string
	Namespace string

	// Generation of the composite resource.
	Generation int64

	// Annotations of the composite resource's metadata.
	Annotations map[string]string

	// Spec as decoded; nulls count as absent.
	Spec v1alpha1.DynamoGraphDeploymentSpec

	spec map[string]any
}

// Names of the graph's objects.
func (g *Graph) Names() names.Graph { return names.Graph(g.Name) }

// ServiceNames are the names of the services, sorted.
func (g *Graph) ServiceNames() []string { return slices.Sorted(maps.Keys(g.Spec.Services)) }

// Has reports whether the user wrote the field of the spec at this path of keys. Typed fields cannot tell an explicit
// zero from an absent one.
func (g *Graph) Has(path ...string) bool {
	tree := g.spec
	for i, key := range path {
		value, ok := tree[key]
		if !ok || value == nil {
			return false
		}
		if i == len(path)-1 {
			return true
		}
		if tree, ok = value.(map[string]any); !ok {
			return false
		}
	}
	return false
}

// Decode the observed composite resource of a request, strictly: every error at once.
func Decode(req *fnv1.RunFunctionRequest) (*Graph, field.ErrorList) {
	xr := req.GetObserved().GetComposite().GetResource().AsMap()
	metadata, _ := xr["metadata"].(map[string]any)

	g := &Graph{
		Name:      stringAt(metadata, "name"),
		Namespace: stringAt(metadata, "namespace"),
	}
	if generation, ok := metadata["generation"].(float64); ok {
		g.Generation = int64(generation)
	}

	var errs field.ErrorList
	g.Annotations, errs = annotationsOf(metadata)
	spec, ok := xr["spec"].(map[string]any)
	if !ok && xr["spec"] != nil {
		return g, append(errs, field.TypeInvalid(field.NewPath("spec"), xr["spec"], "must be an object"))
	}
	if xr["kind"] == v1alpha1.CompositeKind {
		errs = append(errs, g.nameAfterClaim(spec)...)
	}
	g.spec = withoutMachinery(spec, xr["kind"] == v1alpha1.CompositeKind)
	return g, append(errs, strict.Decode(g.spec, &g.Spec, field.NewPath("spec"), decoding()...)...)
}

// decoding exempts fields that the Go types hold for required and that may be absent: the name of the main container is
// fixed, the main container is no entry of containers, and the API server fills in the node count. For fields of older
// versions of the API it names what took their place.
func decoding() []strict.Option {
	return []strict.Option{
		strict.Optional("extraPodSpec.mainContainer.name", "extraPodSpec.containers", "multinode.nodeCount"),
		strict.Hint(v1alpha1.Service{}, "pvc", "declare the claim in spec.pvcs and mount it through volumeMounts of the service"),
		strict.Hint(v1alpha1.ResourceList{}, "nvidia.com/gpu", "write gpu instead"),
	}
}

// nameAfterClaim names the graph of a cluster-scoped composite resource after the claim that made it.
func (g *Graph) nameAfterClaim(spec map[string]any) field.ErrorList {
	claim, _ := spec["claimRef"].(map[string]any)
	name := stringAt(claim, "name")
	g.Namespace = stringAt(claim, "namespace")
	if name != "" && g.Namespace != "" {
		g.Name = name
		return nil
	}
	return field.ErrorList{field.Required(field.NewPath("spec", "claimRef"),
		"a cluster-scoped "+v1alpha1.CompositeKind+" takes its name and namespace from its claim: create a "+v1alpha1.Kind+" claim in a namespace instead")}
}

// machinery are the fields that Crossplane keeps at the root of spec: spec.crossplane of a modern composite resource,
// all others of one of scope LegacyCluster. Render, unless it is told the XRD, writes spec.crossplane for both.
func machinery(legacy bool) []string {
	if !legacy {
		return []string{"crossplane"}
	}
	return []string{
		"crossplane", "claimRef", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector", "compositionSelector",
		"compositionUpdatePolicy", "publishConnectionDetailsTo", "resourceRefs", "writeConnectionSecretToRef",
	}
}

func withoutMachinery(spec map[string]any, legacy bool) map[string]any {
	own := maps.Clone(spec)
	for _, key := range machinery(legacy) {
		delete(own, key)
	}
	return own
}

func stringAt(tree map[string]any, key string) string {
	value, _ := tree[key].(string)
	return value
}

// annotationsOf the composite resource. The API server takes strings only; offline a value such as an unquoted false
// would else be passed over.
func annotationsOf(metadata map[string]any) (map[string]string, field.ErrorList) {
	path := field.NewPath("metadata", "annotations")
	values, ok := metadata["annotations"].(map[string]any)
	if !ok && metadata["annotations"] != nil {
		return nil, field.ErrorList{field.TypeInvalid(path, metadata["annotations"], "must be an object")}
	}
	if len(values) == 0 {
		return nil, nil
	}
	var errs field.ErrorList
	annotations := make(map[string]string, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		switch value := values[key].(type) {
		case nil:
		case string:
			annotations[key] = value
		default:
			errs = append(errs, field.TypeInvalid(path.Key(key), value, "must be a string: put it in quotes"))
		}
	}
	return annotations, errs
}
