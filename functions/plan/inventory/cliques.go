package inventory

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/pod"
)

// Cliques are the names of the objects that Grove creates from a PodCliqueSet. Clique 0-x of PodCliqueSet a and clique x of PodCliqueSet
// a-0 are both PodClique a-0-0-x.
type Cliques struct {
	set string

	// singles are the cliques outside of scaling groups, and groups the scaling groups, by the ends of their names.
	singles, groups []string
}

// CliquesOf a graph.
func CliquesOf(g *graph.Graph) Cliques {
	c := Cliques{set: g.Names().PodCliqueSet()}
	for _, name := range g.ComponentNames() {
		if g.Component(name).IsScalingGroup() {
			c.groups = append(c.groups, names.Clique(name))
			continue
		}
		c.singles = append(c.singles, names.Clique(name))
	}
	return c
}

// CliquesOfSet are those of a live PodCliqueSet.
func CliquesOfSet(set *grovev1alpha1.PodCliqueSet) Cliques {
	c := Cliques{set: set.Name}
	for _, group := range set.Spec.Template.ScalingGroups {
		c.groups = append(c.groups, group.Name)
	}
	for _, clique := range set.Spec.Template.Cliques {
		if !slices.ContainsFunc(set.Spec.Template.ScalingGroups, func(group grovev1alpha1.ScalingGroup) bool {
			return slices.Contains(group.CliqueNames, clique.Name)
		}) {
			c.singles = append(c.singles, clique.Name)
		}
	}
	return c
}

// fullNames of cliques or scaling groups. They begin with the name of the gang of the PodCliqueSet.
func (c Cliques) fullNames(ends []string) []string {
	full := make([]string, 0, len(ends))
	for _, end := range ends {
		full = append(full, c.set+"-0-"+end)
	}
	return full
}

// Meet reports whether Grove would give the same name to two objects of different PodCliqueSets.
func (c Cliques) Meet(other Cliques) bool {
	singles, others := c.fullNames(c.singles), other.fullNames(other.singles)
	return slices.ContainsFunc(singles, func(name string) bool { return slices.Contains(others, name) }) ||
		c.groupsMeet(other) || other.groupsMeet(c)
}

// groupsMeet reports whether an object below a scaling group may have the name of an object of another PodCliqueSet, including its gang:
// the names contain the number of the replica of the group, which is not limited.
func (c Cliques) groupsMeet(other Cliques) bool {
	all := append(other.fullNames(other.singles), other.fullNames(other.groups)...)
	for _, group := range c.fullNames(c.groups) {
		if slices.Contains(other.fullNames(other.groups), group) || slices.ContainsFunc(all, func(name string) bool { return isReplica(name, group) }) {
			return true
		}
	}
	return false
}

// isReplica reports whether a name is that of a replica of a scaling group, or begins with it.
func isReplica(name, group string) bool {
	rest, ok := strings.CutPrefix(name, group+"-")
	number, _, _ := strings.Cut(rest, "-")
	_, err := strconv.ParseUint(number, 10, 31)
	return ok && err == nil
}

// Neighbours are the names of the only PodCliqueSets that can have conflicting names. replicas limits how many replicas of a component are
// considered.
func Neighbours(g *graph.Graph, replicas int32) []string {
	set := g.Names().PodCliqueSet()
	found := map[string]bool{}
	addPrefixes := func(name string, after int) {
		for i := after + 1; i < len(name); i++ {
			if rest, ok := strings.CutPrefix(name[i:], "-0"); ok && (rest == "" || rest[0] == '-') {
				found[name[:i]] = true
			}
		}
	}
	addPrefixes(set, 0)
	for _, component := range g.ComponentsByName() {
		child := g.Names().GroveChild(component.Name)
		addPrefixes(child, len(set))
		if !component.IsScalingGroup() {
			continue
		}
		// The number of a replica only matters if the rest of the name can be that of a PodCliqueSet.
		last := int32(1)
		if strings.Contains("-"+names.Clique(component.Name)+"-", "-0-") {
			last = max(1, min(component.Replicas(), replicas))
		}
		for i := range last {
			for _, clique := range pod.CliqueNames(component) {
				addPrefixes(child+"-"+strconv.Itoa(int(i))+"-"+clique, len(set))
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
