package names

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

// TestMatchBelow shows which paths are below a pattern.
func TestMatchBelow(t *testing.T) {
	cases := map[string]struct {
		reason  string
		pattern string
		yes, no []string
	}{
		"Host":     {reason: "A host includes all of its paths.", pattern: "nvcr.io", yes: []string{"nvcr.io", "nvcr.io/nvidia/a"}, no: []string{"nvcr.io.evil.org/a", "nvcr.io:5000/a", "a/nvcr.io"}},
		"Folder":   {reason: "A pattern ends with a part.", pattern: "nvcr.io/nvidia", yes: []string{"nvcr.io/nvidia", "nvcr.io/nvidia/a"}, no: []string{"nvcr.io/nvidia2/a", "nvcr.io"}},
		"Hosts":    {reason: "An asterisk in a host is about the host alone.", pattern: "*.example.org", yes: []string{"eu.example.org/a", "a.b.example.org/c/d"}, no: []string{"evil.com/x.example.org/y", "example.org/a"}},
		"Anything": {reason: "An asterisk alone is any host.", pattern: "*", yes: []string{"a", "a/b/c"}},
		"Between":  {reason: "An asterisk between slashes is one part.", pattern: "a/*/c", yes: []string{"a/b/c", "a/b/c/d"}, no: []string{"a/b/b/c", "a/c"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, path := range tc.yes {
				if !MatchBelow(tc.pattern, path) {
					t.Errorf("%s\nMatchBelow(%q, %q): want true", tc.reason, tc.pattern, path)
				}
			}
			for _, path := range tc.no {
				if MatchBelow(tc.pattern, path) {
					t.Errorf("%s\nMatchBelow(%q, %q): want false", tc.reason, tc.pattern, path)
				}
			}
		})
	}
}
