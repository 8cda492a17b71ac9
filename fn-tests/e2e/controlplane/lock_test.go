package controlplane

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// holdLock is a run of tests that has a control plane, and is killed.
func holdLock() {
	if _, err := lockMachine(context.Background(), func(string, ...any) {}); err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("locked\n")
	select {}
}

// lines that a lock has logged; told about as soon as it says anything.
type lines struct {
	told chan struct{}
	all  []string
}

func (l *lines) logf(format string, args ...any) {
	l.all = append(l.all, fmt.Sprintf(format, args...))
	if len(l.all) == 1 {
		close(l.told)
	}
}

// lockLater locks in the background.
func lockLater(ctx context.Context) (*lines, <-chan error) {
	l, done := &lines{told: make(chan struct{})}, make(chan error, 1)
	go func() {
		file, err := lockMachine(ctx, l.logf)
		if err == nil {
			err = file.Close()
		}
		done <- err
	}()
	return l, done
}

// wantWaiting fails the test unless a run that locks later is still waiting.
func wantWaiting(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Fatalf("want the other run to wait, got %v", err)
	default:
	}
}

func TestLockMachine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	silent := &lines{told: make(chan struct{})}
	first, err := lockMachine(t.Context(), silent.logf)
	if err != nil {
		t.Fatal(err)
	}
	if len(silent.all) > 0 {
		t.Errorf("want nothing said of a free lock, got %q", silent.all)
	}

	second, done := lockLater(t.Context())
	<-second.told
	wantWaiting(t, done)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(second.all) != 2 || !strings.Contains(second.all[0], lockPath()) {
		t.Errorf("want the file named, and the end told, got %q", second.all)
	}
}

func TestLockMachineInterrupted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, err := lockMachine(t.Context(), t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	second, done := lockLater(ctx)
	<-second.told
	cancel()
	if err := <-done; err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("want the wait interrupted, got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLockMachineOfKilledRun(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	run := exec.Command(os.Args[0]) //nolint:gosec // It runs itself.
	run.Env = append(os.Environ(), helperEnv+"=lock")
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	waiting, done := lockLater(t.Context())
	<-waiting.told
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
