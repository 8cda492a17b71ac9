// Package controlplane runs a real control plane as processes of this machine: etcd, the Kubernetes API server and controller manager,
// Crossplane with the permissions of its chart, a registry, and the functions of their packages. Only nodes are missing, and therefore pods and
// schedulers.
//
// Other users of the machine reach what listens, but have none of the secrets and certificates of a run: see TestGate for each door.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

// Options of a control plane.
type Options struct {
	// Machine that it runs on.
	Machine *Machine
	// Root of the repository.
	Root string
	// CRDs are directories with CustomResourceDefinitions to install, in addition to Crossplane's own.
	CRDs []string
	// Packages is the directory with the output of hack/package.sh.
	Packages string
	// Configuration to install, such as configuration-dynamo. If it is empty, the packages are not pushed to the registry either.
	Configuration string
	// Instead is a command that runs in place of each function of the Configuration, which it serves. Empty if the functions themselves do.
	Instead []string
	// Environment of etcd and the API server, in addition to that of this process.
	Environment []string
	// CrossplaneFlags are more flags of Crossplane. Without any, it runs with its defaults.
	CrossplaneFlags []string
	// Audit has the API server log what Crossplane writes: see Writes.
	Audit bool
	// Gates of Kubernetes that are turned on, with the gangs of Kubernetes 1.37, whose programs then run. Without any, the usual ones do.
	Gates []string
	// Logf logs what the start is waiting for, like testing.T.Logf.
	Logf func(format string, args ...any)
}

// A ControlPlane is running.
type ControlPlane struct {
	// Client with every permission.
	Client *Client

	options Options
	folder  string
	tools   tools
	source  string
	entered bool

	admin     *rest.Config
	authority *authority

	mutex     sync.Mutex
	processes []*Process
	ports     []reservation

	// webhooks of Kueue.
	webhooks []Ref

	secrets  secrets
	metrics  int
	registry string
	runtime  *runtime
}

// Start a control plane when the machine has room for it. It must be stopped even if this fails.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	c := &ControlPlane{options: o, secrets: secrets{}}
	var err error
	if c.tools, err = buildTools(ctx, o.Root, Tools()...); err != nil {
		return c, err
	}
	if err := c.useGangs(ctx); err != nil {
		return c, err
	}
	if c.source, err = moduleSource(ctx, o.Root, "hack/tools/crossplane", "github.com/crossplane/crossplane/v2"); err != nil {
		return c, err
	}
	if err := c.makeFolders(); err != nil {
		return c, err
	}
	if err := o.Machine.enter(ctx, o.Logf); err != nil {
		return c, err
	}
	c.entered = true
	for _, step := range []func(context.Context) error{
		c.startServer,
		c.startControllers,
		c.installCRDs,
		c.installCrossplane,
		c.startCrossplane,
		c.startRegistry,
		c.startRuntime,
		c.installPackages,
	} {
		if err := step(ctx); err != nil {
			return c, err
		}
	}
	return c, nil
}

// StartServer only starts an API server, for which there always is room. It must be stopped even if this fails.
func StartServer(ctx context.Context, o Options) (*ControlPlane, error) {
	c := &ControlPlane{options: o, secrets: secrets{}}
	var err error
	if c.tools, err = buildTools(ctx, o.Root, "etcd", "kube-apiserver"); err != nil {
		return c, err
	}
	if err := c.makeFolders(); err != nil {
		return c, err
	}
	if err := c.startServer(ctx); err != nil {
		return c, err
	}
	err = c.installCRDs(ctx)
	return c, err
}

func (c *ControlPlane) makeFolders() error {
	var err error
	if c.folder, err = os.MkdirTemp("", "configuration-dynamo-e2e-"); err != nil {
		return fmt.Errorf("cannot make a folder: %w", err)
	}
	for _, folder := range []string{c.logs(), c.packageCache()} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return fmt.Errorf("cannot make a folder: %w", err)
		}
	}
	return nil
}

// Stop all processes in reverse order, and allow the next run to begin. It reports ports that are still in use.
func (c *ControlPlane) Stop() error {
	if c.runtime != nil {
		c.runtime.stop()
	}
	c.mutex.Lock()
	processes := slices.Clone(c.processes)
	c.mutex.Unlock()
	for _, process := range slices.Backward(processes) {
		process.Stop()
	}
	errs := c.releasePorts()
	if c.entered {
		c.entered = false
		errs = append(errs, c.options.Machine.leave())
	}
	return errors.Join(errs...)
}

// Remove the files of the control plane, including its logs.
func (c *ControlPlane) Remove() error { return os.RemoveAll(c.folder) }

// Logs are the last lines of each process's log, for the report of a failure.
func (c *ControlPlane) Logs(lines int) string {
	files, err := filepath.Glob(filepath.Join(c.logs(), "*.log"))
	if err != nil {
		return err.Error()
	}
	var report strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		last := strings.Split(strings.TrimSpace(string(data)), "\n")
		last = last[max(0, len(last)-lines):]
		fmt.Fprintf(&report, "--- %s\n%s\n", file, strings.Join(last, "\n"))
	}
	return report.String()
}

func (c *ControlPlane) logs() string { return filepath.Join(c.folder, "logs") }

func (c *ControlPlane) packageCache() string { return filepath.Join(c.folder, "xpkg") }

// start a program that is stopped with the control plane.
func (c *ControlPlane) start(p program) (*Process, error) {
	process, err := start(p, c.logs())
	if err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.processes = append(c.processes, process)
	return process, nil
}

// takePorts reserves a free port for each variable.
func (c *ControlPlane) takePorts(into ...*int) error {
	for _, port := range into {
		reserved, err := c.options.Machine.ports.reserve()
		if err != nil {
			return err
		}
		c.mutex.Lock()
		c.ports = append(c.ports, reserved)
		c.mutex.Unlock()
		*port = reserved.port
	}
	return nil
}

// releasePorts reports those that a process still listens on.
func (c *ControlPlane) releasePorts() []error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var errs []error
	for _, reserved := range c.ports {
		if !isFree(reserved.port) {
			errs = append(errs, fmt.Errorf("port %d is still in use", reserved.port))
		}
		errs = append(errs, reserved.held.Close())
	}
	c.ports = nil
	return errs
}

// await the result of a process, unless the process or the context ends.
func await(ctx context.Context, what string, process *Process, done func(context.Context) error) error {
	for {
		err := done(ctx)
		if err == nil {
			return nil
		}
		if process != nil && process.Ended() {
			return fmt.Errorf("%s has ended before %s: %w", process.Name, what, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain for %s: %w: %w", what, context.Cause(ctx), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}
