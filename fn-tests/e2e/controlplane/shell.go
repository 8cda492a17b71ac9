package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"syscall"
	"time"
)

// Shell runs a script as an administrator would: at the root of the repository, with kubectl. It returns what the script
// prints.
func (c *ControlPlane) Shell(ctx context.Context, script string) (string, error) {
	return c.ShellUntil(ctx, script, func(string) bool { return false })
}

// ShellUntil is Shell for a script that need not end: what runs is interrupted, as with Ctrl-C, once what it has printed is enough.
func (c *ControlPlane) ShellUntil(ctx context.Context, script string, enough func(printed string) bool) (string, error) {
	command := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script) //nolint:gosec // It comes from the repository.
	command.Dir = c.options.Root
	command.Env = append(os.Environ(), c.environment(adminUser())...)
	command.Env = append(command.Env,
		"PATH="+filepath.Dir(c.tools["kubectl"])+string(os.PathListSeparator)+os.Getenv("PATH"),
		"KUBECACHEDIR="+filepath.Join(c.folder, "kubectl"),
	)
	// What the script has started ends with it, also when it is interrupted. The signal comes when the thread ends that has
	// started it, so that thread must wait for it. See https://github.com/golang/go/issues/27505.
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	out := &terminal{enough: enough, interrupt: func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGINT) }}
	command.Stdout, command.Stderr = out, out
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("cannot run the script: %w\n%s\n%s", errors.Join(err, context.Cause(ctx)), script, out)
	}
	return out.String(), nil
}

// A terminal shows what is printed, and interrupts it when that is enough.
type terminal struct {
	strings.Builder

	enough    func(printed string) bool
	interrupt func()
}

func (t *terminal) Write(printed []byte) (int, error) {
	n, err := t.Builder.Write(printed)
	if t.enough(t.String()) {
		t.interrupt()
	}
	return n, err
}

// Registry is the address of the registry of this control plane.
func (c *ControlPlane) Registry() string { return c.registry }
