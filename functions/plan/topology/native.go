package topology

import (
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/subject"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// nativePlacement is a constraint of a PodGroup of Kubernetes: one label of nodes, which is required.
func nativePlacement(required string, t Decision) graphplan.Placement {
	if required == "" {
		return graphplan.Placement{}
	}
	return graphplan.Placement{Domain: required, RequiredLabel: t.Levels.KeyOf(required)}
}

// withoutPreference refuses preferred domains of the replicas of a new graph whose gangs are those of Kubernetes, which only knows required ones.
func withoutPreference(f *subject.Facts, gang graphplan.Gang) subject.Outcome {
	var o subject.Outcome
	if f.Live() {
		return o
	}
	refused := map[string]bool{}
	for _, name := range pod.MultinodeComponents(f.Graph) {
		preferred := preferredOf(f.Graph, name)
		packed := gang.Places(f.Graph.Names(), name, f.Graph.Component(name).SchedulerName())
		if !packed || preferred.domain == "" || refused[preferred.component] {
			continue
		}
		refused[preferred.component] = true
		o.Refuse(subject.NotSupported, message.Invalid(preferred.path, preferred.domain,
			"the scheduler of Kubernetes packs gangs by one required domain, and supports no preferred domains; remove the annotation, require the domain instead, or run the graph with KAI or Volcano"))
	}
	return o
}
