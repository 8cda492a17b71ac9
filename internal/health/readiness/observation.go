package readiness

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/health/workload"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/condition"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Observation is the readiness of a graph for which nothing new is composed, because the graph is refused or a step has failed: it depends
// on what is observed. Objects to which the composite resource refers and that are not observed are not ready.
type Observation struct {
	Readiness

	// Components at present, by their names in the status.
	Components map[string]workload.Workload

	// Marks of the observed resources by their keys.
	Marks map[string]fnv1.Ready

	// Missing are the kinds and names of the objects to which the composite resource refers and that are not observed, sorted.
	Missing []string
}

// Observe a graph. children are those of its PodCliqueSet, or nil if they are not known. It returns nil if the readiness cannot be
// determined: if nothing runs the graph yet, if references to its workloads are lost, or if all that is known of a PodCliqueSet is that
// Grove reports it as available, which is too early in some versions of Grove.
func Observe(req *fnv1.RunFunctionRequest, children workload.Children) *Observation {
	resources := req.GetObserved().GetResources()
	o := &Observation{Components: workload.Reported(observed.StatusOf(req), resources, children), Marks: map[string]fnv1.Ready{}}

	runs := ObjectsOf(o.Components)
	known := map[string]bool{}
	for _, key := range slices.Sorted(maps.Keys(resources)) {
		object := resources[key].GetResource()
		name, h := NameOf(object), health.Of(object)
		if key == string(names.KeyPodCliqueSet) {
			if children == nil && h.Ready && len(o.Components) > 0 {
				return nil
			}
			h = o.podCliqueSet(object, children)
		}
		known[name] = true
		o.Add(h, runs[name], name)
		o.Marks[key] = h.Mark()
	}
	for _, name := range referenced(req) {
		if !known[name] {
			known[name] = true
			o.Missing = append(o.Missing, name)
			o.Add(health.Health{Message: workload.Missing}, runs[name], name)
		}
	}
	if !o.runs(known) {
		return nil
	}
	return o
}

// Report condition ServicesReady. Nothing is reported if the readiness cannot be determined.
func (o *Observation) Report(req *fnv1.RunFunctionRequest, rsp *fnv1.RunFunctionResponse) {
	if o != nil {
		o.Readiness.Report(req, rsp)
	}
}

// Lacks adds that the cluster no longer serves an API group without which the graph cannot run.
func (o *Observation) Lacks(group string) *Observation {
	if o == nil {
		o = &Observation{}
	}
	o.Add(health.Health{Message: "is not served by the cluster"}, "", "API group "+group)
	o.reason = condition.ReasonProviderUnavailable
	return o
}

// runs reports whether all workloads of the graph are among the objects that are observed or referred to, by kind and name.
func (o *Observation) runs(known map[string]bool) bool {
	for _, w := range o.Components {
		child := w.Kind == v1alpha1.ComponentKindPodClique || w.Kind == v1alpha1.ComponentKindPodCliqueScalingGroup
		lost := func(name string) bool { return !known[string(w.Kind)+" "+name] }
		// A ready workload without an object is a component that is scaled to zero.
		if !child && !w.Ready && slices.ContainsFunc(w.Names, lost) {
			return false
		}
	}
	for name := range known {
		switch kind, _, _ := strings.Cut(name, " "); kind {
		case grovev1alpha1.KindPodCliqueSet, string(v1alpha1.ComponentKindLeaderWorkerSet), string(v1alpha1.ComponentKindDeployment):
			return true
		}
	}
	return false
}

// podCliqueSet is the health of the PodCliqueSet and of its components, if they are known.
func (o *Observation) podCliqueSet(object *structpb.Struct, children workload.Children) health.Health {
	if children == nil {
		return health.PodCliqueSet(object, nil)
	}
	o.AddComponents(tree.Name(object), o.Components)
	return health.PodCliqueSet(object, slices.Collect(maps.Values(o.Components)))
}

// referenced are the kinds and names of the objects to which the composite resource refers, sorted.
func referenced(req *fnv1.RunFunctionRequest) []string {
	var all []string
	for _, refs := range observed.References(req) {
		for _, ref := range refs {
			kind, _, _ := strings.Cut(ref.Kind, ".")
			all = append(all, kind+" "+ref.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ChildrenOf a plan. nil if it contains none.
func ChildrenOf(p *graphplan.Plan) workload.Children {
	if p == nil || len(p.Children) == 0 {
		return nil
	}
	return func(kind, name string) (graphplan.Child, bool) {
		for _, child := range p.Children {
			if child.Kind == kind && child.Name == name {
				return child, true
			}
		}
		return graphplan.Child{}, false
	}
}
