package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// StandbyWarnings name the services whose pods run one engine, although their user asked for a second one before there was any: their pods
// only change with the graph.
func StandbyWarnings(f *subject.Facts, p *graphplan.Plan) message.List {
	var warnings message.List
	for _, service := range f.Graph.ComponentsByName() {
		live := f.Observed.Pods[names.Lower(service.Name)]
		runs := func(t corev1.PodTemplateSpec) bool { return pod.RunsStandby(&t.Spec) }
		if !service.HasStandby() || len(live) == 0 || slices.ContainsFunc(live, runs) {
			continue
		}
		// Until the status has the hash of the changed service, its pods are about to change.
		if written, outdated := f.Observed.Status.Revision(service.Name); !outdated || !written.Same(p.Services[service.Name].Written) {
			continue
		}
		warnings = append(warnings, message.About(graph.ComponentPath(service.Name, "experimental", "failover"), "has no effect on the running pods, each of which runs one engine, because they are from a version without failover, and pods only change with their graph; set another spec.restart.id, which restarts them with two engines"))
	}
	return warnings
}
