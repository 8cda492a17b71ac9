package foundation

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
)

// foundation composes the objects that the pods of one graph need.
type foundation struct {
	graph *graph.Graph
	plan  *graphplan.Plan

	// observed composed resources by key.
	observed map[string]*fnv1.Resource

	// keeper determines what pods still use.
	keeper *retain.Keeper

	// rolls reports whether the pods of a component are replaced, or are about to be.
	rolls func(component string) bool
}

// composed is an object with the key under which Crossplane tracks it.
type composed struct {
	key    names.Resource
	object any
}

func (f *foundation) resources() ([]composed, error) {
	pvcs, err := f.pvcs()
	if err != nil {
		return nil, err
	}
	eppConfig, err := f.eppConfigMap()
	if err != nil {
		return nil, err
	}
	var all []composed
	for _, part := range [][]composed{
		pvcs,
		f.discoveryRBAC(),
		f.plannerRBAC(),
		f.eppRBAC(),
		f.services(),
		f.modelServices(),
		f.exposures(),
		f.waitForLeader(),
		eppConfig,
		f.scalingAdapters(),
		f.inferencePool(),
		f.destinationRule(),
		f.claimTemplates(),
	} {
		all = append(all, part...)
	}
	return all, f.keepSubjects(all)
}

func (f *foundation) objectMeta(name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: f.graph.Namespace, Labels: labels}
}
