package plan

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/plantest"
)

// TestPlacementsAreImmutable shows that a graph on LeaderWorkerSets keeps the domains that its replicas were placed by.
func TestPlacementsAreImmutable(t *testing.T) {
	const (
		back     = ": undo the change, or delete and recreate the graph"
		ofWorker = "spec.services[Worker].topologyConstraint.packDomain"
		ofGraph  = "spec.topologyConstraint.packDomain"
		network  = `{"kind":"PodGroup","spec":{"networkTopology":{"mode":"hard","highestTierAllowed":1}}}`
		kept     = `{"domain":"rack","network":{"highestTierAllowed":1,"mode":"hard"}}`
	)
	volcano := func(spec string) *fnv1.RunFunctionRequest {
		return onVolcano(plantest.GraphOf(spec), "", plantest.WithObserved("leaderworkerset-worker-0", markedSet(setOfVolcano, "rack")), plantest.WithObserved("podgroup-worker-0", network))
	}
	older := func(spec, annotations string) *fnv1.RunFunctionRequest {
		set := strings.Replace(setOfKAI, `"name":"llama-worker-0"`, `"name":"llama-worker-0","annotations":{`+annotations+`}`, 1)
		return plantest.Request(plantest.GraphOf(spec), plantest.WithGroups("lws", "kai"), withQueue(), withInput(threeLevels), plantest.WithObserved("leaderworkerset-worker-0", set))
	}
	byKAI := func(label string) string {
		return `"kai.scheduler/topology":"my-topology","kai.scheduler/topology-required-placement":"` + label + `"`
	}
	keptByKAI := func(label string) string {
		return `{"dialect":"","kaiTopology":"my-topology","name":"my-topology","placements":{"Worker":{"requiredLabel":"` + label + `"}}}`
	}
	refused := func(messages ...string) topologyDecision { return topologyDecision{Accepted: messages} }
	compareTopologies(t, map[string]topologyCase{
		"Unchanged": {
			reason: "A graph that did not change is fine.",
			req:    volcano(placed("", "rack", "")),
			want:   topologyDecision{Topology: placedBy(kept)},
		},
		"WrittenDown": {
			reason: "Replicas stay where they are when the same domain now comes from the graph.",
			req:    volcano(placed("rack", "", "")),
			want: topologyDecision{Topology: placedBy(kept), Accepted: []string{
				ofGraph + ": on LeaderWorkerSet each replica of a service that spans nodes is packed separately, not the graph as a whole",
			}},
		},
		"Changed": {
			reason: "Another domain of the service would move its replicas.",
			req:    volcano(placed("", "zone", "")),
			want:   refused(ofWorker + `: Invalid value: "zone": cannot be changed after creation; it was "rack"` + back),
		},
		"ChangedInGraph": {
			reason: "Another domain of the graph would move its replicas.",
			req:    volcano(placed("zone", "", "")),
			want:   refused(ofGraph + `: Invalid value: "zone": cannot be changed after creation; it was "rack" for service Worker` + back),
		},
		"Removed": {
			reason: "Without a domain, the replicas might go anywhere.",
			req:    volcano(placed("", "", "")),
			want:   refused(ofGraph + `: Invalid value: "": cannot be changed after creation; it was "rack" for service Worker` + back),
		},
		"AllRemoved": {
			reason: "Without a topology, the replicas might go anywhere.",
			req:    volcano(plantest.SpecOf(plantest.Frontend, plantest.Multinode)),
			want: refused(ofGraph+`: Invalid value: "": cannot be changed after creation; it was "rack" for service Worker`+back,
				`spec.topologyConstraint.topologyProfile: Invalid value: "": cannot be changed after creation; it was "my-topology"`+back),
		},
		"Profile": {
			reason: "Domains of another topology are other domains.",
			req: onVolcano(strings.Replace(plantest.GraphOf(placed("", "rack", "")), `"my-topology"`, `"other"`, 1), "",
				withInput(strings.Replace(threeLevels, `"my-topology"`, `"other"`, 1)),
				plantest.WithObserved("leaderworkerset-worker-0", markedSet(setOfVolcano, "rack")), plantest.WithObserved("podgroup-worker-0", network)),
			want: refused(`spec.topologyConstraint.topologyProfile: Invalid value: "other": cannot be changed after creation; it was "my-topology"` + back),
		},
		"OlderAndChanged": {
			reason: "A set that is not marked tells the node label, which is that of another level.",
			req:    older(placed("", "zone", ""), byKAI("example.org/rack")),
			want:   refused(ofWorker + `: Invalid value: "zone": cannot be changed after creation; it was "rack"` + back),
		},
		"OlderAndRemoved": {
			reason: "Without a constraint there are no levels to look up, and the label is all that is known.",
			req:    older(plantest.SpecOf(plantest.Frontend, plantest.Multinode), byKAI("example.org/rack")),
			want:   refused(ofGraph + `: Invalid value: "": cannot be changed after creation; it was "example.org/rack" for service Worker` + back),
		},
		"OlderAndRelabelled": {
			reason: "A label that no level has any more tells nothing.",
			req:    older(placed("", "zone", ""), byKAI("example.org/old")),
			want:   topologyDecision{Topology: keptByKAI("example.org/old")},
		},
		"OlderAndUnchanged": {
			reason: "A graph that did not change is fine when its set is not marked.",
			req:    older(placed("", "rack", ""), byKAI("example.org/rack")),
			want:   topologyDecision{Topology: keptByKAI("example.org/rack")},
		},
	})
}

