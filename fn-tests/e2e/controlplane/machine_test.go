package controlplane

import (
	"context"
	"errors"
	"os"
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

func TestMachineWithoutLock(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	m := NewMachine(1)
	if err := m.enter(t.Context(), t.Logf); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("want the error of the lock, got %v", err)
	}
	if taken := len(m.slots); taken > 0 {
		t.Errorf("want the room free after an error, got %d control planes", taken)
	}
}
