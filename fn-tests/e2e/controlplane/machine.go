package controlplane

import (
	"context"
	"fmt"
	"os"
	"sync"
)

// A Machine runs control planes: a few of one run at a time, and none of another run at the same time.
type Machine struct {
	ports *ports
	// slots of the control planes that run.
	slots chan struct{}

	mutex sync.Mutex
	// running control planes, and the lock that keeps those of other runs away meanwhile.
	running int
	lock    *os.File
}

// NewMachine of a run, for up to so many control planes at a time.
func NewMachine(controlPlanes int) *Machine {
	return &Machine{ports: newPorts(), slots: make(chan struct{}, controlPlanes)}
}

// enter waits until there is room for one more control plane. leave must be called after it, unless it fails.
func (m *Machine) enter(ctx context.Context, logf func(format string, args ...any)) error {
	select {
	case m.slots <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("interrupted while other control planes run: %w", context.Cause(ctx))
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.running == 0 {
		var err error
		if m.lock, err = lockMachine(ctx, logf); err != nil {
			<-m.slots
			return err
		}
	}
	m.running++
	return nil
}

// leave room for another control plane.
func (m *Machine) leave() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	<-m.slots
	m.running--
	if m.running > 0 {
		return nil
	}
	return m.lock.Close()
}
