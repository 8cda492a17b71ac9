package observed

import (
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/composite"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// Reference to an object, whose kind comes with its group.
type Reference struct{ Kind, Name string }

// References that the composite resource of a request keeps to what is composed: those of a modern one, then those of one of
// scope LegacyCluster.
func References(req *fnv1.RunFunctionRequest) [][]Reference {
	var all [][]Reference
	for _, list := range composite.References(req) {
		values := list.GetListValue().GetValues()
		refs := make([]Reference, 0, len(values))
		for _, value := range values {
			refs = append(refs, Reference{Kind: KindOf(value.GetStructValue()), Name: tree.Text(value.GetStructValue(), "name")})
		}
		all = append(all, refs)
	}
	return all
}

// Refers reports whether the composite resource refers to any object of a kind.
func (s *State) Refers(kind string) bool {
	for _, refs := range s.References {
		for _, ref := range refs {
			if ref.Kind == kind {
				return true
			}
		}
	}
	return false
}

// RefersTo reports whether the composite resource refers to an object. Crossplane keeps a reference as long as the object is desired, even
// if it is deleted.
func (s *State) RefersTo(object Reference) bool {
	return slices.ContainsFunc(s.References, func(refs []Reference) bool { return slices.Contains(refs, object) })
}

// Known are the objects that are observed or referred to.
func (s *State) Known() map[Reference]bool {
	known := map[Reference]bool{}
	for _, refs := range s.References {
		for _, ref := range refs {
			known[ref] = true
		}
	}
	for _, r := range s.Resources() {
		known[Reference{KindOf(r.GetResource()), tree.Text(r.GetResource(), "name", "metadata")}] = true
	}
	return known
}
