package runtime

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/util/version"
)

// TestHas shows each rule in the releases around its change, for those of earlier and later series, and for a release that is not known.
func TestHas(t *testing.T) {
	before := func(v Version) Version {
		parsed := version.MustParseSemantic(string(v))
		if parsed.Minor() == 0 {
			return "0.9.1"
		}
		return Version(fmt.Sprintf("%d.%d.9", parsed.Major(), parsed.Minor()-1))
	}
	for _, c := range Changes() {
		since := c.From != ""
		for v, want := range map[Version]bool{"0.1.0": !since, before(c.release()): !since, c.release(): since, "9.0.0": since, "": (Assumed.Compare(c.release()) >= 0) == since} {
			if got := v.Has(c.Rule); got != want {
				t.Errorf("%s changes in %s: want that %q has it: %t, got %t", c.Rule, c.release(), v, want, got)
			}
		}
	}
	if Version("1.1.0").Has("Unknown") {
		t.Error("No release has a rule that is not in the table.")
	}
}

// TestChanges checks the entries of the table.
func TestChanges(t *testing.T) {
	seen := map[Rule]bool{}
	for _, c := range Changes() {
		if seen[c.Rule] {
			t.Errorf("%s has two entries.", c.Rule)
		}
		seen[c.Rule] = true
		if (c.From == "") == (c.Until == "") {
			t.Errorf("%s must have one of From and Until.", c.Rule)
		}
		if v, err := Parse(string(c.release())); err != nil || v != c.release() {
			t.Errorf("%s changes in %q, which is not a release.", c.Rule, c.release())
		}
		if c.Pods == "" || c.Effect == "" || (c.Source == 0) == (c.File == "") {
			t.Errorf("%s has no description or no source.", c.Rule)
		}
	}
	if !slices.IsSortedFunc(Changes(), func(a, b Change) int { return a.release().Compare(b.release()) }) {
		t.Error("The changes are not in the order of the releases.")
	}
}
