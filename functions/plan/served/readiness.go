package served

import (
	"strings"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// ReadinessWarnings name components that do not run as Deployments, although the platform says how long new pods of those have to be ready.
func ReadinessWarnings(f *subject.Facts, orchestrator graphplan.Orchestrator) message.List {
	const setting = "deployments.minReadySeconds"
	var without []string
	for _, c := range f.Graph.ComponentsByName() {
		if orchestrator == graphplan.Grove || c.IsMultinode() {
			without = append(without, c.Name)
		}
	}
	if f.Input.Deployments.MinReadySeconds == 0 || orchestrator == "" || len(without) == 0 {
		return nil
	}
	return message.List{message.About(graph.ComponentsPath(), "%s %s has no effect on %s: %s goes on with the next replica as soon as the pods of one are ready; let the platform remove it, or set it only for namespaces of Deployments",
		setting, f.Sources.In(setting), strings.Join(without, ", "), orchestrator)}
}
