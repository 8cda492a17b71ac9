package names

import "testing"

func TestFitPodCliqueSet(t *testing.T) {
	cases := map[string]struct {
		reason string
		graph  string
		room   int
		want   string
	}{
		"Fits":     {reason: "A name that fits is the name of the graph.", graph: "llama-disagg", room: 12, want: "llama-disagg"},
		"Cut":      {reason: "A longer name is cut, with the suffix that the operator uses.", graph: "sglang-disaggregated-default", room: 26, want: "sglang-disaggregated--4923"},
		"Other":    {reason: "Graphs that begin alike have different names.", graph: "sglang-disaggregated-default-2", room: 26, want: "sglang-disaggregated--eb28"},
		"Dot":      {reason: "A part of a name does not begin with a dash.", graph: "llama.disagg", room: 11, want: "llama-e015"},
		"Shortest": {reason: "Names are not cut to less than eight characters, whatever room there is.", graph: "llama-disagg", room: -3, want: "lla-94dc"},
		"Short":    {reason: "A name of eight characters is not cut.", graph: "llama-v2", room: 1, want: "llama-v2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := FitPodCliqueSet(tc.graph, tc.room); got != tc.want {
				t.Errorf("%s\nFitPodCliqueSet(%s, %d): want %s, got %s", tc.reason, tc.graph, tc.room, tc.want, got)
			}
		})
	}
}
