package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"syscall"
	"time"
)

// Shell runs a script as an administrator would: at the root of the repository, with kubectl. It returns what the script
// prints.
func (c *ControlPlane) Shell(ctx context.Context, script string) (string, error) {
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
	out, err := command.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("cannot run the script: %w\n%s\n%s", errors.Join(err, context.Cause(ctx)), script, out)
	}
	return string(out), nil
}

// Registry is the address of the registry of this control plane.
func (c *ControlPlane) Registry() string { return c.registry }
