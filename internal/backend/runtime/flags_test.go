package runtime

import (
	"slices"
	"strings"
	"testing"
)

func TestRemovedFlags(t *testing.T) {
	flags := RemovedFlags()
	if !slices.IsSortedFunc(flags, func(a, b RemovedFlag) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("RemovedFlags(): want them sorted by name")
	}
	for _, f := range flags {
		if _, err := Parse(string(f.In)); err != nil || f.In.Compare(NewestWithRules()) > 0 || f.Remedy == "" || len(f.Frameworks) == 0 || strings.HasPrefix(f.Name, "-") {
			t.Errorf("RemovedFlags(): want a known release, engines and a remedy, got %+v (%v)", f, err)
		}
	}
}
