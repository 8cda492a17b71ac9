package mnnvl

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestRequiresClique shows when pods can only go to nodes of a clique.
func TestRequiresClique(t *testing.T) {
	const exists, other = `{"key":"nvidia.com/gpu.clique","operator":"Exists"}`, `{"key":"zone","operator":"In","values":["a"]}`
	cases := map[string]struct {
		reason string
		terms  string
		want   bool
	}{
		"One":      {reason: "A single term that asks for a clique requires one.", terms: `{"matchExpressions":[` + exists + `]}`, want: true},
		"Together": {reason: "A term that asks for a clique and for something else requires a clique.", terms: `{"matchExpressions":[` + other + `,` + exists + `]}`, want: true},
		"Each":     {reason: "Alternative terms require a clique when each of them asks for one.", terms: `{"matchExpressions":[` + exists + `]},{"matchExpressions":[` + other + `,` + exists + `]}`, want: true},
		"Some":     {reason: "An alternative term that does not ask for a clique is a way around the requirement.", terms: `{"matchExpressions":[` + exists + `]},{"matchExpressions":[` + other + `]}`},
		"Fields":   {reason: "An alternative term on fields is a way around the requirement.", terms: `{"matchExpressions":[` + exists + `]},{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}`},
		"Empty":    {reason: "An empty term selects no node and is no way around the requirement.", terms: `{"matchExpressions":[` + exists + `]},{}`, want: true},
		"Nothing":  {reason: "An empty term alone does not require a clique.", terms: `{}`},
		"Value":    {reason: "A term that names one clique does not count as a requirement of any clique.", terms: `{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"In","values":["c"]}]}`},
		"None":     {reason: "Without terms, no clique is required."},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := corev1.PodSpec{}
			document := `{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + tc.terms + `]}}}}`
			if err := json.Unmarshal([]byte(document), &spec); err != nil {
				t.Fatal(err)
			}
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
