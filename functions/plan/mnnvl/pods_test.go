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
		"One":      {reason: "The one term says so.", terms: `{"matchExpressions":[` + exists + `]}`, want: true},
		"Together": {reason: "Beside something else.", terms: `{"matchExpressions":[` + other + `,` + exists + `]}`, want: true},
		"Each":     {reason: "Terms are alternatives, and each says so.", terms: `{"matchExpressions":[` + exists + `]},{"matchExpressions":[` + other + `,` + exists + `]}`, want: true},
		"Some":     {reason: "One that does not is a way around.", terms: `{"matchExpressions":[` + exists + `]},{"matchExpressions":[` + other + `]}`},
		"Fields":   {reason: "Also one of fields.", terms: `{"matchExpressions":[` + exists + `]},{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}`},
		"Empty":    {reason: "An empty one selects no node.", terms: `{"matchExpressions":[` + exists + `]},{}`, want: true},
		"Nothing":  {reason: "It alone says nothing.", terms: `{}`},
		"Value":    {reason: "One clique is not any clique.", terms: `{"matchExpressions":[{"key":"nvidia.com/gpu.clique","operator":"In","values":["c"]}]}`},
		"None":     {reason: "No terms, no requirement."},
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
