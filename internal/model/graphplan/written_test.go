package graphplan

import "testing"

func TestWritten(t *testing.T) {
	cases := map[string]struct {
		reason     string
		a, b       Written
		same       bool
		aCompleted Written
	}{
		"Same":       {reason: "The same hash says that nothing has changed.", a: "a", b: "a", same: true, aCompleted: "a"},
		"Other":      {reason: "Another hash says that something has changed.", a: "a", b: "b", aCompleted: "a"},
		"None":       {reason: "Where nothing is known, nothing is the same."},
		"Unknown":    {reason: "A hash is not the same as none.", a: "a", aCompleted: "a"},
		"Newer":      {reason: "A release finds its hash among those of a newer one.", a: "a", b: "a 2:b", same: true, aCompleted: "a 2:b"},
		"Older":      {reason: "A release finds the hash of an older one among its own.", a: "a 2:b", b: "a", same: true, aCompleted: "a 2:b"},
		"Edited":     {reason: "What only the newer format tells apart has changed if both have it.", a: "a 2:b", b: "a 2:c", aCompleted: "a 2:b"},
		"NotEdited":  {reason: "What only the older format tells apart has not.", a: "a 2:b", b: "c 2:b", same: true, aCompleted: "a 2:b"},
		"Apart":      {reason: "Releases that have no format in common cannot tell.", a: "2:b", b: "3:c", aCompleted: "2:b 3:c"},
		"SameNumber": {reason: "Hashes of different formats are never compared.", a: "2:a", b: "a", aCompleted: "a 2:a"},
		"Order":      {reason: "Formats are numbers.", a: "10:b 2:a", b: "2:a 10:c", aCompleted: "2:a 10:b"},
		"Garbled":    {reason: "What is no hash is left out.", a: "x:a 2:b", b: "2:b", same: true, aCompleted: "2:b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if a, b := tc.a.Same(tc.b), tc.b.Same(tc.a); a != tc.same || b != tc.same {
				t.Errorf("%s\nSame(...): want %t, got %t and %t", tc.reason, tc.same, a, b)
			}
			if got := tc.a.Completed(tc.b); got != tc.aCompleted {
				t.Errorf("%s\nCompleted(...): want %q, got %q", tc.reason, tc.aCompleted, got)
			}
		})
	}
}
