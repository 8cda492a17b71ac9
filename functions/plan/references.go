package plan

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/applied"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/composite"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/managed"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// reference to an object, whose kind comes with its group.
type reference struct{ kind, name string }

// unreferencedWorkloads are those that the status says run the graph, and that Crossplane neither observes nor refers to,
// sorted. At rest there are none: the run that wrote the status wrote the references too.
func unreferencedWorkloads(req *fnv1.RunFunctionRequest, g *graph.Graph) []reference {
	reported := reportedWorkloads(req, g)
	if len(reported) == 0 {
		return nil
	}
	known := map[reference]bool{}
	for _, refs := range composite.References(req) {
		for _, ref := range refs.GetListValue().GetValues() {
			known[reference{kindOf(ref.GetStructValue()), tree.Text(ref.GetStructValue(), "name")}] = true
		}
	}
	for _, observed := range req.GetObserved().GetResources() {
		known[reference{kindOf(observed.GetResource()), tree.Text(observed.GetResource(), "name", "metadata")}] = true
	}
	return slices.DeleteFunc(reported, func(r reference) bool { return known[r] })
}

// reportedWorkloads are those that the status says run the graph, also of services that the spec does not have any more.
func reportedWorkloads(req *fnv1.RunFunctionRequest, g *graph.Graph) []reference {
	if statusOf(req) == graphplan.Grove {
		return []reference{{kindPodCliqueSet, g.Names().PodCliqueSet()}}
	}
	var reported []reference
	services := tree.At(req.GetObserved().GetComposite().GetResource(), "status", "services").GetFields()
	for _, service := range slices.Sorted(maps.Keys(services)) {
		status := services[service].GetStructValue()
		if scaledToNone(g, service, status) {
			continue
		}
		for _, kind := range []string{kindDeployment, kindLeaderWorkerSet} {
			if name, _, _ := strings.Cut(kind, "."); name != tree.Text(status, "componentKind") {
				continue
			}
			for _, name := range status.GetFields()["componentNames"].GetListValue().GetValues() {
				reported = append(reported, reference{kind, name.GetStringValue()})
			}
		}
	}
	return reported
}

// scaledToNone reports whether the status of a service names an object that is not there: that of the first replica to come.
func scaledToNone(g *graph.Graph, name string, status *structpb.Struct) bool {
	service, ok := g.Spec.Services[name]
	return ok && pod.Replicas(&service) == 0 && status.GetFields()["replicas"].GetNumberValue() == 0
}

// othersWroteReferences reports whether somebody else than Crossplane has changed the references since the last run that
// ended well, as a replace with an older manifest does. Those that are left may lack an object of which the status does not
// tell, such as an autoscaler.
func othersWroteReferences(req *fnv1.RunFunctionRequest) bool {
	xr := req.GetObserved().GetComposite().GetResource()
	generation := tree.At(xr, "metadata").GetFields()["generation"].GetNumberValue()
	if generation == tree.At(xr, "status").GetFields()["observedGeneration"].GetNumberValue() {
		return false
	}
	return slices.ContainsFunc(managed.Fields(xr), func(entry *structpb.Value) bool {
		fields := tree.At(entry.GetStructValue(), "fieldsV1", "f:spec")
		owned := fields.GetFields()["f:resourceRefs"] != nil || tree.At(fields, "f:crossplane").GetFields()["f:resourceRefs"] != nil
		return owned && tree.Text(entry.GetStructValue(), "manager") != applied.ManagerOfComposites
	})
}
