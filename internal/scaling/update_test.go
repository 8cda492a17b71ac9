package scaling

import (
	"testing"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/internal/apis/grove/v1alpha1"
)

// TestHashOf shows which pods of a PodCliqueSet are those of a component.
func TestHashOf(t *testing.T) {
	clique := func(name, label string) grovev1alpha1.Clique {
		return grovev1alpha1.Clique{Name: name, Labels: map[string]string{"a": label}}
	}
	set := func(leader, worker, frontend, priority string) string {
		object := &grovev1alpha1.PodCliqueSet{Spec: grovev1alpha1.PodCliqueSetSpec{Template: grovev1alpha1.PodCliqueSetTemplate{
			PriorityClassName: priority,
			Cliques:           []grovev1alpha1.Clique{clique("decode-ldr", leader), clique("decode-wkr", worker), clique("frontend", frontend)},
			ScalingGroups:     []grovev1alpha1.ScalingGroup{{Name: "decode", CliqueNames: []string{"decode-ldr", "decode-wkr"}}},
		}}}
		set := resourceOf(object).GetResource()
		return hashOf(set, cliquesOf(set, "Decode")...)
	}
	cases := map[string]struct {
		reason string
		hash   string
		same   bool
	}{
		"Frontend":      {reason: "Pods of another service are not those of this one.", hash: set("1", "1", "2", ""), same: true},
		"Leader":        {reason: "The leader is a pod of each replica.", hash: set("2", "1", "1", "")},
		"Worker":        {reason: "The workers are pods of each replica.", hash: set("1", "2", "1", "")},
		"PriorityClass": {reason: "The priority class is that of all pods.", hash: set("1", "1", "1", "high")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if same := tc.hash == set("1", "1", "1", ""); same != tc.same {
				t.Errorf("%s\nhashOf(...): the same: want %t, got %t", tc.reason, tc.same, same)
			}
		})
	}
}
