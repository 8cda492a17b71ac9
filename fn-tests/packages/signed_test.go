package packages

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSigned publishes the packages to a registry, and verifies each as its users do: the package, every image in it, what is attested of it, and
// a copy in another registry. A key stands for the identity of the workflow, which nobody else has.
func TestSigned(t *testing.T) {
	if os.Getenv("CONFIGURATION_DYNAMO_E2E") != "1" {
		t.Skip("set CONFIGURATION_DYNAMO_E2E=1 to sign the packages with cosign, which is built first")
	}
	cosign, crane := tool(t, "cosign"), tool(t, "crane")
	repository, mirror := registryOf(t, crane)+"/dynamo-crossplane", registryOf(t, crane)+"/mirror"
	folder := releaseOf(t, build(t))
	key, otherKey := keyPair(t, cosign), keyPair(t, cosign)
	t.Setenv("COSIGN_KEY", key+".key")
	t.Setenv("COSIGN_TLOG_UPLOAD", "false")
	if _, message, err := script(t, "hack/publish.sh", folder, repository, released); err != nil {
		t.Fatalf("%v: %s", err, message)
	}
	if err := os.Unsetenv("COSIGN_KEY"); err != nil {
		t.Fatal(err)
	}

	verify := func(t *testing.T, key string, args ...string) error {
		t.Helper()
		_, message, err := script(t, append([]string{cosign, args[0], "--key=" + key + ".pub", "--insecure-ignore-tlog"}, args[1:]...)...)
		if err != nil {
			return fmt.Errorf("%w: %s", err, message)
		}
		return nil
	}
	packages := digestsIn(t, filepath.Join(folder, "packages.txt"))
	if len(packages) == 0 {
		t.Fatal("no package was published")
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		t.Run(name, func(t *testing.T) {
			if _, message, err := script(t, cosign, "copy", repository+"/"+name+"@"+packages[name], mirror+"/"+name+":"+released); err != nil {
				t.Fatalf("%v: %s", err, message)
			}
			for _, reference := range []string{repository + "/" + name + "@" + packages[name], mirror + "/" + name + ":" + released} {
				if err := verify(t, key, "verify", reference); err != nil {
					t.Errorf("%s: the signature: %v", reference, err)
				}
				if err := verify(t, otherKey, "verify", reference); err == nil {
					t.Errorf("%s: the signature of somebody else is accepted", reference)
				}
				types := []string{"slsaprovenance1"}
				if strings.HasPrefix(name, "function-") {
					types = append(types, "cyclonedx")
				}
				for _, predicate := range types {
					if err := verify(t, key, "verify-attestation", "--type="+predicate, reference); err != nil {
						t.Errorf("%s: the attestation of type %s: %v", reference, predicate, err)
					}
				}
			}
		})
	}
	t.Run("Files", func(t *testing.T) {
		// Without a root, cosign fetches that of the public instance of Sigstore.
		root := filepath.Join(t.TempDir(), "root.json")
		outputOf(t, cosign, "trusted-root", "create", "--out="+root)
		in := func(file string) string { return filepath.Join(folder, file) }
		if err := verify(t, key, "verify-blob", "--new-bundle-format", "--trusted-root="+root, "--bundle="+in("SHA256SUMS.sigstore.json"), in("SHA256SUMS")); err != nil {
			t.Errorf("the checksums: %v", err)
		}
		if err := verify(t, key, "verify-blob", "--new-bundle-format", "--trusted-root="+root, "--bundle="+in("SHA256SUMS.sigstore.json"), in("packages.txt")); err == nil {
			t.Error("the signature of the checksums is accepted for another file")
		}
		if err := verify(t, key, "verify-blob-attestation", "--new-bundle-format", "--trusted-root="+root, "--type=slsaprovenance1",
			"--bundle="+in("kubectl-dgd-linux-amd64.provenance.sigstore.json"), in("kubectl-dgd-linux-amd64")); err != nil {
			t.Errorf("the provenance of the command line: %v", err)
		}
	})
}

// releaseOf makes a folder of a release of packages that are built. A file stands for the command line.
func releaseOf(t *testing.T, packages string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink(packages, filepath.Join(folder, "packages")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"packages.txt", "SHA256SUMS", "functions-amd64.cdx.json", "functions-arm64.cdx.json"} {
		copyFile(t, filepath.Join(packages, file), filepath.Join(folder, file))
	}
	if err := os.WriteFile(filepath.Join(folder, "kubectl-dgd-linux-amd64"), []byte("a command line"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// keyPair of cosign, without a password. It returns the path without .key and .pub.
func keyPair(t *testing.T, cosign string) string {
	t.Helper()
	t.Setenv("COSIGN_PASSWORD", "")
	prefix := filepath.Join(t.TempDir(), "release")
	outputOf(t, cosign, "generate-key-pair", "--output-key-prefix="+prefix)
	return prefix
}
