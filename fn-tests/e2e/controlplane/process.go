package controlplane

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// grace is the time within which a process must end after a signal.
const grace = 10 * time.Second

// A Process is a program of a control plane, in its own process group.
type Process struct {
	// Name of the program, and of its log.
	Name string

	program program
	command *exec.Cmd
	log     *os.File
	done    chan struct{}
}

// A program to start, in a folder, or in that of this process.
type program struct {
	name   string
	path   string
	folder string
	args   []string
	env    []string
	ready  check
}

// start a program that writes its log to a directory.
func start(p program, logs string) (*Process, error) {
	log, err := os.OpenFile(filepath.Join(logs, p.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // The name is one of ours.
	if err != nil {
		return nil, fmt.Errorf("cannot make the log of %s: %w", p.name, err)
	}
	command := exec.Command(p.path, p.args...) //nolint:gosec,noctx // It runs what it has built itself, and ends it in Stop.
	command.Stdout, command.Stderr = log, log
	command.Dir, command.Env = p.folder, append(os.Environ(), p.env...)
	command.SysProcAttr = &syscall.SysProcAttr{
		// Processes that it starts end with it. An interrupt of the terminal only reaches this process, which ends all others in order.
		Setpgid: true,
		// No process remains when this process is killed, or when go test's timeout ends it without cleanup.
		Pdeathsig: syscall.SIGKILL,
	}
	if err := command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start %s: %w", p.name, err), log.Close())
	}
	process := &Process{Name: p.name, program: p, command: command, log: log, done: make(chan struct{})}
	go func() {
		defer close(process.done)
		// It is ended by a signal, and its log contains its messages.
		_ = command.Wait()
		_ = log.Close()
	}()
	return process, nil
}

// Named is the last process that was started with a name. nil if there is none.
func (c *ControlPlane) Named(name string) *Process {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, process := range slices.Backward(c.processes) {
		if process.Name == name {
			return process
		}
	}
	return nil
}

// PID of the process.
func (p *Process) PID() int { return p.command.Process.Pid }

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Kill the process and its children immediately.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// Stop the process and its children, with a kill if necessary.
func (p *Process) Stop() {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(grace):
	}
	p.Kill()
}

// signal the process group. It is no error if the group has ended.
func (p *Process) signal(s syscall.Signal) { _ = syscall.Kill(-p.PID(), s) }
