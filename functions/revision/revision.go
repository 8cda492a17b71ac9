package revision

import (
	"maps"
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	observation "github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// digits of a hash that are enough to tell the states of one graph apart.
const digits = 10

// revision is one state of a graph, as a ControllerRevision:
//
//	data:
//	  format: 1
//	  components:
//	    Decode:
//	      written: 0f3c...     # hashes of what the user wrote for the pods, one for each format
//	      generation: 1f2e...  # of the workers, if they have one
//	      release: v0.1.0      # of the functions that built them
//	      hash: 61be...        # of the pods
//	      pods: |              # JSON: metadata and spec; those of a leader and of workers below leaderTemplate and workerTemplate
//	        {...}
//	      replicas: {"1": ""}  # pods of single replicas, where they differ, as replica 0 would have them
//
// The pods are texts of several lines, which kubectl shows as they are: as objects they would take up a fifth of the time that Crossplane
// and the functions need for a graph, although they are hardly ever read.
type revision struct {
	key string

	// name of the ControllerRevision.
	name string

	number int64

	// components by component, as they are encoded; nil when they cannot be read.
	components map[string]*structpb.Struct

	// data of the object, and the observed object; nil when there is none.
	data, observed *structpb.Struct
}

// decode an observed revision.
func decode(key string, observed *structpb.Struct) *revision {
	r := &revision{
		key: key, name: tree.Name(observed), number: int64(observed.GetFields()["revision"].GetNumberValue()),
		data: tree.At(observed, "data"), observed: observed,
	}
	if r.data.GetFields()["format"].GetNumberValue() != observation.RevisionFormat || tree.Text(observed, "deletionTimestamp", "metadata") != "" {
		return r
	}
	r.components = map[string]*structpb.Struct{}
	for name, value := range tree.At(r.data, "components").GetFields() {
		r.components[name] = value.GetStructValue()
	}
	return r
}

// newRevision of a state that has none.
func newRevision(g *graph.Graph, s state, number int64) *revision {
	components, encoded := s.encode(), &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for name, c := range components {
		encoded.Fields[name] = structpb.NewStructValue(c)
	}
	data := &structpb.Struct{Fields: map[string]*structpb.Value{
		"format": structpb.NewNumberValue(observation.RevisionFormat), "components": structpb.NewStructValue(encoded),
	}}
	hash := firstDigits(tree.Hash(data))
	return &revision{
		key: string(names.KeyRevision(hash)), name: g.Names().Revision(hash), number: number, data: data,
		components: components,
	}
}

func firstDigits(hash string) string { return hash[:min(digits, len(hash))] }

// encode the components of a state.
func (s state) encode() map[string]*structpb.Struct {
	components := make(map[string]*structpb.Struct, len(s))
	for name, c := range s {
		components[name] = c.encode()
	}
	return components
}

// has reports whether the revision is the one of a state.
func (r *revision) has(s state) bool {
	if r.components == nil || len(r.components) != len(s) {
		return false
	}
	for name, c := range s {
		if encoded := r.components[name]; encoded == nil || !tree.Equal(encoded, c.encode()) {
			return false
		}
	}
	return true
}

// desire the revision.
func (r *revision) desire(rsp *fnv1.RunFunctionResponse, g *graph.Graph) error {
	object := &appsv1.ControllerRevision{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "ControllerRevision"},
		ObjectMeta: metav1.ObjectMeta{Name: r.name, Namespace: g.Namespace, Labels: map[string]string{
			metadata.LabelGraphName: metadata.LabelValue(g.Name), metadata.LabelManagedBy: metadata.ManagedBy,
		}},
		Revision: r.number,
	}
	if err := response.Set(rsp, names.Resource(r.key), object); err != nil {
		return err
	}
	composed := rsp.GetDesired().GetResources()[r.key]
	// The data may be large, and is encoded already.
	composed.GetResource().Fields["data"] = structpb.NewStructValue(r.data)
	// It is a record: no pod waits for it.
	composed.Ready = fnv1.Ready_READY_TRUE
	return nil
}

// names of the components of a state, sorted.
func (s state) names() []string { return slices.Sorted(maps.Keys(s)) }

func number(replica int32) string { return strconv.Itoa(int(replica)) }
