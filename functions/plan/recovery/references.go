package recovery

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// unreferencedWorkloads are the workloads in the status that Crossplane neither observes nor refers to, sorted. At rest there are none,
// because the run that wrote the status wrote the references too.
func unreferencedWorkloads(o *observed.State, g *graph.Graph) []observed.Reference {
	reported := reportedWorkloads(o, g)
	if len(reported) == 0 {
		return nil
	}
	known := o.Known()
	return slices.DeleteFunc(reported, func(r observed.Reference) bool { return known[r] })
}

// reportedWorkloads are the workloads in the status, including those of components that are no longer in the spec.
func reportedWorkloads(o *observed.State, g *graph.Graph) []observed.Reference {
	if o.Status.Orchestrator() == graphplan.Grove {
		return []observed.Reference{{Kind: observed.KindPodCliqueSet, Name: g.Names().PodCliqueSet()}}
	}
	var reported []observed.Reference
	for _, component := range o.Status.Components() {
		if scaledToZero(g, component) {
			continue
		}
		for _, kind := range []string{observed.KindDeployment, observed.KindLeaderWorkerSet} {
			if name, _, _ := strings.Cut(kind, "."); name != component.Kind {
				continue
			}
			for _, name := range component.Objects {
				reported = append(reported, observed.Reference{Kind: kind, Name: name})
			}
		}
	}
	return reported
}

// scaledToZero reports whether the status of a component contains an object that does not exist: that of the first future replica.
func scaledToZero(g *graph.Graph, reported observed.Component) bool {
	component, ok := g.Components[reported.Name]
	return ok && component.Replicas() == 0 && reported.Replicas == 0
}

// othersWroteReferences reports whether anything other than Crossplane has changed the references since the last successful run, for
// example by replacing the graph with an older manifest. The remaining references may lack an object that is not in the status, such as an
// autoscaler.
func othersWroteReferences(o *observed.State) bool {
	xr := o.Composite()
	generation := tree.At(xr, "metadata").GetFields()["generation"].GetNumberValue()
	if generation == o.Status.ObservedGeneration() {
		return false
	}
	return slices.ContainsFunc(managed.Fields(xr), func(entry *structpb.Value) bool {
		fields := tree.At(entry.GetStructValue(), "fieldsV1", "f:spec")
		owned := fields.GetFields()["f:resourceRefs"] != nil || tree.At(fields, "f:crossplane").GetFields()["f:resourceRefs"] != nil
		return owned && tree.Text(entry.GetStructValue(), "manager") != applied.ManagerOfComposites
	})
}
