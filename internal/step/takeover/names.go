package takeover

import (
	"slices"
	"strconv"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/live/observed"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names/metadata"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/tree"
)

// NamesOf the observed objects of a graph that has adopted any, where they differ from those that it would give them. The user may
// take the annotation away again: the objects tell by themselves that they were adopted.
func NamesOf(g *graph.Graph, live map[string]*fnv1.Resource) names.Adoption {
	if !Adopts(g, live) {
		return names.Adoption{}
	}
	adopted := names.Adoption{Components: map[string]string{}}
	if name := liveName(live, string(names.KeyPodCliqueSet)); name != names.Of(g.Name, names.Adoption{}).PodCliqueSet() {
		adopted.PodCliqueSet = name
	}
	plain := names.Of(g.Name, names.Adoption{})
	for _, component := range g.ComponentNames() {
		if name := plain.Service(component); liveName(live, string(names.KeyService(component))) != name {
			// The Service leads to a workload that is lost: the name tells what that was called.
			setName(&adopted, plain, component, liveName(live, string(names.KeyService(component))))
		}
	}
	for key := range live {
		component, _, ok := names.WorkloadOf(key)
		if !ok {
			continue
		}
		name := liveName(live, key)
		if _, i, ok := names.ReplicaOfLeaderWorkerSet(key); ok {
			name = strings.TrimSuffix(name, "-"+strconv.Itoa(int(i)))
		}
		setName(&adopted, plain, component, name)
	}
	if len(adopted.Components) == 0 {
		adopted.Components = nil
	}
	for _, component := range g.ComponentNames() {
		if inOneSet(live, component) {
			adopted.Sets = append(adopted.Sets, names.Lower(component))
		}
	}
	slices.Sort(adopted.Sets)
	return adopted
}

// setName sets the base name of a component, unless it has none, or the one that the graph gives it.
func setName(adopted *names.Adoption, plain names.Graph, component, name string) {
	delete(adopted.Components, names.Lower(component))
	if name != "" && name != plain.Component(component) {
		adopted.Components[names.Lower(component)] = name
	}
}

func liveName(live map[string]*fnv1.Resource, key string) string {
	return tree.Text(live[key].GetResource(), "name", "metadata")
}

// inOneSet reports whether all replicas of a component run in one LeaderWorkerSet, because the set was adopted with several. Sets that run one
// replica are labelled with its number, whoever has made them, or get that label when they are adopted.
func inOneSet(resources map[string]*fnv1.Resource, component string) bool {
	set := resources[string(names.KeyLeaderWorkerSet(component, 0))].GetResource()
	if set == nil || tree.Text(set, metadata.LabelInstance, "metadata", "labels") != "" {
		return false
	}
	for key := range resources {
		if other, i, ok := names.ReplicaOfLeaderWorkerSet(key); ok && i > 0 && other == names.Lower(component) {
			return false
		}
	}
	replicas, _ := observed.Replicas(set)
	return IsAdopted(set) || replicas > 1
}

// Account that the live pods of a component run as, in a graph that has adopted any. The Dynamo operator has one for the planners of a
// namespace, which belongs to no graph, and what it allows is deleted together with the operator.
func Account(g *graph.Graph, live map[string]*fnv1.Resource, component string) string {
	if !Adopts(g, live) {
		return ""
	}
	if pods := tree.At(live[string(names.KeyDeployment(component))].GetResource(), "spec", "template", "spec"); pods != nil {
		return tree.Text(pods, "serviceAccountName")
	}
	template := tree.At(live[string(names.KeyPodCliqueSet)].GetResource(), "spec", "template")
	for _, clique := range template.GetFields()["cliques"].GetListValue().GetValues() {
		if tree.Text(clique.GetStructValue(), "name") == names.Clique(component) {
			return tree.Text(clique.GetStructValue(), "serviceAccountName", "spec", "podSpec")
		}
	}
	return ""
}
