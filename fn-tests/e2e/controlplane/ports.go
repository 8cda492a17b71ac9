package controlplane

import (
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

// ports are candidates, each of which is tried once before the first one comes again.
type ports struct{ tried atomic.Int64 }

func newPorts() *ports {
	p := &ports{}
	p.tried.Store(int64(os.Getpid()) * stride)
	return p
}

func (p *ports) next() int { return firstPort + int(p.tried.Add(1)%(lastPort-firstPort)) }

func isFree(port int) bool {
	listener, err := net.Listen("tcp", address(port)) //nolint:noctx // It is closed at once.
	if err != nil {
		return false
	}
	return listener.Close() == nil
}

func address(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

func url(port int) string { return fmt.Sprintf("https://%s", address(port)) }
