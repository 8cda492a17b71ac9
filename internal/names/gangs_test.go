package names

import "testing"

func TestGenerationOfSchedulingGroup(t *testing.T) {
	const set = "llama-worker-1"
	cases := map[string]struct {
		reason     string
		group      string
		generation string
		ok         bool
	}{
		"First":      {reason: "The first pods of a set are in a PodGroup of its name.", group: SchedulingGroup(set, ""), ok: true},
		"Later":      {reason: "Later pods are in one with a generation.", group: SchedulingGroup(set, GenerationOfPods("0123abcd5678")), generation: "g0123abcd", ok: true},
		"None":       {reason: "Pods in no PodGroup are in none of the set."},
		"OtherSet":   {reason: "The name of another replica is not a generation.", group: SchedulingGroup("llama-worker-1-0", "")},
		"OtherLater": {reason: "The generation of another replica is its own.", group: SchedulingGroup("llama-worker-10", "g0123abcd")},
		"Long":       {reason: "A name that goes on is another name.", group: set + "-g0123abcde"},
		"NoHash":     {reason: "A word is not a generation.", group: set + "-groupings"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			generation, ok := GenerationOfSchedulingGroup(set, tc.group)
			if ok != tc.ok || ok && generation != tc.generation {
				t.Errorf("%s\nGenerationOfSchedulingGroup(%s, %s): want %q %t, got %q %t", tc.reason, set, tc.group, tc.generation, tc.ok, generation, ok)
			}
		})
	}
}
