package controlplane

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestMachine(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	m := NewMachine(2)
	for range 2 {
		if err := m.enter(t.Context(), t.Logf); err != nil {
			t.Fatal(err)
		}
	}
	// Where there also is room, the choice between the two is random.
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if err := m.enter(interrupted, t.Logf); !errors.Is(err, context.Canceled) {
			t.Fatalf("want no room for a third control plane, got %v", err)
		}
	}
	third := make(chan error, 1)
	go func() { third <- m.enter(t.Context(), t.Logf) }()
	if err := m.leave(); err != nil {
		t.Fatal(err)
	}
	if err := <-third; err != nil {
		t.Fatalf("want room for a third control plane once one has left, got %v", err)
	}

	other, done := lockLater(t.Context())
	<-other.told
	for range 2 {
		wantWaiting(t, done)
		if err := m.leave(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
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
