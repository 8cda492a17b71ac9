// Package takeover lets a graph take over the objects that the Dynamo operator has made for it, without a restart of its pods.
//
// A graph asks for it by an annotation. From then on:
//
//  1. Step plan finds the objects: workloads by their labels (functions/plan/adoption), and all others by the names that they would have
//     (functions/plan/ownership).
//  2. An object is only taken over if it is proven that the operator has made it for this graph (proof.go), and not for another one
//     (another.go). Otherwise the graph is refused, and also if it asks for other images than those that run (images.go).
//  3. The plan lists what is taken over among the lost objects (internal/live/lost), so all steps treat it as observed, with the names that it
//     has (names.go).
//  4. The steps build the graph as if it were new. Then step revision keeps what is fixed of the objects (keep.go): what cannot be changed of
//     them, and what other pods know theirs by (identity.go, selector.go). It also marks them. The pods that run become the first revision.
//
// An object that was taken over tells so by itself, and the annotation on the graph may go. Everything else is as in any other graph, apart from
// generations of workers, which such a graph does not have (functions/plan/generations). Step status reports what was taken over, table
// internal/kinds has the proof and the fixed fields of each kind, and names.Adoption is the form of names in the plan. Command adopt, in
// tool/adopt, prepares the objects.
package takeover

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/kinds"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Requested reports whether the user of a graph lets it take over what the Dynamo operator has made for it.
func Requested(g *graph.Graph) bool {
	return g.Annotations[metadata.AnnotationAdoptFrom] == metadata.AdoptFromOperator
}

// IsAdopted reports whether an object was taken over.
func IsAdopted(object *structpb.Struct) bool {
	return tree.Text(object, metadata.AnnotationAdoptedFrom, "metadata", "annotations") != ""
}

// Adopts reports whether a graph asks for adoption, or has objects that it has adopted.
func Adopts(g *graph.Graph, live map[string]*fnv1.Resource) bool {
	for key, r := range live {
		if IsAdopted(r.GetResource()) && kinds.IsKey(key) {
			return true
		}
	}
	return Requested(g)
}
