package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/harness"
)

// installPage says how to install this project. The word behind "bash" of a block of commands says where it is run:
// everywhere without one, for one flavour, or elsewhere, which is what needs the network, nodes, or an hour.
const installPage = "docs/install.md"

const (
	namespaced = "namespaced"
	claims     = "claims"
	elsewhere  = "elsewhere"
)

// A block of commands in a page.
type block struct {
	// where it is run; empty for everywhere.
	where  string
	script string
}

// blocksOf the commands of a page.
func blocksOf(page string) []block {
	var blocks []block
	for _, match := range regexp.MustCompile("(?ms)^```bash *([^\n]*)\n(.*?)\n```$").FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, block{where: match[1], script: match[2]})
	}
	return blocks
}

func readInstallPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(harness.Root(), installPage))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestBlocks holds the page to what TestDocumented can tell apart: a block that it would pass over is never run.
func TestBlocks(t *testing.T) {
	page := readInstallPage(t)
	for _, fence := range regexp.MustCompile("(?m)^.*```.*$").FindAllString(page, -1) {
		if !slices.Contains([]string{"```", "```bash", "```bash namespaced", "```bash claims", "```bash elsewhere"}, fence) {
			t.Errorf("want a block of bash that is run everywhere, or of one flavour, or elsewhere, got %q", fence)
		}
	}
	ran := map[string]int{}
	for _, b := range blocksOf(page) {
		ran[b.where]++
	}
	for where, least := range map[string]int{"": 5, namespaced: 2, claims: 2, elsewhere: 1} {
		if ran[where] < least {
			t.Errorf("want at least %d blocks for %q, got %d", least, where, ran[where])
		}
	}
}

// TestDocumented does what the page on installation says, from an empty cluster to one that is empty again.
func TestDocumented(t *testing.T) {
	for _, flavour := range []string{namespaced, claims} {
		t.Run(flavour, func(t *testing.T) { documented(t, flavour) })
	}
}

func documented(t *testing.T, flavour string) {
	t.Helper()
	s := bare(t, "", newGrove)
	s.operators.work(true)
	// The registry and the packages of this run stand for those of the reader.
	mine := strings.NewReplacer("registry.example.org", s.Registry(), "_output/package", packages(t))
	for _, b := range blocksOf(readInstallPage(t)) {
		if b.where != "" && b.where != flavour {
			continue
		}
		out, err := s.Shell(s.ctx, mine.Replace(b.script))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s\n%s", b.script, out)
	}

	for _, left := range []struct{ apiVersion, kind string }{
		{"pkg.crossplane.io/v1", "Configuration"},
		{"pkg.crossplane.io/v1", "Function"},
		{"apiextensions.crossplane.io/v1", "CompositeResourceDefinition"},
		{grove, "PodCliqueSet"},
	} {
		s.eventually(t, "no "+left.kind+" is left", func() error { return s.none(left.apiVersion, left.kind) })
	}
	secret := controlplane.Ref{APIVersion: "v1", Kind: "Secret", Namespace: "inference", Name: "hf-token"}
	if _, err := s.Client.Get(s.ctx, secret); err != nil {
		t.Errorf("want the user's own Secret untouched: %v", err)
	}
}

// none of a kind is there.
func (s *suite) none(apiVersion, kind string) error {
	objects, err := s.Client.List(s.ctx, apiVersion, kind, "", "")
	if err != nil {
		return err
	}
	if len(objects) > 0 {
		return fmt.Errorf("%d are there, such as %s", len(objects), objects[0].GetName())
	}
	return nil
}
