package packages

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// suites that hack/test-all.sh lists, for all shards or for one of them.
func suites(t *testing.T, shard ...string) []string {
	t.Helper()
	out, message, err := script(t, append([]string{"hack/test-all.sh", "-l"}, shard...)...)
	if err != nil {
		t.Fatalf("cannot list the suites: %v: %s", err, message)
	}
	return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
}

// TestShards checks that shards are all suites, each once, and that what is no shard is refused.
func TestShards(t *testing.T) {
	all := slices.Sorted(slices.Values(suites(t)))
	for _, n := range []int{1, 2, 6} {
		var dealt []string
		for i := range n {
			dealt = append(dealt, suites(t, fmt.Sprintf("%d/%d", i+1, n))...)
		}
		slices.Sort(dealt)
		if diff := cmp.Diff(all, dealt); diff != "" {
			t.Errorf("suites of %d shards: -want, +got:\n%s", n, diff)
		}
	}
	for _, shard := range []string{"0/2", "3/2", "2", "a/b", "1/2/3"} {
		if out, message, err := script(t, "hack/test-all.sh", "-l", shard); err == nil || !strings.Contains(message, "usage:") {
			t.Errorf("shard %s: want its usage, got %q", shard, out)
		}
	}
}

// TestSuites checks that the commands of the suites exist, and that each test on a control plane is in one.
func TestSuites(t *testing.T) {
	matching := map[string]string{}
	for _, suite := range suites(t) {
		fields := strings.Fields(suite)
		if len(fields) < 4 || fields[2] != "make" {
			t.Errorf("want minutes, a name and a command of make, got %q", suite)
			continue
		}
		if _, message, err := script(t, slices.Insert(fields[3:], 0, "make", "--dry-run")...); err != nil {
			t.Errorf("%s: %v: %s", suite, err, message)
		}
		for _, variable := range fields[3:] {
			if run, ok := strings.CutPrefix(variable, "RUN="); ok {
				matching[run] = suite
			}
			if name, ok := strings.CutPrefix(variable, "PACKAGE="); ok {
				exists(t, filepath.Join("fn-tests/e2e", name))
			}
		}
	}
	// make soak and make e2e-gate run these.
	matching["TestSoak"], matching["TestGate"] = "soak", "gate"
	found := map[string]bool{}
	for _, file := range harness.Glob(t, "fn-tests/e2e/*_test.go") {
		// Tests that call their argument tt start control planes.
		for _, test := range regexp.MustCompile(`(?m)^func (Test\w+)\(tt \*testing\.T\)`).FindAllSubmatch(harness.File(t, file), -1) {
			found[string(test[1])] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(matching)), slices.Sorted(maps.Keys(found))); diff != "" {
		t.Errorf("tests on control planes: -suites of hack/test-all.sh, +fn-tests/e2e:\n%s", diff)
	}
}
