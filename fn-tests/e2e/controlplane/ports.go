package controlplane

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

const (
	host = "127.0.0.1"

	// Ports below the range from which Linux takes those of outgoing connections: one of them could have any port that is
	// free a moment before.
	firstPort = 20000
	lastPort  = 32000
	// stride keeps two test runs on one machine apart.
	stride = 97
)

// ports of the loopback interface, each of which is tried once before the first one is tried again.
type ports struct{ tried atomic.Int64 }

func newPorts() *ports {
	p := &ports{}
	p.tried.Store(int64(os.Getpid()) * stride)
	return p
}

// A reservation keeps a port for one control plane until held is closed.
type reservation struct {
	port int
	held net.PacketConn
}

// reserve a port that no process listens on, and that is not reserved.
func (p *ports) reserve() (reservation, error) {
	for range lastPort - firstPort {
		port := firstPort + int(p.tried.Add(1)%(lastPort-firstPort))
		// The process that gets the port listens with TCP. Until then, the same port of UDP shows that it is reserved, in every run.
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

func isFree(port int) bool {
	listener, err := net.Listen("tcp", address(port)) //nolint:noctx // It is closed at once.
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

func address(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

func url(port int) string { return fmt.Sprintf("https://%s", address(port)) }
