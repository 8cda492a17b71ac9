package rollout

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Replicas by what is seen of them.
func missing() replica { return replica{} }
func done() replica    { return replica{exists: true, available: true} }
func rolling() replica { return replica{exists: true} }
func sound() replica   { return replica{exists: true, outdated: true, available: true} }
func broken() replica  { return replica{exists: true, outdated: true} }

func TestTurn(t *testing.T) {
	cases := map[string]struct {
		reason   string
		replicas []replica
		limit    int
		updating []int
		waiting  []int
	}{
		"NothingToDo":      {reason: "When all have the new template, nothing is left to do.", replicas: []replica{done(), rolling(), missing()}, limit: 1},
		"First":            {reason: "The first replica begins.", replicas: []replica{sound(), sound(), sound()}, limit: 1, updating: []int{0}, waiting: []int{1, 2}},
		"Waits":            {reason: "The second replica waits while the first one is not ready.", replicas: []replica{rolling(), sound(), sound()}, limit: 1, waiting: []int{1, 2}},
		"Next":             {reason: "The second replica follows when the first one is ready.", replicas: []replica{done(), sound(), sound()}, limit: 1, updating: []int{1}, waiting: []int{2}},
		"Two":              {reason: "More of them roll at a time where more may be unavailable.", replicas: []replica{rolling(), sound(), sound(), sound()}, limit: 2, updating: []int{1}, waiting: []int{2, 3}},
		"All":              {reason: "All replicas roll at once where all may be unavailable.", replicas: []replica{missing(), sound(), broken()}, limit: 1 << 30, updating: []int{2, 1}},
		"BrokenFirst":      {reason: "A replica that is down already goes first, and no other one goes down.", replicas: []replica{sound(), sound(), broken()}, limit: 1, updating: []int{2}, waiting: []int{0, 1}},
		"BrokenAndSound":   {reason: "A replica that is down counts where more than one may be down.", replicas: []replica{sound(), sound(), broken()}, limit: 2, updating: []int{2, 0}, waiting: []int{1}},
		"AllBroken":        {reason: "When all replicas are down, no more of them take the template than may be down: it may not work either.", replicas: []replica{broken(), broken(), broken()}, limit: 2, updating: []int{0, 1}, waiting: []int{2}},
		"BrokenMeanwhile":  {reason: "A replica that breaks while another does not come up does not follow it.", replicas: []replica{rolling(), broken(), sound()}, limit: 1, waiting: []int{1, 2}},
		"BrokenAfterwards": {reason: "A replica that came up and broke is waited for.", replicas: []replica{done(), rolling(), sound()}, limit: 1, waiting: []int{2}},
		"New":              {reason: "A replica that is still to be created counts as one that is down.", replicas: []replica{sound(), missing()}, limit: 1, waiting: []int{0}},
		"MoreDownThanMay":  {reason: "Where more replicas are down than may be, none goes down.", replicas: []replica{rolling(), missing(), sound(), broken()}, limit: 1, waiting: []int{3, 2}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			updating, waiting := turn(tc.replicas, tc.limit)
			if diff := cmp.Diff([][]int{tc.updating, tc.waiting}, [][]int{updating, waiting}); diff != "" {
				t.Errorf("%s\nturn(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTurnAlways holds what must be so whatever is seen: no more replicas are down than may be on account of the rollout, and it
// goes on whenever nothing is under way.
func TestTurnAlways(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // The same cases each time.
	kinds := []func() replica{missing, done, rolling, sound, broken}
	for range 20_000 {
		limit := 1 + random.IntN(3)
		replicas := make([]replica, random.IntN(7))
		down, unproven, differing := 0, 0, 0
		for i := range replicas {
			replicas[i] = kinds[random.IntN(len(kinds))]()
			if r := replicas[i]; !r.available {
				down++
				if !r.outdated {
					unproven++
				}
			}
			if replicas[i].outdated {
				differing++
			}
		}
		updating, waiting := turn(replicas, limit)
		if len(updating)+len(waiting) != differing {
			t.Fatalf("turn(%+v, %d): want each of the %d that differ once, got %v and %v", replicas, limit, differing, updating, waiting)
		}
		downAfter := down
		for _, i := range updating {
			if replicas[i].available {
				downAfter++
			}
		}
		if downAfter > max(limit, down) {
			t.Fatalf("turn(%+v, %d) takes down too many: %v", replicas, limit, updating)
		}
		if len(updating) > 0 && unproven+len(updating) > limit {
			t.Fatalf("turn(%+v, %d) has too many on a template that is not proven: %v", replicas, limit, updating)
		}
		if differing > 0 && unproven == 0 && len(updating) == 0 {
			t.Fatalf("turn(%+v, %d) never goes on", replicas, limit)
		}
	}
}
