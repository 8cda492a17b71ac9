package server

import (
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"google.golang.org/grpc/health"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
)

const (
	// mostExposed connections to the metrics port: far more than a kubelet and all replicas of Prometheus open at the same time.
	mostExposed = 64

	// exposedTimeout limits how long a client may take to send its request, and to receive the response.
	exposedTimeout = 10 * time.Second

	// exposedHeaders limits the size of the headers of a request, in bytes.
	exposedHeaders = 8 << 10
)

// An exposedServer serves the metrics of one function from a separate registry, so that one process can serve several functions, and its probes.
//
// Everybody who reaches the port may send requests, so what they cost is bounded: a page of metrics is kept for a moment, and each of a limited
// number of connections has one request and little time.
type exposedServer struct{ *http.Server }

func newExposedServer(probe *health.Server, own ...prometheus.Collector) exposedServer {
	registry := prometheus.NewRegistry()
	registry.MustRegister(own...)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	mux := http.NewServeMux()
	mux.Handle("/metrics", metrics.NewPage(registry))
	addProbes(mux, probe)

	srv := &http.Server{
		Handler: mux, ReadTimeout: exposedTimeout, WriteTimeout: exposedTimeout, MaxHeaderBytes: exposedHeaders,
		ConnState: (&newest{most: mostExposed}).changed,
	}
	srv.SetKeepAlivesEnabled(false)
	return exposedServer{srv}
}

// Serve at a listener.
func (s exposedServer) Serve(lis net.Listener) error { return s.Server.Serve(paced{lis}) }

// pause before each connection to the metrics port. Without it, strangers who connect again and again would take most of a processor. With it,
// all connections that Linux lets wait, 4096 by default, are accepted in less time than probes have.
// https://docs.kernel.org/networking/ip-sysctl.html
const pause = 500 * time.Microsecond

// paced accepts a connection after each pause.
type paced struct{ net.Listener }

// Accept a connection.
func (p paced) Accept() (net.Conn, error) {
	time.Sleep(pause)
	return p.Listener.Accept()
}

// newest connections are kept open, up to a number. Older ones are closed rather than new ones kept waiting, as netutil.LimitListener does: a
// kubelet whose probe waits for strangers would restart the container.
type newest struct {
	most int

	mutex sync.Mutex
	// open connections, the oldest first.
	open []net.Conn
}

// changed is called by an HTTP server for each change of a connection, and before it accepts the next connection for a new one.
func (n *newest) changed(conn net.Conn, state http.ConnState) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	switch state {
	case http.StateNew:
		n.open = append(n.open, conn)
		if len(n.open) > n.most {
			// Its own goroutine ends the rest.
			_ = n.open[0].Close()
			n.open = slices.Delete(n.open, 0, 1)
		}
	case http.StateClosed, http.StateHijacked:
		n.open = slices.DeleteFunc(n.open, func(c net.Conn) bool { return c == conn })
	case http.StateActive, http.StateIdle:
	}
}
