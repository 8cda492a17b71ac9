package packages

import (
	"bytes"
	"debug/macho"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

// TestCommandLine builds the command line of a release in two directories, with its bill of materials, and runs it. That for macOS is built
// only.
func TestCommandLine(t *testing.T) {
	if os.Getenv("CONFIGURATION_DYNAMO_E2E") != "1" {
		t.Skip("set CONFIGURATION_DYNAMO_E2E=1 to build the command line for several platforms, which takes minutes")
	}
	folder, source := t.TempDir(), t.TempDir()
	first, second, bill := filepath.Join(folder, "first"), filepath.Join(folder, "second"), filepath.Join(folder, "bill.json")
	const elsewhere = `tar --exclude=./.git --exclude=./.cache --exclude=./_output -cf - . | tar --touch -xf - -C "$1" && "$1/hack/binary.sh" cmd/dgd "$2" "$3" "$4" "$5"`
	for _, args := range [][]string{
		{"hack/binary.sh", "cmd/dgd", first, runtime.GOOS, runtime.GOARCH, released},
		{"bash", "-euo", "pipefail", "-c", elsewhere, "bash", source, second, runtime.GOOS, runtime.GOARCH, released},
		{"hack/bill.sh", first, bill},
		{"hack/binary.sh", "cmd/dgd", filepath.Join(folder, "darwin"), "darwin", "arm64", released},
	} {
		if _, message, err := script(t, args...); err != nil {
			t.Fatalf("%v: %v: %s", args, err, message)
		}
	}
	one, other := harness.File(t, first), harness.File(t, second)
	if !bytes.Equal(one, other) {
		t.Error("the same source becomes different binaries in two directories")
	}
	testBill(t, bill, one)
	testVersion(t, first)

	mac, err := macho.Open(filepath.Join(folder, "darwin"))
	if err != nil {
		t.Fatalf("the binary for macOS is none: %v", err)
	}
	defer mac.Close()
	if diff := cmp.Diff(macho.CpuArm64, mac.Cpu); diff != "" {
		t.Errorf("processor of the binary for macOS: -want, +got:\n%s", diff)
	}
}

// testVersion checks that a binary says which release it is.
func testVersion(t *testing.T, binary string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "version", "--output=json")
	cmd.Dir = harness.Root()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot run the binary: %v", err)
	}
	var versions struct {
		Release string `json:"release"`
	}
	if err := json.Unmarshal(out, &versions); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^` + regexp.QuoteMeta(released) + `\+[0-9a-f]{12}$`).MatchString(versions.Release) {
		t.Errorf("want release %s with a digest of the source, got %s", released, versions.Release)
	}
}
