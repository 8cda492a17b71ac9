package controlplane

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
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

// ports hands out ports of the loopback interface that no process listens on.
type ports struct {
	mutex sync.Mutex
	next  int
	taken []int
}

func newPorts() *ports {
	return &ports{next: firstPort + os.Getpid()*stride%(lastPort-firstPort)}
}

// take a free port that was not taken before.
func (p *ports) take() (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for range lastPort - firstPort {
		port := p.next
		p.next++
		if p.next >= lastPort {
			p.next = firstPort
		}
		if isFree(port) {
			p.taken = append(p.taken, port)
			return port, nil
		}
	}
	return 0, errors.New("cannot find a free port on 127.0.0.1")
}

// busy are the taken ports that a process listens on.
func (p *ports) busy() []int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var listening []int
	for _, port := range p.taken {
		if !isFree(port) {
			listening = append(listening, port)
		}
	}
	return listening
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
