package wildcard

import "testing"

func TestMatch(t *testing.T) {
	cases := map[string]struct {
		reason  string
		pattern string
		yes, no []string
	}{
		"Name":     {reason: "A pattern without an asterisk is a name.", pattern: "team-a", yes: []string{"team-a"}, no: []string{"team-ab", "team", ""}},
		"Empty":    {reason: "An empty pattern is an empty name.", pattern: "", yes: []string{""}, no: []string{"a"}},
		"All":      {reason: "An asterisk is any characters, also none.", pattern: "*", yes: []string{"", "a", "a/b"}},
		"Prefix":   {reason: "The rest of a name is any.", pattern: "team-*", yes: []string{"team-", "team-a"}, no: []string{"team", "a-team-b"}},
		"Suffix":   {reason: "The beginning of a name is any.", pattern: "*.example.org", yes: []string{"a.example.org"}, no: []string{"example.org", "a.example.org.b"}},
		"Between":  {reason: "The middle of a name is any.", pattern: "a*c*e", yes: []string{"ace", "abcde", "accee"}, no: []string{"ae", "aec"}},
		"NotTwice": {reason: "The same characters do not count for two parts.", pattern: "ab*ba", yes: []string{"abba", "abcba"}, no: []string{"aba"}},
		"Repeated": {reason: "Parts are found in their order.", pattern: "*a*b*a*", yes: []string{"aba", "xaxbxax"}, no: []string{"aab", "ba"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, s := range tc.yes {
				if !Match(tc.pattern, s) {
					t.Errorf("%s\nMatch(%q, %q): want true", tc.reason, tc.pattern, s)
				}
			}
			for _, s := range tc.no {
				if Match(tc.pattern, s) {
					t.Errorf("%s\nMatch(%q, %q): want false", tc.reason, tc.pattern, s)
				}
			}
		})
	}
	if !MatchAny([]string{"a", "b*"}, "bc") || MatchAny(nil, "a") {
		t.Error("want one of several patterns to be enough, and none to match nothing")
	}
}
