package observed

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Status of a composite resource, as step status last wrote it. It is read field by field: it grows with the graph, and most
// of it is never read.
type Status struct{ status *structpb.Struct }

// StatusOf the composite resource of a request.
func StatusOf(req *fnv1.RunFunctionRequest) Status {
	return StatusIn(req.GetObserved().GetComposite().GetResource())
}

// StatusIn the object of a graph.
func StatusIn(object *structpb.Struct) Status { return Status{tree.At(object, "status")} }

// Orchestrator that runs the graph. It is empty if the status names none that there is.
func (s Status) Orchestrator() graphplan.Orchestrator {
	switch o := graphplan.Orchestrator(tree.Text(s.status, "orchestrator")); o {
	case graphplan.Grove, graphplan.LeaderWorkerSet, graphplan.Deployment:
		return o
	default:
		return ""
	}
}

// ObservedGeneration is that of the composite resource in the last run that ended well.
func (s Status) ObservedGeneration() float64 {
	return s.status.GetFields()["observedGeneration"].GetNumberValue()
}

// TotalGPUs that the graph requested when it was last applied.
func (s Status) TotalGPUs() int64 { return int64(s.status.GetFields()["totalGPUs"].GetNumberValue()) }

// MNNVL is what the status says about multi-node NVLink; false when it says nothing, so that nothing is decided.
func (s Status) MNNVL() (graphplan.MNNVL, bool) {
	mnnvl := tree.At(s.status, "mnnvl")
	return graphplan.MNNVL{
		Mode:  graphplan.MNNVLMode(tree.Text(mnnvl, "mode")),
		Scope: graphplan.MNNVLScope(tree.Text(mnnvl, "scope")),
	}, len(mnnvl.GetFields()) > 0
}

// Restart that the status reports; nil when it reports none.
func (s Status) Restart() *v1alpha1.RestartStatus {
	fields := tree.At(s.status, "restart").GetFields()
	if fields == nil {
		return nil
	}
	restart := &v1alpha1.RestartStatus{ObservedID: fields["observedID"].GetStringValue(), Phase: fields["phase"].GetStringValue()}
	for _, name := range fields["inProgress"].GetListValue().GetValues() {
		restart.InProgress = append(restart.InProgress, name.GetStringValue())
	}
	return restart
}

// Component is what the status says of a component.
type Component struct {
	Name string

	// Kind of the objects that run the component, without its group, and their names.
	Kind    string
	Objects []string

	Replicas float64
}

// Components that the status reports, also those that the spec does not have any more, by name.
func (s Status) Components() []Component {
	fields := tree.At(s.status, graph.KeyIn(s.status)).GetFields()
	components := make([]Component, 0, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		reported := fields[name].GetStructValue()
		component := Component{Name: name, Kind: tree.Text(reported, "componentKind"), Replicas: reported.GetFields()["replicas"].GetNumberValue()}
		for _, object := range reported.GetFields()["componentNames"].GetListValue().GetValues() {
			component.Objects = append(component.Objects, object.GetStringValue())
		}
		components = append(components, component)
	}
	return components
}

// TextOf a component in a field. It is empty if the status reports none.
func (s Status) TextOf(component, field string) string {
	return tree.Text(s.status, field, graph.KeyIn(s.status), component)
}

// ReadyReplicas of a component, or the available ones if what runs it does not count ready ones. It is nil if the status does not report the
// component.
func (s Status) ReadyReplicas(component string) *structpb.Value {
	if !s.Reports(component) {
		return nil
	}
	counts := tree.At(s.status, graph.KeyIn(s.status), component).GetFields()
	return cmp.Or(counts["readyReplicas"], counts["availableReplicas"], structpb.NewNumberValue(0))
}

// Reports whether the status has a component.
func (s Status) Reports(component string) bool {
	return tree.At(s.status, graph.KeyIn(s.status), component) != nil
}

// Revision of the pods of a component: the hash of what their user has written, and whether the pods of a new graph would be others.
func (s Status) Revision(component string) (written graphplan.Written, outdated bool) {
	revision := tree.At(s.status, graph.KeyIn(s.status), component, "revision")
	return graphplan.Written(tree.Text(revision, "written")), revision.GetFields()["outdated"].GetBoolValue()
}

// HasComponents reports whether the status reports any component.
func (s Status) HasComponents() bool {
	return len(tree.At(s.status, graph.KeyIn(s.status)).GetFields()) > 0
}
