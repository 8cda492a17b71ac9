package engines

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// stubLeader is the variable with the address of the first node, in addition to those of a stub program. Its presence makes a process a
// stub engine that may stand by.
const stubLeader = "STUB_LEADER"

// loading is how long the engine loads its model.
const loading = 100 * time.Millisecond

// engine listens where an engine of vLLM with Dynamo's system server listens, and takes the same steps: it loads, says that it is healthy,
// waits for the lock, and serves requests.
type engine struct {
	address, leader string
	args            []string
	healthy, active atomic.Bool
}

// run the engine until it fails.
func (e *engine) run() error {
	headless := e.has("--headless")
	if !headless {
		if err := e.listen(); err != nil {
			return err
		}
	}
	lost, err := e.join()
	if err != nil {
		return err
	}
	time.Sleep(loading)
	// With this variable, an engine is healthy when its endpoint is served, which is when it has the lock.
	e.healthy.Store(os.Getenv("DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS") == "")
	locked := make(chan error, 1)
	go func() {
		if headless {
			locked <- nil
			return
		}
		locked <- lock(os.Getenv("FAILOVER_LOCK_PATH"))
	}()
	select {
	case err := <-locked:
		if err != nil {
			return err
		}
	case err := <-lost:
		return err
	}
	e.healthy.Store(true)
	e.active.Store(true)
	return <-lost
}

// listen on all ports of which the engine is told.
func (e *engine) listen() error {
	system, err := net.Listen("tcp", net.JoinHostPort(e.address, os.Getenv("DYN_SYSTEM_PORT")))
	if err != nil {
		return err
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		ok := &e.healthy
		if r.URL.Path == "/active" {
			ok = &e.active
		}
		if !ok.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	go func() { _ = http.Serve(system, http.HandlerFunc(answer)) }() //nolint:gosec // It only serves this test.
	first, local := e.number("--data-parallel-start-rank", 0), e.number("--data-parallel-size-local", 1)
	for _, name := range []string{"DYN_FORWARDPASS_METRIC_PORT", "VLLM_NIXL_SIDE_CHANNEL_PORT", "DYN_VLLM_KV_EVENT_PORT"} {
		base, err := strconv.Atoi(os.Getenv(name))
		for rank := first; err == nil && rank < first+local; rank++ {
			if _, err := net.Listen("tcp", net.JoinHostPort(e.address, strconv.Itoa(base+rank))); err != nil {
				return err
			}
		}
	}
	return nil
}

// join the nodes of the engine. The channel says when one of them is lost.
func (e *engine) join() (<-chan error, error) {
	lost := make(chan error, 1)
	for flag, rank := range map[string]string{"--master-port": "--node-rank", "--data-parallel-rpc-port": "--data-parallel-start-rank"} {
		port, at := e.value(flag), e.value(rank)
		switch {
		case port == "" || at == "":
			continue // The engine has one node.
		case at == "0":
			if err := e.await(port, lost); err != nil {
				return nil, err
			}
		default:
			if err := e.meet(port, lost); err != nil {
				return nil, err
			}
		}
	}
	return lost, nil
}

// await the other node, and tell it which engine this is.
func (e *engine) await(port string, lost chan<- error) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(e.address, port))
	if err != nil {
		return err
	}
	c, err := listener.Accept()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(c, os.Getenv("ENGINE_ID")); err != nil {
		return err
	}
	go watch(c, lost)
	return nil
}

// meet the first node of the same engine.
func (e *engine) meet(port string, lost chan<- error) error {
	for {
		c, err := net.Dial("tcp", net.JoinHostPort(e.leader, port))
		if err != nil {
			time.Sleep(moment)
			continue
		}
		id := make([]byte, 1)
		if _, err := io.ReadFull(c, id); err != nil {
			return err
		}
		if string(id) != os.Getenv("ENGINE_ID") {
			return fmt.Errorf("engine %s has joined engine %s", os.Getenv("ENGINE_ID"), id)
		}
		go watch(c, lost)
		return nil
	}
}

func watch(c net.Conn, lost chan<- error) {
	_, _ = io.Copy(io.Discard, c)
	lost <- errors.New("lost the other node")
}

// lock a file as long as the process runs. An os.File that nothing refers to any more is closed, and with it the lock is gone, so the
// descriptor is not that of one.
func lock(path string) error {
	descriptor, err := syscall.Open(path, syscall.O_CREAT|syscall.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return syscall.Flock(descriptor, syscall.LOCK_EX)
}

func (e *engine) has(flag string) bool { return slices.Contains(e.args, flag) }

// value of a flag. Of several the last one counts.
func (e *engine) value(flag string) string {
	value := ""
	for i, arg := range e.args {
		if arg == flag && i+1 < len(e.args) {
			value = e.args[i+1]
		}
		if rest, ok := strings.CutPrefix(arg, flag+"="); ok {
			value = rest
		}
	}
	return value
}

func (e *engine) number(flag string, otherwise int) int {
	if n, err := strconv.Atoi(e.value(flag)); err == nil {
		return n
	}
	return otherwise
}
