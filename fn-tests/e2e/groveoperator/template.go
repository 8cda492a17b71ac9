package groveoperator

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A template is what a PodCliqueSet has its replicas made of.
type template struct {
	// hash of all pod templates. If it changes, pods are replaced.
	hash    string
	cliques []cliqueTemplate
	groups  []groupTemplate
}

type cliqueTemplate struct {
	name                string
	labels, annotations map[string]string
	spec                map[string]any
	// hash of the pod template.
	hash string
	// inGroup is true if the scaling group that has the clique creates it.
	inGroup bool
}

type groupTemplate struct {
	name    string
	cliques []cliqueTemplate
	// spec of the group.
	spec map[string]any
}

func templateOf(set *object) (template, error) {
	cliques, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "cliques")
	if err != nil {
		return template{}, fmt.Errorf("cannot read the cliques of %s: %w", set.GetName(), err)
	}
	groups, _, err := unstructured.NestedSlice(set.Object, "spec", "template", "podCliqueScalingGroups")
	if err != nil {
		return template{}, fmt.Errorf("cannot read the scaling groups of %s: %w", set.GetName(), err)
	}
	priority := textAt(set.Object, "spec", "template", "priorityClassName")
	var t template
	var hashes []string
	for _, value := range cliques {
		clique, _ := value.(map[string]any)
		c := cliqueTemplate{name: textAt(clique, "name")}
		c.labels, _, _ = unstructured.NestedStringMap(clique, "labels")
		c.annotations, _, _ = unstructured.NestedStringMap(clique, "annotations")
		c.spec, _, _ = unstructured.NestedMap(clique, "spec")
		c.hash = hashOf(c.labels, c.annotations, c.spec["podSpec"], priority)
		t.cliques = append(t.cliques, c)
		hashes = append(hashes, c.hash)
	}
	t.hash = hashOf(hashes)
	for _, value := range groups {
		group, _ := value.(map[string]any)
		names, _, _ := unstructured.NestedStringSlice(group, "cliqueNames")
		g := groupTemplate{name: textAt(group, "name"), spec: map[string]any{
			"cliqueNames": group["cliqueNames"], "replicas": orOne(group["replicas"]), "minAvailable": orOne(group["minAvailable"]),
		}}
		for i := range t.cliques {
			if slices.Contains(names, t.cliques[i].name) {
				t.cliques[i].inGroup = true
				g.cliques = append(g.cliques, t.cliques[i])
			}
		}
		t.groups = append(t.groups, g)
	}
	return t, nil
}

// hashOf what JSON can hold.
func hashOf(values ...any) string {
	data, err := json.Marshal(values)
	if err != nil {
		// It was decoded from JSON.
		panic(err)
	}
	h := fnv.New64a()
	_, _ = h.Write(data)
	return strconv.FormatUint(h.Sum64(), 16)
}

func textAt(in map[string]any, path ...string) string {
	text, _, _ := unstructured.NestedString(in, path...)
	return text
}

func numberAt(in map[string]any, path ...string) int64 {
	number, _, _ := unstructured.NestedInt64(in, path...)
	return number
}

// orOne is a number of replicas, which is one if there is none.
func orOne(replicas any) int64 {
	if number, ok := replicas.(int64); ok {
		return number
	}
	return 1
}
