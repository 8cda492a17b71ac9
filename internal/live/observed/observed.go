// Package observed contains what Crossplane observes of a graph: the composite resource and its composed objects. Each is decoded once,
// here, and only the fields that are needed.
package observed

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// State is what Crossplane observes of a graph in one call.
type State struct {
	req *fnv1.RunFunctionRequest

	// keys of the composed resources, sorted.
	keys []string

	// PodCliqueSet of the graph. nil if there is none.
	PodCliqueSet *grovev1alpha1.PodCliqueSet

	// LeaderWorkerSets and PodGroups, in the order of their keys. PodGroups only contain the first one of each component.
	LeaderWorkerSets []LeaderWorkerSet
	PodGroups        []PodGroup

	// Components of the Deployments and LeaderWorkerSets.
	Components Components

	// Pods of one workload of each component, by lower-cased name. All workloads of a component have the same pods.
	Pods map[string]Pods

	// References of the composite resource that its status or an observed object confirms: those of a modern one, then those with scope
	// LegacyCluster.
	References [][]Reference

	// Status of the composite resource.
	Status Status
}

// Components of workloads, by lower-cased name. The value is true for a multinode component.
type Components map[string]bool

// Of a request.
func Of(req *fnv1.RunFunctionRequest) (*State, error) {
	s := &State{
		req: req, keys: slices.Sorted(maps.Keys(req.GetObserved().GetResources())),
		Components: Components{}, Pods: map[string]Pods{}, Status: StatusOf(req),
	}
	s.References = s.confirmed()
	for _, key := range s.keys {
		if component, multinode, ok := names.WorkloadOf(key); ok {
			s.Components[component] = multinode
		}
	}
	for _, decode := range []func() error{s.decodePodCliqueSet, s.decodeLeaderWorkerSets, s.decodePodGroups, s.decodeDeployments} {
		if err := decode(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Composite is the composite resource.
func (s *State) Composite() *structpb.Struct { return s.req.GetObserved().GetComposite().GetResource() }

// Keys of the composed resources, sorted.
func (s *State) Keys() []string { return s.keys }

// Resources are the composed resources by their keys.
func (s *State) Resources() map[string]*fnv1.Resource { return s.req.GetObserved().GetResources() }

// Object under a key. nil if there is none.
func (s *State) Object(key names.Resource) *structpb.Struct {
	return s.Resources()[string(key)].GetResource()
}

// Has reports whether there is an object under a key.
func (s *State) Has(key names.Resource) bool {
	_, ok := s.Resources()[string(key)]
	return ok
}

// Controls reports whether the composite resource controls an object.
func (s *State) Controls(object *structpb.Struct) bool { return require.ControlledBy(object, s.req) }

// Succeeds reports whether an object belongs to a previous composite resource that this one replaced.
func (s *State) Succeeds(object *structpb.Struct) bool {
	return require.ControlledByNamesake(object, s.req)
}

// WorkloadKinds are the kinds of the workloads. A Deployment of another step of the pipeline is not a workload of the graph.
func (s *State) WorkloadKinds() map[string]bool {
	kinds := map[string]bool{}
	for key, r := range s.Resources() {
		if _, _, workload := names.WorkloadOf(key); workload || key == string(names.KeyPodCliqueSet) {
			kinds[KindOf(r.GetResource())] = true
		}
	}
	return kinds
}

// HasKind reports whether any composed resource has a kind, including those of other steps.
func (s *State) HasKind(kind string) bool {
	for _, r := range s.Resources() {
		if KindOf(r.GetResource()) == kind {
			return true
		}
	}
	return false
}

// Kinds with their groups.
const (
	KindPodCliqueSet    = "PodCliqueSet.grove.io"
	KindLeaderWorkerSet = "LeaderWorkerSet.leaderworkerset.x-k8s.io"
	KindPodGroup        = "PodGroup.scheduling.volcano.sh"
	KindNativePodGroup  = "PodGroup.scheduling.k8s.io"
	KindDeployment      = "Deployment.apps"
	KindComputeDomain   = "ComputeDomain.resource.nvidia.com"
)

// KindOf an object, with its group.
func KindOf(object *structpb.Struct) string {
	group, _, _ := strings.Cut(object.GetFields()["apiVersion"].GetStringValue(), "/")
	return object.GetFields()["kind"].GetStringValue() + "." + group
}
