package server

import (
	"context"
	"net"
	"net/http"
	"net/http/pprof"

	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
)

// serveProfiles at an address until the context is done. Profiles expose what is in memory, so they have their own address, separate from
// the metrics, which Prometheus reads.
func serveProfiles(ctx context.Context, address string, log logging.Logger) (stop func(), err error) {
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot listen for profile connections at address %q", address)
	}
	log.Info("Serving profiles", "address", lis.Addr().String())

	srv := &http.Server{Handler: profiles(), ReadHeaderTimeout: exposedTimeout}
	go func() {
		if err := srv.Serve(lis); !errors.Is(err, http.ErrServerClosed) {
			log.Info("Cannot continue to serve profiles", "error", err)
		}
	}()
	return func() { _ = srv.Close() }, nil
}

// profiles of net/http/pprof at the paths of `go tool pprof`. The import also registers them with http.DefaultServeMux, which is not
// served.
func profiles() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
