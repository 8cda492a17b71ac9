// Package monitoring holds package/monitoring to what exists: the real kube-state-metrics makes the metrics of rendered graphs, the real
// promtool fires the alerts, and the PodMonitors select rendered pods.
package monitoring

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

// env is 1 if the tools may be built, which takes minutes the first time.
const env = "CONFIGURATION_DYNAMO_MONITORING"

// tool of hack/tools, built if necessary. Without env the test is skipped, which leaves out so many cases.
func tool(t *testing.T, name string, cases int) string {
	t.Helper()
	if os.Getenv(env) != "1" {
		shared.Skipf(t, cases, "%s, which make monitoring builds", name)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(harness.Root(), "hack", "tool.sh"), name)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("cannot build %s: %v\n%s", name, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// read a file of package/monitoring.
func read(t *testing.T, name string) []byte {
	t.Helper()
	data := harness.File(t, filepath.Join("package", "monitoring", name))
	return data
}

// decode the only document of a file of package/monitoring.
func decode(t *testing.T, name string, into any) {
	t.Helper()
	if err := yaml.Unmarshal(read(t, name), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// write a file into a folder.
func write(t *testing.T, folder, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, data, 0o600); err != nil { //nolint:gosec // The folder is a temporary one.
		t.Fatal(err)
	}
	return path
}
