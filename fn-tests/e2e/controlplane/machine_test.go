package controlplane

import (
	"context"
	"errors"
	"os"
	"strings"
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
		select {
		case err := <-done:
			t.Fatalf("want the other run to wait until no control plane is left, got %v", err)
		default:
		}
		if err := m.leave(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestMachineFull(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	m := NewMachine(1)
	if err := m.enter(t.Context(), t.Logf); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.enter(ctx, t.Logf); err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("want the wait for room interrupted, got %v", err)
	}
	if err := m.leave(); err != nil {
		t.Fatal(err)
	}
}

func TestMachineWithoutLock(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	m := NewMachine(1)
	for range 2 {
		if err := m.enter(t.Context(), t.Logf); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("want an error that leaves the room free, got %v", err)
		}
	}
}

func TestReserve(t *testing.T) {
	one := NewMachine(1)
	first, err := one.reserve()
	if err != nil {
		t.Fatal(err)
	}
	// Another run that begins to look at the same port.
	other := NewMachine(1)
	other.ports.tried.Store(one.ports.tried.Load() - 1)
	second, err := other.reserve()
	if err != nil {
		t.Fatal(err)
	}
	if first.port == second.port {
		t.Errorf("want two ports, got %d twice", first.port)
	}
	if err := first.held.Close(); err != nil {
		t.Fatal(err)
	}
	other.ports.tried.Store(int64(first.port - firstPort - 1))
	third, err := other.reserve()
	if err != nil {
		t.Fatal(err)
	}
	if third.port != first.port {
		t.Errorf("want the released port %d again, got %d", first.port, third.port)
	}
	for _, r := range []reservation{second, third} {
		if err := r.held.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
