package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
)

// A Machine runs control planes: a few of one run at a time, and none of another run at the same time.
type Machine struct {
	ports *ports
	slots chan struct{}

	mutex   sync.Mutex
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

// A reservation keeps a port for one control plane until it is released.
type reservation struct {
	port int
	held net.PacketConn
}

// reserve a free port.
func (m *Machine) reserve() (reservation, error) {
	for range lastPort - firstPort {
		port := m.ports.next()
		// The process that gets the port listens with TCP. Until then, and in every other run, the same port of UDP shows that it is taken.
		held, err := net.ListenPacket("udp", address(port)) //nolint:noctx // It is only bound.
		if err != nil {
			continue
		}
		if isFree(port) {
			return reservation{port: port, held: held}, nil
		}
		if err := held.Close(); err != nil {
			return reservation{}, fmt.Errorf("cannot release port %d: %w", port, err)
		}
	}
	return reservation{}, errors.New("cannot find a free port on 127.0.0.1")
}
