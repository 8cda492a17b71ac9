package why

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// gang of pods that are scheduled together.
type gang struct {
	kind, name string

	// words of its scheduler. Empty: it says nothing.
	words string

	// within is the topology domain into which the gang has to be packed. Empty: it may be anywhere.
	within string
}

// gangs of a graph by kind and name.
type gangs map[[2]string]gang

func gangsOf(objects []unstructured.Unstructured) gangs {
	all := gangs{}
	for i := range objects {
		o := &objects[i]
		if o.GetKind() != kindPodGang && o.GetKind() != kindPodGroup {
			continue
		}
		g := gang{kind: o.GetKind(), name: o.GetName(), within: within(o), words: wordsOf(o)}
		all[[2]string{g.kind, g.name}] = g
		if g.kind == kindPodGang {
			continue
		}
		// KAI groups the pods of a PodGang, and says in its own object why they have no place.
		for _, owner := range o.GetOwnerReferences() {
			of := [2]string{owner.Kind, owner.Name}
			if base := all[of]; owner.Kind == kindPodGang && g.words != "" {
				base.kind, base.name, base.words = owner.Kind, owner.Name, g.words
				all[of] = base
			}
		}
	}
	return all
}

// wordsOf the scheduler about a gang.
func wordsOf(object *unstructured.Unstructured) string {
	decoded := conditionsOf(object)
	for _, c := range append(decoded.Status.SchedulingConditions, decoded.Status.Conditions...) {
		unschedulable := strings.HasPrefix(c.Type, "Unschedulable") && c.Status == "True"
		notScheduled := strings.HasSuffix(c.Type, "Scheduled") && c.Status == "False"
		if (unschedulable || notScheduled) && c.Message != "" {
			return brief(c.Message)
		}
	}
	return ""
}

// within is the topology domain of a gang: of Grove, of KAI or of Volcano.
func within(object *unstructured.Unstructured) string {
	for _, path := range [][]string{
		{"spec", "topologyConstraint", "packConstraint", "required"},
		{"spec", "topologyConstraint", "requiredTopologyLevel"},
		{"spec", "networkTopology", "highestTierName"},
	} {
		if key, _, _ := unstructured.NestedString(object.Object, path...); key != "" {
			return "one " + oneLine(key)
		}
	}
	if tier, ok, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "networkTopology", "highestTierAllowed"); ok {
		return oneLine(fmt.Sprintf("one HyperNode of tier %v", tier))
	}
	return ""
}

// of a kind and name. A gang that was not read has nothing else.
func (g gangs) of(kind, name string) gang {
	if found, ok := g[[2]string{kind, name}]; ok {
		return found
	}
	return gang{kind: kind, name: name}
}

// in is the gang as the end of a clause. Empty: the pod is scheduled alone.
func (g *gang) in() string {
	if g.name == "" {
		return ""
	}
	text := fmt.Sprintf(" for all pods of %s %s", g.kind, g.name)
	if g.within != "" {
		text += " within " + g.within
	}
	return text
}

// next are the arguments of kubectl that describe the gang. nil: there is none.
func (g *gang) next() []string {
	if g.name == "" {
		return nil
	}
	return []string{"describe", strings.ToLower(g.kind), g.name}
}
