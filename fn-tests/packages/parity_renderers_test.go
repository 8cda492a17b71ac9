package packages

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/harness"
)

const (
	functions        = "examples/functions.yaml"
	functionsV1Beta1 = "examples/functions-v1beta1.yaml"

	targetAnnotation = "render.crossplane.io/runtime-development-target"
)

// An output of one call of a CLI.
type output struct {
	stdout string
	stderr string
	err    error
}

// renderers are the CLIs to compare. The functions are served for those of Crossplane.
type renderers struct {
	home   string
	binary string
	cli116 string
	cli25  string
	core   string
}

func newRenderers(t *testing.T) *renderers {
	t.Helper()

	r := &renderers{home: t.TempDir(), binary: harness.New(t).Path(t)}
	r.cli116 = tool(t, "crossplane-v1.16")
	r.core = tool(t, "crossplane")
	r.cli25 = tool(t, "crossplane-cli")

	r.serve(t)
	return r
}

// serve all functions until the test ends, at the addresses in the Function objects of the examples.
func (r *renderers) serve(t *testing.T) {
	t.Helper()

	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, r.binary, "serve", "--all", "--insecure")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatalf("cannot serve the functions: %v", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// It is stopped by a signal. Errors are in its log.
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if t.Failed() {
			t.Logf("log of the functions:\n%s", log.String())
		}
	})

	for _, target := range targets(t) {
		await(t, target, done)
	}
}

// targets are the addresses of the Function objects, which must be the same in both files.
func targets(t *testing.T) []string {
	t.Helper()

	var targets []string
	for _, file := range []string{functions, functionsV1Beta1} {
		for _, function := range harness.Read(t, file) {
			target := function.GetAnnotations()[targetAnnotation]
			if target == "" {
				t.Fatalf("a Function of %s has no annotation %s", file, targetAnnotation)
			}
			targets = append(targets, target)
		}
	}
	return targets
}

// await a server at the address, unless its process ends.
func await(t *testing.T, address string, ended <-chan struct{}) {
	t.Helper()

	dialer := net.Dialer{Timeout: time.Second}
	for range 100 {
		conn, err := dialer.DialContext(t.Context(), "tcp", address)
		if err == nil {
			if err := conn.Close(); err != nil {
				t.Fatalf("cannot close a connection: %v", err)
			}
			return
		}
		select {
		case <-ended:
			t.Fatalf("the functions stopped before one served at %s", address)
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("no function serves at %s", address)
}

func (r *renderers) ours(t *testing.T, tc renderCase) output {
	t.Helper()

	return r.run(t, r.binary, "render", tc.xr, tc.composition, functions, "-e", tc.cluster)
}

func (r *renderers) v116(t *testing.T, tc renderCase) output {
	t.Helper()

	return r.run(t, r.cli116, "beta", "render", tc.xr, tc.composition, functionsV1Beta1, "-e", tc.cluster)
}

func (r *renderers) v25(t *testing.T, tc renderCase) output {
	t.Helper()

	return r.run(t, r.cli25, "composition", "render", tc.xr, tc.composition, functions,
		"-e", tc.cluster,
		// The functions derive the dialects of Grove and of snapshots from schemas if the caller supports schemas.
		"-s", "fn-tests/packages/testdata/parity/schemas",
		// The XRD shows that the composite of a claim has the legacy schema.
		"--xrd", tc.xrd,
		"--crossplane-binary", r.core)
}

func (r *renderers) run(t *testing.T, name string, args ...string) output {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = harness.Root()
	// The settings of the user must not affect the CLI.
	cmd.Env = append(os.Environ(), "HOME="+r.home)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	return output{stdout: stdout.String(), stderr: stderr.String(), err: err}
}