// TestProfileOfOldestDialect shows that a PodCliqueSet whose constraints do not name their topology is marked with it.
func TestProfileOfOldestDialect(t *testing.T) {
	const (
		marked   = `{"dialect":"PackDomain","name":"my-topology","recordName":true}`
		unmarked = `{"dialect":"PackDomain","name":"my-topology"}`
	)
	observed := strings.NewReplacer(`"topologyName":"my-topology",`, "", `"pack":{"required":"zone"}`, `"packDomain":"zone"`, `"pack":{"required":"rack"}`, `"packDomain":"rack"`).Replace(observedPacked)
	annotated := strings.Replace(observed, `"name":"llama"`, `"name":"llama","annotations":{"nvidia.com/topology-profile":"my-topology"}`, 1)
	on := func(profile string, more ...plantest.RequestOption) *fnv1.RunFunctionRequest {
		xr := strings.Replace(plantest.GraphOf(packed("zone", "rack")), `"my-topology"`, `"`+profile+`"`, 1)
		return onGroveAnd(xr, append([]plantest.RequestOption{withDialect("PackDomain")}, more...)...)
	}
	compareTopologies(t, map[string]topologyCase{
		"New":        {reason: "A new PodCliqueSet is marked with its topology.", req: on("my-topology"), want: topologyDecision{Topology: marked}},
		"Marked":     {reason: "A PodCliqueSet that is marked with its topology stays so.", req: on("my-topology", plantest.WithObserved("podcliqueset", annotated)), want: topologyDecision{Topology: marked}},
		"NotMarked":  {reason: "A live PodCliqueSet is not changed to mark it with its topology.", req: on("my-topology", plantest.WithObserved("podcliqueset", observed)), want: topologyDecision{Topology: unmarked}},
		"CannotTell": {reason: "A change of the topology is not seen on a PodCliqueSet that is not marked.", req: on("other", plantest.WithObserved("podcliqueset", observed)), want: topologyDecision{Topology: strings.Replace(unmarked, "my-topology", "other", 1)}},
		"Changed": {
			reason: "A change of the topology is refused on a PodCliqueSet that is marked.",
			req:    on("other", plantest.WithObserved("podcliqueset", annotated)),
			want: topologyDecision{Accepted: []string{
				`spec.topologyConstraint.topologyProfile: Invalid value: "other": cannot be changed after creation; it was "my-topology": undo the change, or delete and recreate the graph`,
			}},
		},
	})
}
