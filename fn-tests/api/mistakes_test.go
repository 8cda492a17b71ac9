package api

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestPairsOfMistakes makes each mistake alone and each pair of mistakes, with others at the same time, and expects exactly their messages.
func TestPairsOfMistakes(t *testing.T) {
	all := dependences()
	used := make([]bool, len(all))
	for name, w := range worlds() {
		t.Run(name, func(t *testing.T) {
			t.Log(w.reason)
			p, tried := newPlayer(t, w), 0
			if got := p.messages(t); len(got) > 0 {
				t.Fatalf("the graph without mistakes is refused: %v", got)
			}
			common := anywhere()
			alone := p.alone(t, slices.Concat(w.own, common))
			pairs := append(pairsOf(w.own, w.own), pairsOf(w.own, common)...)
			if w.everything {
				pairs = append(pairs, pairsOf(common, common)...)
			}
			together := func(one, other *mistake) bool {
				i := slices.IndexFunc(all, func(d dependence) bool { return d.between(one, other) })
				if i >= 0 {
					used[i] = true
				}
				return i < 0 && !overlap(one.edit, other.edit)
			}
			groups := groupsOf(slices.Concat(w.own, common), pairs, together)
			groups = slices.DeleteFunc(groups, func([]edit) bool {
				tried++
				return !harness.Sampled(tried, 16)
			})
			t.Logf("%d pairs in %d groups", len(pairs), len(groups))
			p.together(t, alone, groups)
		})
	}
	for i, d := range all {
		if !used[i] {
			t.Errorf("no two mistakes depend on each other because of this: %s", d.reason)
		}
	}
}

// pairsOf two lists, or of one with itself.
func pairsOf(some, others []mistake) [][2]mistake {
	var pairs [][2]mistake
	for i := range some {
		for j := range others {
			if &some[0] != &others[0] || i < j {
				pairs = append(pairs, [2]mistake{some[i], others[j]})
			}
		}
	}
	return pairs
}

// alone makes each mistake alone, and returns the messages of each.
func (p *player) alone(t *testing.T, mistakes []mistake) map[edit][]string {
	t.Helper()
	var mutex sync.Mutex
	all := make(map[edit][]string, len(mistakes))
	harness.Parallel(len(mistakes), func(i int) {
		m := &mistakes[i]
		got := p.messages(t, m.edit)
		mutex.Lock()
		defer mutex.Unlock()
		if len(got) == 0 || !slices.ContainsFunc(got, func(message string) bool { return strings.HasPrefix(message, m.message()) }) {
			t.Errorf("%s: want a message that begins with %q, got %q", m.edit, m.message(), got)
		}
		if _, ok := all[m.edit]; ok {
			t.Errorf("%s is listed twice", m.edit)
		}
		all[m.edit] = got
	})
	return all
}

// together makes all mistakes of each group at once. Where the messages are wrong, its pairs are made alone to find out which.
func (p *player) together(t *testing.T, alone map[edit][]string, groups [][]edit) {
	t.Helper()
	harness.Parallel(len(groups), func(i int) {
		if p.difference(t, alone, groups[i]) == "" {
			return
		}
		found := false
		for j, one := range groups[i] {
			for _, other := range groups[i][:j] {
				if diff := p.difference(t, alone, []edit{other, one}); diff != "" {
					t.Errorf("%s, and %s: -want messages, +got messages:\n%s", other, one, diff)
					found = true
				}
			}
		}
		if !found {
			t.Errorf("%s: -want messages, +got messages:\n%s", groups[i], p.difference(t, alone, groups[i]))
		}
	})
}

// difference between the messages of mistakes alone and those of all at once. Empty: there is none.
func (p *player) difference(t *testing.T, alone map[edit][]string, edits []edit) string {
	t.Helper()
	var want []string
	for _, e := range edits {
		want = append(want, alone[e]...)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	return cmp.Diff(want, p.messages(t, edits...))
}

// groupSize is the number of mistakes that are made at once. A group of four has six pairs.
const groupSize = 4

// groupsOf mistakes: each pair whose mistakes can be made together is in a group, and so can all mistakes of a group.
func groupsOf(mistakes []mistake, pairs [][2]mistake, together func(one, other *mistake) bool) [][]edit {
	can, wanted := map[[2]edit]bool{}, map[[2]edit]bool{}
	for i := range mistakes {
		for j := range mistakes[:i] {
			one, other := mistakes[i].edit, mistakes[j].edit
			can[[2]edit{one, other}] = together(&mistakes[i], &mistakes[j])
			can[[2]edit{other, one}] = can[[2]edit{one, other}]
		}
	}
	for _, pair := range pairs {
		one, other := pair[0].edit, pair[1].edit
		wanted[[2]edit{one, other}], wanted[[2]edit{other, one}] = can[[2]edit{one, other}], can[[2]edit{one, other}]
	}

	var groups [][]edit
	for _, pair := range pairs {
		group := []edit{pair[0].edit, pair[1].edit}
		if !wanted[[2]edit{group[0], group[1]}] {
			continue
		}
		for i := range mistakes {
			next := mistakes[i].edit
			if len(group) < groupSize && fits(group, next, can, wanted) {
				group = append(group, next)
			}
		}
		for _, one := range group {
			for _, other := range group {
				delete(wanted, [2]edit{one, other})
			}
		}
		groups = append(groups, group)
	}
	return groups
}

// fits reports whether a mistake can be made together with those of a group, and makes at least half as many wanted pairs with them.
func fits(group []edit, next edit, can, wanted map[[2]edit]bool) bool {
	pairs := 0
	for _, e := range group {
		if !can[[2]edit{e, next}] {
			return false
		}
		if wanted[[2]edit{e, next}] {
			pairs++
		}
	}
	return 2*pairs >= len(group)
}
