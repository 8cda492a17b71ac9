package observed

import (
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graphplan"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// Reference to an object, whose kind comes with its group.
type Reference struct{ Kind, Name string }

// References that the composite resource of a request keeps to what is composed: those of a modern one, then those of one of
// scope LegacyCluster.
func References(req *fnv1.RunFunctionRequest) [][]Reference {
	var all [][]Reference
	for _, list := range referencesOf(req) {
		values := list.GetListValue().GetValues()
		refs := make([]Reference, 0, len(values))
		for _, value := range values {
			refs = append(refs, Reference{Kind: KindOf(value.GetStructValue()), Name: tree.Text(value.GetStructValue(), "name")})
		}
		all = append(all, refs)
	}
	return all
}

// confirmed are the references of a request that fit what is known about the graph from elsewhere. Users can write references, and the graph of a
// user who makes some up would remember what nobody has decided, such as another orchestrator than the platform allows. Only Crossplane writes the
// status, and it only observes objects that the graph controls. An object that neither shows does not count: it has never existed, or is gone.
func (s *State) confirmed() [][]Reference {
	orchestrator, mnnvl := s.Status.Orchestrator(), graphplan.MNNVLMode("")
	if orchestrator == "" {
		orchestrator = OrchestratorOf(s.WorkloadKinds())
	}
	if status, decided := s.Status.MNNVL(); decided || orchestrator == "" {
		mnnvl = status.Mode
	} else {
		mnnvl = graphplan.MNNVLAuto
	}
	all := References(s.req)
	for i := range all {
		all[i] = slices.DeleteFunc(all[i], func(r Reference) bool { return !r.fits(orchestrator, mnnvl) })
	}
	return all
}

// OrchestratorOf workloads of these kinds. A graph on LeaderWorkerSets has Deployments too, so those come last.
func OrchestratorOf(kinds map[string]bool) graphplan.Orchestrator {
	switch {
	case kinds[KindPodCliqueSet]:
		return graphplan.Grove
	case kinds[KindLeaderWorkerSet]:
		return graphplan.LeaderWorkerSet
	case kinds[KindDeployment]:
		return graphplan.Deployment
	default:
		return ""
	}
}

// fits reports whether a graph with an orchestrator and a mode of multi-node NVLink may have had an object of the kind. Each graph may have had
// those that are neither workloads nor NVLink domains.
func (r Reference) fits(orchestrator graphplan.Orchestrator, mnnvl graphplan.MNNVLMode) bool {
	switch r.Kind {
	case KindPodCliqueSet:
		return orchestrator == graphplan.Grove
	case KindLeaderWorkerSet, KindPodGroup, KindNativePodGroup:
		return orchestrator == graphplan.LeaderWorkerSet
	case KindDeployment:
		return orchestrator == graphplan.LeaderWorkerSet || orchestrator == graphplan.Deployment
	case KindComputeDomain:
		return mnnvl == graphplan.MNNVLAuto
	default:
		return orchestrator != ""
	}
}

// Refers reports whether the composite resource refers to any object of a kind.
func (s *State) Refers(kind string) bool {
	for _, refs := range s.References {
		for _, ref := range refs {
			if ref.Kind == kind {
				return true
			}
		}
	}
	return false
}

// RefersTo reports whether the composite resource refers to an object. Crossplane keeps a reference as long as the object is desired, even
// if it is deleted.
func (s *State) RefersTo(object Reference) bool {
	return slices.ContainsFunc(s.References, func(refs []Reference) bool { return slices.Contains(refs, object) })
}

// RefersToWorkloads reports whether the composite resource refers to each observed workload. If it does not, it has lost references, and does not
// tell what else the graph has had.
func (s *State) RefersToWorkloads() bool {
	for key, r := range s.Resources() {
		_, _, workload := names.WorkloadOf(key)
		if (workload || key == string(names.KeyPodCliqueSet)) && !s.RefersTo(Reference{KindOf(r.GetResource()), tree.Name(r.GetResource())}) {
			return false
		}
	}
	return true
}

// Known are the objects that are observed or referred to.
func (s *State) Known() map[Reference]bool {
	known := map[Reference]bool{}
	for _, refs := range s.References {
		for _, ref := range refs {
			known[ref] = true
		}
	}
	for _, r := range s.Resources() {
		known[Reference{KindOf(r.GetResource()), tree.Text(r.GetResource(), "name", "metadata")}] = true
	}
	return known
}
