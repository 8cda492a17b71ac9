package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/health"
)

// expose metrics and probes at a listener until the test ends.
func expose(t *testing.T, lis net.Listener) {
	t.Helper()
	srv := newExposedServer(health.NewServer())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(lis) }()
	t.Cleanup(func() {
		_ = srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve(...): unexpected error: %v", err)
		}
	})
}

// TestExposedConnections shows that strangers who hold connections are closed, the oldest first, so that kubelets and Prometheus always reach
// the port.
func TestExposedConnections(t *testing.T) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	expose(t, lis)

	const more = 100
	var held []net.Conn
	for range mostExposed + more {
		conn, err := net.Dial("tcp", lis.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		held = append(held, conn)
	}
	for i, conn := range held[:more] {
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("connection %d of %d: want it closed for the newer ones", i, len(held))
		}
	}
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		if got := exchange(t, held[len(held)-1], path); got != http.StatusOK {
			t.Errorf("%s of the newest connection: want %d, got %d", path, http.StatusOK, got)
		}
		// Each request has its connection.
		held = held[:len(held)-1]
	}
	// Those that are done make room.
	for i, conn := range held[more:] {
		if got := exchange(t, conn, "/livez"); got != http.StatusOK {
			t.Errorf("connection %d of those that may stay: want %d, got %d", i, http.StatusOK, got)
		}
	}
}

// TestNewest shows that no more connections than the limit are open at any time, whichever of them end.
func TestNewest(t *testing.T) {
	n := &newest{most: 2}
	var conns, others []net.Conn
	for range 4 {
		conn, other := net.Pipe()
		conns, others = append(conns, conn), append(others, other)
	}
	n.changed(conns[0], http.StateNew)
	n.changed(conns[1], http.StateNew)
	n.changed(conns[0], http.StateActive)
	n.changed(conns[0], http.StateClosed)
	n.changed(conns[2], http.StateNew)
	n.changed(conns[3], http.StateNew)
	n.changed(conns[1], http.StateClosed)
	if diff := cmp.Diff(2, len(n.open)); diff != "" {
		t.Errorf("open connections: -want, +got:\n%s", diff)
	}
	_ = others[1].SetReadDeadline(time.Now())
	if _, err := others[1].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("want the oldest that is open closed for the newest, got %v", err)
	}
}

// exchange a request and its response over a connection, and return the status.
func exchange(t *testing.T, conn net.Conn, path string) int {
	t.Helper()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path); err != nil {
		t.Errorf("cannot send a request: %v", err)
		return 0
	}
	rsp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Errorf("cannot receive a response: %v", err)
		return 0
	}
	defer rsp.Body.Close()
	if _, err := io.Copy(io.Discard, rsp.Body); err != nil || !rsp.Close {
		t.Errorf("want the whole response, and the end of the connection: got close %t, %v", rsp.Close, err)
	}
	return rsp.StatusCode
}

// pipes is a listener for connections in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error {
	close(p)
	return nil
}

func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestExposedTime shows that the server does not wait for a client for ever, whatever it does not do.
func TestExposedTime(t *testing.T) {
	cases := map[string]struct {
		reason string
		sends  string
	}{
		"Nothing":      {reason: "A connection without a request is closed."},
		"HalfARequest": {reason: "Headers that do not end are given up.", sends: "GET /metrics HTTP/1.1\r\nHost: a\r\n"},
		"NoReading":    {reason: "A response that nobody receives is given up.", sends: "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lis := make(pipes)
				expose(t, lis)
				conn, client := net.Pipe()
				ended := &ending{Conn: conn, closed: make(chan struct{})}
				lis <- ended
				if _, err := io.WriteString(client, tc.sends); err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				select {
				case <-ended.closed:
				case <-time.After(time.Hour):
				}
				if took := time.Since(begin); took > 2*exposedTimeout {
					t.Errorf("%s\nwant the connection closed, got it open after %s", tc.reason, took)
				}
				_ = client.Close()
			})
		})
	}
}

// ending is a connection that says when it is closed.
type ending struct {
	net.Conn

	closed chan struct{}
}

func (e *ending) Close() error {
	select {
	case <-e.closed:
	default:
		close(e.closed)
	}
	return e.Conn.Close()
}

// TestExposedPace shows that strangers who connect again and again are accepted at a pace that leaves time for calls.
func TestExposedPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lis := make(pipes)
		expose(t, lis)
		const connections = 100
		begin := time.Now()
		for range connections {
			conn, client := net.Pipe()
			_ = client.Close()
			lis <- conn
		}
		if diff := cmp.Diff(connections*pause, time.Since(begin)); diff != "" {
			t.Errorf("time in which %d connections are accepted: -want, +got:\n%s", connections, diff)
		}
	})
}

// TestExposedHeaders shows that headers do not take memory without end.
func TestExposedHeaders(t *testing.T) {
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	expose(t, lis)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+lis.Addr().String()+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("A", strings.Repeat("x", 4*exposedHeaders))
	rsp, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer rsp.Body.Close()
	if diff := cmp.Diff(http.StatusRequestHeaderFieldsTooLarge, rsp.StatusCode); diff != "" {
		t.Errorf("status of headers that are too large: -want, +got:\n%s", diff)
	}
}
