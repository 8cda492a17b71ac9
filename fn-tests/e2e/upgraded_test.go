package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// upgrade the functions one by one to another release, and back, while graphs run and are edited. Nothing of the graphs changes
// until all functions are of one release; then the edit is carried out, in place.
func (s *suite) upgrade(t *T) {
	s.operators.Work(true)
	defer s.operators.Work(false)
	graphs := []*unstructured.Unstructured{
		s.run(t, "disagg-vllm", "upgraded-grove"), s.run(t, "disagg-vllm", "upgraded-deployments", onLeaderWorkerSets),
		s.run(t, "sglang-multinode", "upgraded-lws", onLeaderWorkerSets),
	}
	built, err := s.nextRelease()
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []struct{ version, folder string }{{nextVersion, built}, {"v0.1.0", packages(t)}} {
		if out, err := s.Shell(s.ctx, fmt.Sprintf("hack/push.sh %s %s/dynamo-crossplane %s", to.folder, s.Registry(), to.version)); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		s.upgradeTo(t, graphs, to.folder, to.version)
	}
	s.remove(t, graphs...)
}

// nextVersion is that of the release that follows.
const nextVersion = "v0.2.0"

// builder of the packages of the next release in a folder, which it returns.
func builder(ctx context.Context, folder string) func() (string, error) {
	return func() (string, error) {
		command := exec.CommandContext(ctx, "hack/package.sh", folder, nextVersion) //nolint:gosec // It is a script of the repository.
		command.Dir = harness.Root()
		if out, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("cannot build the packages: %w\n%s", err, out)
		}
		return folder, nil
	}
}

// upgradeTo the packages in a folder: the functions, one after the other, and then the Configuration.
func (s *suite) upgradeTo(t testing.TB, graphs []*unstructured.Unstructured, folder, version string) {
	t.Helper()
	before := map[string]map[string]*unstructured.Unstructured{}
	for _, g := range graphs {
		before[g.GetName()] = s.composed(t, controlplane.RefOf(g))
	}
	image := "registry.example.org/upgraded:" + version
	functions := functionsIn(t, folder)
	for i, function := range slices.Sorted(maps.Keys(functions)) {
		s.installPackage(t, "Function", "dynamo-crossplane-"+function, function+"@"+functions[function])
		if i+1 == len(functions) {
			break
		}
		for _, g := range graphs {
			if i == 0 {
				set(g.Object, image, "spec", "services", "Decode", "extraPodSpec", "mainContainer", "image")
				s.apply(t, g)
				s.eventually(t, g.GetName()+" waits", s.waitsForRelease(controlplane.RefOf(g)))
			}
			if diff := cmp.Diff(generations(before[g.GetName()]), generations(s.composed(t, controlplane.RefOf(g)))); diff != "" {
				t.Errorf("%s: want nothing changed after %s: generations: -before, +after:\n%s", g.GetName(), function, diff)
			}
		}
	}
	s.installPackage(t, "Configuration", chainConfiguration, chainConfiguration+":"+version)
	for _, g := range graphs {
		ref := controlplane.RefOf(g)
		s.eventually(t, g.GetName()+" has the new image", func() error {
			for _, object := range s.composed(t, ref) {
				if contains(object, image) == nil {
					return s.is(ref, "Synced", "True", "Ready", "True", "Accepted", "True")()
				}
			}
			return errors.New("it has not")
		})
		if diff := cmp.Diff(uids(before[g.GetName()]), uids(s.composed(t, ref))); diff != "" {
			t.Errorf("%s: want everything updated in place: -before, +after:\n%s", g.GetName(), diff)
		}
	}
}

// fusedFunction does what the chain does, in one call.
const fusedFunction = "function-dynamo-graph"

// functionsIn a folder of packages, but for the fused one, and their digests.
func functionsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	functions := digestsIn(t, folder)
	delete(functions, fusedFunction)
	return functions
}

// digestsIn a folder of packages are those of all functions.
func digestsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "functions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	functions := map[string]string{}
	for line := range strings.Lines(string(data)) {
		function, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		functions[function] = digest
	}
	return functions
}

// installPackage gives an installed package another one, and waits until that is healthy.
func (s *suite) installPackage(t testing.TB, kind, name, reference string) {
	t.Helper()
	reference = controlplane.Repository + "/" + reference
	ref := controlplane.Ref{APIVersion: "pkg.crossplane.io/v1", Kind: kind, Name: name}
	if err := s.Client.Patch(s.ctx, ref, map[string]any{"spec": map[string]any{"package": reference}}); err != nil {
		t.Fatal(err)
	}
	s.eventually(t, reference+" is installed", func() error {
		object, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		if current, _, _ := unstructured.NestedString(object.Object, "status", "currentIdentifier"); current != reference {
			return fmt.Errorf("%s is installed", current)
		}
		return s.is(ref, "Installed", "True", "Healthy", "True")()
	})
}

// waitsForRelease checks that a graph is not reconciled, since steps are of two releases.
func (s *suite) waitsForRelease(ref controlplane.Ref) func() error {
	return func() error {
		g, err := s.Client.Get(s.ctx, ref)
		if err != nil {
			return err
		}
		status, message := controlplane.Condition(g, "Synced")
		if status != "False" || !strings.Contains(message, "step plan has release") {
			return fmt.Errorf("Synced is %s: %s", status, message)
		}
		return s.is(ref, "Ready", "True", "ServicesReady", "True")()
	}
}
