package controlplane

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

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
