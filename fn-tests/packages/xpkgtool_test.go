package packages

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestXpkg checks that hack/tools/crossplane/xpkg builds and pushes what Crossplane's own command line does: a Configuration with examples, and a
// Function with an image, for one architecture and for two.
func TestXpkg(t *testing.T) {
	if os.Getenv("CONFIGURATION_DYNAMO_PARITY") != "1" {
		t.Skip("set CONFIGURATION_DYNAMO_PARITY=1 to compare with Crossplane's CLI, which is built first")
	}
	crane := tool(t, "crane")
	registry := registryOf(t, crane)
	packages, digests := map[string]map[string]string{}, map[string][]string{}
	for name, command := range map[string][]string{"xpkg": {tool(t, "xpkg")}, "crossplane": {tool(t, "crossplane-cli"), "xpkg"}} {
		folder := t.TempDir()
		in := func(file string) string { return filepath.Join(folder, file) }
		built := func(file string, flags ...string) {
			outputOf(t, append(append(command, "build", "--package-file="+in(file)), flags...)...)
		}
		pushed := func(to string, files ...string) {
			outputOf(t, append(command, "push", "--package-files="+strings.Join(files, ","), to)...)
			digests[name] = append(digests[name], outputOf(t, crane, "digest", to))
		}

		configuration := t.TempDir()
		for _, file := range []string{"crossplane.yaml", "apis/dynamographdeployment/definition.yaml", "compositions/dynamographdeployment-fused.yaml"} {
			copyFile(t, filepath.Join("../..", file), filepath.Join(configuration, filepath.Base(file)))
		}
		built("configuration.xpkg", "--package-root="+configuration, "--examples-root=../../examples/claims")
		pushed(registry+"/configuration:v1", in("configuration.xpkg"))
		for _, architecture := range []string{"amd64", "arm64"} {
			outputOf(t, "go", "run", "../../hack/image", "-arch", architecture, "-function", "graph", "-binary", "../../README.md", "-out", in(architecture+".tar"))
			built(architecture+".xpkg", "--package-root=../../package/graph", "--examples-root="+in("none"), "--embed-runtime-image-tarball="+in(architecture+".tar"))
		}
		pushed(registry+"/function:v1", in("amd64.xpkg"))
		pushed(registry+"/function:v2", in("amd64.xpkg"), in("arm64.xpkg"))
		packages[name] = map[string]string{}
		for _, file := range []string{"configuration.xpkg", "amd64.xpkg", "arm64.xpkg"} {
			data, err := os.ReadFile(in(file))
			if err != nil {
				t.Fatal(err)
			}
			packages[name][file] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
	}
	if diff := cmp.Diff(packages["crossplane"], packages["xpkg"]); diff != "" {
		t.Errorf("xpkg builds other packages than Crossplane's command line: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(digests["crossplane"], digests["xpkg"]); diff != "" {
		t.Errorf("xpkg pushes other packages than Crossplane's command line: -want, +got:\n%s", diff)
	}
}

// tool builds a tool of the repository.
func tool(t *testing.T, name string) string {
	t.Helper()
	return outputOf(t, "../../hack/tool.sh", name)
}

// outputOf a command.
func outputOf(t *testing.T, command ...string) string {
	t.Helper()
	run := exec.CommandContext(t.Context(), command[0], command[1:]...)
	run.Stderr = os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("cannot run %s: %v", strings.Join(command, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// copyFile copies a file.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil { //nolint:gosec // Both are files of the test.
		t.Fatal(err)
	}
}

// registryOf is the address of a registry that crane serves until the test ends.
func registryOf(t *testing.T, crane string) string {
	t.Helper()
	serve := exec.CommandContext(t.Context(), crane, "registry", "serve", "--address=127.0.0.1:0")
	log, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatalf("cannot start a registry: %v", err)
	}
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	port := regexp.MustCompile(`serving on port (\d+)`)
	for lines := bufio.NewScanner(log); lines.Scan(); {
		if found := port.FindStringSubmatch(lines.Text()); found != nil {
			// The registry stops answering if nobody reads its log.
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return "127.0.0.1:" + found[1]
		}
	}
	t.Fatal("the registry has stopped before it served")
	return ""
}
