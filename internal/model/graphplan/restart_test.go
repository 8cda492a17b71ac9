package graphplan

import "testing"

func TestRestartMark(t *testing.T) {
	first, second := RestartMark{At: "one"}, RestartMark{At: "two"}
	restarted := Plan{Restart: &Restart{Marks: map[string][]RestartMark{"Worker": {first, second}}}}
	cases := map[string]struct {
		reason    string
		plan      Plan
		component string
		i         int32
		want      RestartMark
	}{
		"First":        {reason: "Each object has a mark of its own.", plan: restarted, component: "Worker", want: first},
		"Second":       {reason: "The second object of a service has a mark of its own.", plan: restarted, component: "Worker", i: 1, want: second},
		"Beyond":       {reason: "An object of which the plan says nothing has no mark.", plan: restarted, component: "Worker", i: 2},
		"OtherService": {reason: "A service of which the plan says nothing has no mark.", plan: restarted, component: "Frontend"},
		"NoRestart":    {reason: "A graph that was never restarted has no marks.", component: "Worker"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.plan.RestartMark(tc.component, tc.i); got != tc.want {
				t.Errorf("%s\nRestartMark(%s, %d): want %v, got %v", tc.reason, tc.component, tc.i, tc.want, got)
			}
		})
	}
}
