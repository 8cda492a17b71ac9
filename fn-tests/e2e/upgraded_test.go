package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// nextVersion is that of the release that follows.
const nextVersion = "v0.2.0"

// builder of the packages of the next release in a folder, which it returns.
func builder(ctx context.Context, folder string) func() (string, error) {
	return func() (string, error) {
		command := exec.CommandContext(ctx, "hack/package.sh", folder, nextVersion)
		command.Dir = harness.Root()
		if out, err := command.CombinedOutput(); err != nil {
			return "", fmt.Errorf("cannot build the packages: %w\n%s", err, out)
		}
		return folder, nil
	}
}

// fusedFunction does what the chain does, in one call.
const fusedFunction = "function-dynamo-graph"

// digestsIn a folder of packages are those of all functions.
func digestsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	data := harness.File(t, filepath.Join(folder, "functions.txt"))
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
