package docs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/crossplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// TestCrossplaneFlags holds the page on installation to the flags that the playground's Crossplane has, and that command doctor asks for.
func TestCrossplaneFlags(t *testing.T) {
	const before, after = "--set 'args={", "}'"
	all := blocks(t)
	i := slices.IndexFunc(all, func(b page.Block) bool { return b.Page == page.Install && strings.Contains(b.Text, before) })
	if i < 0 {
		t.Fatalf("%s sets no flags of Crossplane", page.Install)
	}
	_, flags, _ := strings.Cut(all[i].Text, before)
	flags, _, _ = strings.Cut(flags, after)
	if diff := cmp.Diff(crossplane.Flags(), strings.Split(flags, ",")); diff != "" {
		t.Errorf("%s: want the page to recommend the flags that are tested: -want, +got:\n%s", all[i], diff)
	}
}
