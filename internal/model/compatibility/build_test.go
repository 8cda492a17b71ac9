package compatibility

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCurrent(t *testing.T) {
	if got := Build(); got != Development {
		t.Errorf("A binary that was built without packages is a development build, got %q", got)
	}
}

// TestStamped runs the test above in a binary that is built as hack/package.sh does it: there it fails, and says what the release is.
func TestStamped(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "stamped")
	const path = "github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility."
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-o", binary, "-ldflags", "-X "+path+"version=v1.2.3 -X "+path+"source=0a1b", ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, _ := exec.CommandContext(t.Context(), binary, "-test.run", "^TestCurrent$").CombinedOutput()
	if !strings.Contains(string(out), `got "v1.2.3+0a1b"`) {
		t.Errorf("The linker sets the release, got:\n%s", out)
	}
}
