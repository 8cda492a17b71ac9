package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program writes a shell script that stands for a function.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func start(t *testing.T, script string) *Function {
	t.Helper()
	certificates, err := NewCertificates(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := Start(certificates, "plan", program(t, script), "plan")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	return f
}

// TestListeningEnds tests that a function which cannot be served fails the benchmark with its own words.
func TestListeningEnds(t *testing.T) {
	f := start(t, `echo "no subcommand $1" >&2; exit 1`)
	err := f.Listening(t.Context())
	if err == nil || !strings.Contains(err.Error(), "function plan ended (exit status 1):\nno subcommand plan") {
		t.Errorf("Listening(...): want what the function said, got %v", err)
	}
}

// TestPortTaken tests that a function gets another port if another program was faster.
func TestPortTaken(t *testing.T) {
	f := start(t, `if test -e "$0.taken"; then echo "started again" >&2; exit 1; fi
touch "$0.taken"
echo "listen tcp: bind: address already in use" >&2
exit 1`)
	first := f.address
	err := f.Listening(t.Context())
	if err == nil || !strings.Contains(err.Error(), "started again") {
		t.Errorf("Listening(...): want the process started again, got %v", err)
	}
	if f.address == first {
		t.Errorf("Listening(...): want another address than %s", first)
	}
}

// TestListeningCancelled tests that an interrupt does not wait for a function.
func TestListeningCancelled(t *testing.T) {
	f := start(t, "exec sleep 60")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := f.Listening(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Listening(...): want the end of the context, got %v", err)
	}
}

func TestStop(t *testing.T) {
	f := start(t, "exec sleep 60")
	if _, err := f.Usage(); err != nil {
		t.Errorf("Usage(): %v", err)
	}
	f.Stop()
	if err := syscall.Kill(f.command.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("Stop(): want the process gone, got %v", err)
	}
	f.Stop()
	if _, err := f.Usage(); err == nil || !strings.Contains(err.Error(), "function plan ended (signal: terminated)") {
		t.Errorf("Usage(): want how the process ended, got %v", err)
	}
}

func TestStartFails(t *testing.T) {
	certificates, err := NewCertificates(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(certificates, "plan", filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("Start(...): want an error for a program that there is not")
	}
	if _, err := NewCertificates(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("NewCertificates(...): want an error for a folder that there is not")
	}
}
