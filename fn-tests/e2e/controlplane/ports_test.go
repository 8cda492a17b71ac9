package controlplane

import (
	"io"
	"net"
	"testing"
)

func TestReserve(t *testing.T) {
	one := newPorts()
	first, err := one.reserve()
	if err != nil {
		t.Fatal(err)
	}
	// Another run that begins to look at the same port.
	other := newPorts()
	other.tried.Store(one.tried.Load() - 1)
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
	other.tried.Store(int64(first.port - firstPort - 1))
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

func TestReserveListening(t *testing.T) {
	p := newPorts()
	first, err := p.reserve()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.held.Close(); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", address(first.port))
	if err != nil {
		t.Fatal(err)
	}
	p.tried.Add(-1)
	second, err := p.reserve()
	if err != nil {
		t.Fatal(err)
	}
	if first.port == second.port {
		t.Errorf("want a port that no process listens on, got %d", second.port)
	}
	for _, held := range []io.Closer{listener, second.held} {
		if err := held.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
