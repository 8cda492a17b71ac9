package mnnvl

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestRequiresClique shows when pods can only go to nodes of a clique.
func TestRequiresClique(t *testing.T) {
	exists := corev1.NodeSelectorRequirement{Key: "nvidia.com/gpu.clique", Operator: corev1.NodeSelectorOpExists}
	other := corev1.NodeSelectorRequirement{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}
	one := corev1.NodeSelectorRequirement{Key: "nvidia.com/gpu.clique", Operator: corev1.NodeSelectorOpIn, Values: []string{"c"}}
	field := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"n"}}
	term := func(expressions ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchExpressions: expressions}
	}
	onField := corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{field}}
	cases := map[string]struct {
		reason string
		terms  []corev1.NodeSelectorTerm
		want   bool
	}{
		"One":      {reason: "A single term that asks for a clique requires one.", terms: []corev1.NodeSelectorTerm{term(exists)}, want: true},
		"Together": {reason: "A term that asks for a clique and for something else requires a clique.", terms: []corev1.NodeSelectorTerm{term(other, exists)}, want: true},
		"Each":     {reason: "Alternative terms require a clique when each of them asks for one.", terms: []corev1.NodeSelectorTerm{term(exists), term(other, exists)}, want: true},
		"Some":     {reason: "An alternative term that does not ask for a clique is a way around the requirement.", terms: []corev1.NodeSelectorTerm{term(exists), term(other)}},
		"Fields":   {reason: "An alternative term on fields is a way around the requirement.", terms: []corev1.NodeSelectorTerm{term(exists), onField}},
		"Empty":    {reason: "An empty term selects no node and is no way around the requirement.", terms: []corev1.NodeSelectorTerm{term(exists), term()}, want: true},
		"Nothing":  {reason: "An empty term alone does not require a clique.", terms: []corev1.NodeSelectorTerm{term()}},
		"Value":    {reason: "A term that names one clique does not count as a requirement of any clique.", terms: []corev1.NodeSelectorTerm{term(one)}},
		"None":     {reason: "Without terms, no clique is required."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: tc.terms},
			}}}
			if got := requiresClique(&spec); got != tc.want {
				t.Errorf("%s\nrequiresClique(...): want %t, got %t", tc.reason, tc.want, got)
			}
		})
	}
	for _, spec := range []corev1.PodSpec{{}, {Affinity: &corev1.Affinity{}}, {Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}}} {
		if requiresClique(&spec) {
			t.Errorf("requiresClique(%v): want false", spec.Affinity)
		}
	}
}
