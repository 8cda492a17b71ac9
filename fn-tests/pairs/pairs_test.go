// Package pairs makes two mistakes in a graph at a time, and checks that both are reported at once.
package pairs

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// TestPairs makes each mistake alone and each pair of mistakes, and expects exactly their messages.
func TestPairs(t *testing.T) {
	all := dependences()
	used := make([]bool, len(all))
	for name, w := range worlds() {
		t.Run(name, func(t *testing.T) {
			t.Log(w.reason)
			p := newPlayer(t, w)
			if got := p.messages(t); len(got) > 0 {
				t.Fatalf("the graph without mistakes is refused: %v", got)
			}
			common := anywhere()
			alone := p.alone(t, slices.Concat(w.own, common))
			pairs := append(pairsOf(w.own, w.own), pairsOf(w.own, common)...)
			if w.everything {
				pairs = append(pairs, pairsOf(common, common)...)
			}
			pairs = slices.DeleteFunc(pairs, func(pair [2]mistake) bool {
				i := slices.IndexFunc(all, func(d dependence) bool { return d.between(&pair[0], &pair[1]) })
				if i >= 0 {
					used[i] = true
				}
				return i >= 0 || overlap(pair[0].edit, pair[1].edit)
			})
			t.Logf("%d pairs", len(pairs))
			p.together(t, alone, pairs)
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

// together makes two mistakes at once.
func (p *player) together(t *testing.T, alone map[edit][]string, pairs [][2]mistake) {
	t.Helper()
	harness.Parallel(len(pairs), func(i int) {
		one, other := pairs[i][0].edit, pairs[i][1].edit
		want := slices.Concat(alone[one], alone[other])
		slices.Sort(want)
		want = slices.Compact(want)
		if got := p.messages(t, one, other); !slices.Equal(want, got) {
			t.Errorf("%s, and %s: -want messages, +got messages:\n%s", one, other, cmp.Diff(want, got))
		}
	})
}
