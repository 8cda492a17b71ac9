package workload

import "testing"

func TestCombine(t *testing.T) {
	cases := map[string]struct{ reason, one, other, want string }{
		"Nothing":   {reason: "What is ready has no reason."},
		"First":     {reason: "The only reason is that of both.", one: "updating", want: "updating"},
		"Second":    {reason: "The only reason is that of both.", other: "updating", want: "updating"},
		"Same":      {reason: "A reason that both have stays.", one: "updating", other: "updating", want: "updating"},
		"Different": {reason: "Different reasons are mixed.", one: "updating", other: "pods_not_ready", want: "mixed_not_ready_reasons"},
		"Mixed":     {reason: "What is mixed stays mixed.", one: "mixed_not_ready_reasons", other: "updating", want: "mixed_not_ready_reasons"},
		"Rolling":   {reason: "A rolling update explains why others are not ready.", one: "rolling_update_in_progress", other: "some_resources_are_not_ready", want: "rolling_update_in_progress"},
		"RollsToo":  {reason: "A rolling update explains why others are not ready.", one: "some_resources_are_not_ready", other: "rolling_update_in_progress", want: "rolling_update_in_progress"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Combine(tc.one, tc.other); got != tc.want {
				t.Errorf("%s\nCombine(%q, %q): want %q, got %q", tc.reason, tc.one, tc.other, tc.want, got)
			}
		})
	}
}
