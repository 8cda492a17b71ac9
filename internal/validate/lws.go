package validate

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/report/message"
)

// maxLeaderWorkerSetName leaves room for what the StatefulSets of a LeaderWorkerSet add to its name in labels: a group index, and a
// revision hash of 10 characters.
const maxLeaderWorkerSetName = 50

// leaderWorkerSets checks the rules of the LWS webhook, and names that would conflict.
func (v *validator) leaderWorkerSets() {
	taken := map[string]string{}
	for _, name := range v.graph.ComponentNames() {
		taken[v.graph.Names().Service(name)] = name
	}
	properName := len(validation.IsDNS1123Subdomain(v.graph.Name)) == 0
	bounded := WithinBounds(v.graph)
	for _, component := range bounded.ComponentsByName() {
		if !component.IsMultinode() || component.Replicas() < 1 {
			continue
		}
		path := graph.ComponentsPath().Key(component.Name)
		sets := component.Sets()
		last := v.graph.Names().Replica(component.Name, sets-1)
		// The first digit of the group index has room.
		most := maxLeaderWorkerSetName + 1 - len(strconv.Itoa(int(component.ReplicasOfSet()-1)))
		if problems := validation.IsDNS1035Label(last); properName && (len(problems) > 0 || len(last) > most) {
			remedy := message.Format("rename the graph")
			if long := len(last) - most; long > 0 {
				remedy = message.Format("shorten the names of the graph and of the {{component}} to %d characters together", len(v.graph.Name)+len(component.Name)-long)
			}
			v.invalid(path, component.Name, "its LeaderWorkerSet would be named %s, but names of LeaderWorkerSets must have at most %d characters, begin with a letter and contain no dots; %s", last, most, remedy)
		}
		v.headlessServices(taken, component.Name, sets)
	}
}

// headlessServices refuses a component whose Service has the same name as the headless Service of a LeaderWorkerSet.
func (v *validator) headlessServices(taken map[string]string, name string, sets int32) {
	prefix := v.graph.Names().Service(name) + "-"
	for component, other := range taken {
		index, err := strconv.ParseInt(component[min(len(prefix), len(component)):], 10, 32)
		if err == nil && other != name && component == prefix+strconv.FormatInt(index, 10) && index < int64(sets) {
			v.invalid(graph.ComponentsPath().Key(other), other, "its Service would have the name of the headless Service of replica %d of {{component}} %s; rename one of the two {{components}}", index, names.Lower(name))
		}
	}
}
