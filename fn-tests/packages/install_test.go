package packages

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestLocalPackages builds only what a cluster on this machine needs, as the playground does: the same package of the function, and the file that
// installs it. The Configuration names it by another digest, that of one architecture.
func TestLocalPackages(t *testing.T) {
	if os.Getenv("CONFIGURATION_DYNAMO_PACKAGES") == "" {
		t.Skip("set CONFIGURATION_DYNAMO_PACKAGES to the folder to which `make package` has written the packages")
	}
	folder := t.TempDir()
	if _, message, err := script(t, "hack/package.sh", "-l", folder); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range files {
		got = append(got, filepath.Base(file))
	}
	function := "function-dynamo-graph-" + runtime.GOARCH + ".xpkg"
	want := []string{"configuration-dynamo.xpkg", function, "functions.txt", "install.yaml", "packages.txt", "queue.yaml"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files: -want, +got:\n%s", diff)
	}
	both := [2][]byte{}
	for i, of := range []string{build(t), folder} {
		if both[i], err = os.ReadFile(filepath.Join(of, function)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(both[0], both[1]) {
		t.Error("want the same package of the function as for all architectures")
	}
	install := harness.File(t, filepath.Join(folder, "install.yaml"))
	for name, digest := range digestsIn(t, filepath.Join(folder, "packages.txt")) {
		if !strings.Contains(string(install), "/"+name+"@"+digest+"\n") {
			t.Errorf("want install.yaml to install %s by its digest", name)
		}
	}
}

// TestInstallFiles shows what the files install that users apply: the functions that the Configuration depends on by the same digests, each with
// the runtime configuration, and the permissions.
func TestInstallFiles(t *testing.T) {
	if os.Getenv("CONFIGURATION_DYNAMO_PACKAGES") == "" {
		t.Skip("set CONFIGURATION_DYNAMO_PACKAGES to the folder to which `make package` has written the packages")
	}
	folder := build(t)
	digests := digestsIn(t, filepath.Join(folder, "packages.txt"))
	cases := map[string]struct {
		reason        string
		configuration string
		of            string
		functions     int
	}{
		"install.yaml":              {reason: "One function composes namespaced graphs.", configuration: "configuration-dynamo", of: "configuration-dynamo", functions: 1},
		"install-claims.yaml":       {reason: "One function composes claims.", configuration: "configuration-dynamo-claims", of: "configuration-dynamo-claims", functions: 1},
		"install-chain.yaml":        {reason: "The chain is another package of the same Configuration, so that one can take the place of the other.", configuration: "configuration-dynamo", of: "configuration-dynamo-chain", functions: 8},
		"install-chain-claims.yaml": {reason: "The chain of claims is, too.", configuration: "configuration-dynamo-claims", of: "configuration-dynamo-chain-claims", functions: 8},
	}
	for file, tc := range cases {
		t.Run(file, func(t *testing.T) {
			data := harness.File(t, filepath.Join(folder, file))
			objects, err := harness.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			functions, kinds := 0, map[string]bool{}
			for _, o := range objects {
				kinds[o.GetKind()] = true
				name, digest := packageOf(o)
				switch o.GetKind() {
				case "Function":
					functions++
					config, _, _ := unstructured.NestedString(o.Object, "spec", "runtimeConfigRef", "name")
					if diff := cmp.Diff([]string{digests[name], "dynamo-crossplane-" + name, "configuration-dynamo"}, []string{digest, o.GetName(), config}); diff != "" {
						t.Errorf("%s\nFunction: -want, +got:\n%s", tc.reason, diff)
					}
				case "Configuration":
					if diff := cmp.Diff([]string{tc.configuration, tc.of, digests[tc.of]}, []string{o.GetName(), name, digest}); diff != "" {
						t.Errorf("%s\nConfiguration: -want, +got:\n%s", tc.reason, diff)
					}
				}
			}
			if functions != tc.functions {
				t.Errorf("%s\nwant %d functions, got %d", tc.reason, tc.functions, functions)
			}
			for _, kind := range []string{"ClusterRole", "DeploymentRuntimeConfig", "CompositeResourceDefinition", "Composition", "Configuration"} {
				if !kinds[kind] {
					t.Errorf("%s\nwant a %s", tc.reason, kind)
				}
			}
			if kinds["Queue"] {
				t.Error("kubectl fails on an object whose kind is not served, so the queue of KAI has to be in a file of its own")
			}
		})
	}
	want := harness.File(t, "package/queue.yaml")
	got, err := os.ReadFile(filepath.Join(folder, "queue.yaml"))
	if diff := cmp.Diff(string(want), string(got)); diff != "" || err != nil {
		t.Errorf("queue.yaml: %v, -want, +got:\n%s", err, diff)
	}
}

// packageOf an object: its name and its digest.
func packageOf(o *unstructured.Unstructured) (name, digest string) {
	reference, _, _ := unstructured.NestedString(o.Object, "spec", "package")
	reference, digest, _ = strings.Cut(reference, "@")
	return reference[strings.LastIndex(reference, "/")+1:], digest
}

// digestsIn a list of packages, by their names.
func digestsIn(t *testing.T, path string) map[string]string {
	t.Helper()
	data := harness.File(t, path)
	digests := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
		digests[name] = digest
	}
	return digests
}
