package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLosses shows what make fields has to accept: a loss that is missed would be written silently.
func TestLosses(t *testing.T) {
	cases := map[string]struct {
		reason        string
		before, after []State
		want          []string
	}{
		"Same":    {reason: "Nothing changes.", before: []State{Works, Warned, NotThere}, after: []State{Works, Warned, NotThere}},
		"Gained":  {reason: "A field may do more than before.", before: []State{NotThere, Warned, Refused}, after: []State{Works, Works, Warned}},
		"New":     {reason: "A new field may have no effect.", after: []State{Works, Warned, Refused}},
		"Lost":    {reason: "A field that worked has to work.", before: []State{Works, Works, Works}, after: []State{Works, Warned, Refused}, want: []string{"spec.a on LeaderWorkerSet: yes becomes warning", "spec.a on Deployment: yes becomes refused"}},
		"Refused": {reason: "A graph that was accepted has to be.", before: []State{Warned}, after: []State{Refused}, want: []string{"spec.a on Grove: warning becomes refused"}},
		"Gone":    {reason: "A field that existed has to exist.", before: []State{NotThere, Works}, want: []string{"spec.a on LeaderWorkerSet: yes becomes -"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := losses(map[string][]State{"spec.a": tc.before}, map[string][]State{"spec.a": tc.after})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nlosses(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
