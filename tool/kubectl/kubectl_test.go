package kubectl

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessage(t *testing.T) {
	const noise = `E1127 21:00:00.000001    4711 memcache.go:265] "Unhandled Error" err="couldn't get current server API group list: connection refused"` + "\n"
	cases := map[string]struct {
		reason string
		stderr string
		want   string
	}{
		"Message": {reason: "An error of kubectl is kept.", stderr: "error: no context exists\n", want: "error: no context exists"},
		"Noise": {
			reason: "What kubectl logs about its cache of APIs, once for each API, says nothing that its message does not.",
			stderr: noise + noise + noise + "The connection to the server was refused - did you specify the right host or port?\n",
			want:   "The connection to the server was refused - did you specify the right host or port?",
		},
		"Only noise": {
			reason: "A log is better than nothing.", stderr: noise + noise,
			want: `"Unhandled Error" err="couldn't get current server API group list: connection refused"`,
		},
		"Warning": {reason: "A warning is not why a command fails.", stderr: "Warning: v1 Endpoints is deprecated\nerror: out of luck\n", want: "error: out of luck"},
		"Twice":   {reason: "A line that is repeated is read once.", stderr: "error: a\n\nerror: a\nerror: b\n", want: "error: a\nerror: b"},
		"Nothing": {reason: "Kubectl may say nothing.", want: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, messageOf(tc.stderr)); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSend(t *testing.T) {
	folder := t.TempDir()
	script := "#!/bin/sh\ncase $1 in\nfine) echo out; echo err >&2 ;;\nsilent) exit 1 ;;\n*) echo 'error: out of luck' >&2; exit 1 ;;\nesac\n"
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	if out, err := Send(t.Context(), nil, "fine"); err != nil || string(out) != "out\n" {
		t.Errorf("want only standard output, got %q, %v", out, err)
	}
	var exit *exec.ExitError
	if _, err := Send(t.Context(), nil, "get", "pods"); !errors.As(err, &exit) || err.Error() != "kubectl get pods: error: out of luck" {
		t.Errorf("want what kubectl says, with the command, got %v", err)
	}
	if _, err := Send(t.Context(), nil, "silent"); err == nil || err.Error() != "kubectl silent: exit status 1" {
		t.Errorf("want the exit status if kubectl says nothing, got %v", err)
	}
}
