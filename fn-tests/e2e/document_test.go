package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/playground"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/page"
)

// scriptsOf the pages that are run on a cluster of a flavour: those that install, or all others.
func scriptsOf(t testing.TB, flavour string, install bool) []page.Block {
	t.Helper()
	all, err := page.All()
	if err != nil {
		t.Fatal(err)
	}
	var scripts []page.Block
	for _, b := range all {
		here := b.Where == page.Everywhere || b.Where == flavour
		installs := b.Page == page.Install || b.Page == page.Readme
		if b.Language == page.Bash && b.NotRun == "" && here && installs == install {
			scripts = append(scripts, b)
		}
	}
	// Fewer would mean that the pages are no longer read right.
	if least := 5; len(scripts) < least {
		t.Fatalf("want at least %d scripts, got %d", least, len(scripts))
	}
	return scripts
}

// TestDocumented does what the page on installation says about claims.
func TestDocumented(tt *testing.T) {
	tt.Parallel()
	documented(repeating(tt), page.Claims)
}

// documented does what the page on installation and the README say, from an empty cluster to one that is empty again: first step by step, then with
// the file that installs everything.
func documented(t *T, flavour string) {
	s := bare(t, "", newGrove)
	s.operators.Work(true)
	var steps, atOnce []page.Block
	for _, b := range scriptsOf(t, flavour, true) {
		if strings.Contains(b.Text, installFile) {
			atOnce = append(atOnce, b)
		} else {
			steps = append(steps, b)
		}
	}
	with := func(text string) int {
		i := slices.IndexFunc(steps, func(b page.Block) bool { return strings.Contains(b.Text, text) })
		if i < 0 {
			t.Fatalf("want a script with %q", text)
		}
		return i
	}
	// An upgrade comes to an end also where there is no graph yet, as when everything has just been installed.
	steps = slices.Insert(steps, with("--for=condition=Established crd/dynamographdeployments.nvidia.com")+1, steps[with("--for=condition=Synced \"dgd/$name\"")])
	t.Run("Steps", func(t *T) { s.installs(t, steps) })
	if flavour == page.Claims {
		return
	}
	if least := 2; len(atOnce) < least {
		t.Fatalf("want at least %d scripts with the file that installs everything, got %d", least, len(atOnce))
	}
	for _, text := range []string{"--for=condition=Established crd/dynamographdeployments.nvidia.com", "kubectl apply -f examples/agg-vllm.yaml"} {
		atOnce = append(atOnce, steps[with(text)])
	}
	t.Run("AtOnce", func(t *T) { s.installs(t, slices.Concat(atOnce, steps[with("kubectl delete dgd --all"):])) })
}

// installFile is the file that installs everything, in the scripts.
const installFile = "_output/package/install.yaml"

// installs what scripts install, and remove again. What belongs to the user stays.
func (s *suite) installs(t *T, scripts []page.Block) {
	// The registry, the packages and the versions of this run stand for those of the reader.
	folder := t.TempDir()
	mine := strings.NewReplacer(
		installFile, filepath.Join(folder, "install.yaml"), "_output/package", packages(t),
		"registry.example.org", s.Registry(), "NEW_VERSION", "v0.2.0",
	)
	for _, script := range []string{
		fmt.Sprintf("cp %s/{functions,packages}.txt %s && hack/install.sh %[2]s %[3]s/dynamo-crossplane", packages(t), folder, s.Registry()),
		"kubectl delete namespace inference --ignore-not-found",
	} {
		if _, err := s.Shell(s.ctx, script); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range scripts {
		out, err := s.Shell(s.ctx, mine.Replace("REGISTRY=registry.example.org/dynamo-crossplane\n"+b.Text))
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		t.Logf("%s: %s\n%s", b, b.Text, out)
	}
	for _, left := range []apiKind{
		{"pkg.crossplane.io/v1", "Configuration"},
		{"pkg.crossplane.io/v1", "Function"},
		{"apiextensions.crossplane.io/v1", "CompositeResourceDefinition"},
		{grove, "PodCliqueSet"},
	} {
		s.eventually(t, "no "+left.kind+" is left", func() error { return s.none(left.apiVersion, left.kind) })
	}
	secret := controlplane.Ref{APIVersion: "v1", Kind: "Secret", Namespace: playground.Namespace, Name: "hf-token"}
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

// reads a page as a reader in the playground does: runs its commands for a cluster, at least so many, and wants to see what the page shows. After each
// command, something more may be done.
func (s *suite) reads(t *T, name, entrance string, least int, after ...func(c page.Command)) {
	t.Helper()
	all, err := page.All()
	if err != nil {
		t.Fatal(err)
	}
	prepare := reader(t, entrance)
	ran := 0
	for _, b := range all {
		if b.Page != name || b.Where != page.Cluster || b.NotRun != "" {
			continue
		}
		for _, c := range b.Commands() {
			ran++
			begin := time.Now()
			if err := errors.Join(s.follow(c, prepare), s.isResponsive()); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			t.Logf("%s: %s (%s)", b, c.Line, time.Since(begin).Round(100*time.Millisecond))
			for _, do := range after {
				do(c)
			}
		}
	}
	// Fewer would mean that the page is no longer read right.
	if ran < least {
		t.Errorf("the page has %d commands for a cluster, want at least %d", ran, least)
	}
}

// reader prepares the folder of a reader, with the examples, and returns what a terminal begins with there.
func reader(t testing.TB, entrance string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink(filepath.Join(harness.Root(), "examples"), filepath.Join(folder, "examples")); err != nil {
		t.Fatal(err)
	}
	return entrance + "\ncd '" + folder + "'\n"
}

// follow a page: run a command, once, and hold what it prints to what the page shows.
func (s *suite) follow(c page.Command, prepare string) error {
	out, err := s.ShellUntil(s.ctx, prepare+c.Line, func(printed string) bool { return c.Interrupted && c.Printed(printed) == nil })
	switch {
	case err == nil && c.Fails():
		return fmt.Errorf("%s: got no error, the page shows %q", c.Line, c.Output)
	case err != nil && !c.Fails():
		return fmt.Errorf("%s: the page shows %q: %w", c.Line, c.Output, err)
	}
	return c.Printed(out)
}

// isResponsive wants the circuit breaker of no graph open, for which Crossplane has the flags that docs/install.md recommends.
func (s *suite) isResponsive() error {
	graphs, err := s.Client.List(s.ctx, nvidia, dgd, "", "")
	if err != nil {
		return err
	}
	for i := range graphs {
		if status, message := controlplane.Condition(&graphs[i], "Responsive"); status == "False" {
			return fmt.Errorf("%s: Responsive is False: %s", graphs[i].GetName(), message)
		}
	}
	return nil
}

// documents runs the scripts of all other pages on a cluster with graph llama.
func (s *suite) documents(t *T) {
	flavour := page.Namespaced
	if s.ofClaims {
		flavour = page.Claims
	}
	s.operators.Work(true)
	defer s.operators.Work(false)
	graph := exampleOfComponents(t, "agg-vllm")
	graph.SetName("llama")
	ref := controlplane.RefOf(graph)
	s.apply(t, graph)
	s.eventually(t, "the graph is ready", s.is(ref, "Synced", "True", "Ready", "True"))
	for _, b := range scriptsOf(t, flavour, false) {
		t.Run(b.String(), func(t *T) {
			out, err := s.Shell(s.ctx, b.Text)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s\n%s", b.Text, out)
		})
	}
	s.remove(t, graph)
}
