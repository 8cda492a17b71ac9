package server

import (
	"context"
	"net"
	"net/http"
	"runtime"
	"time"

	grpcprometheus "github.com/grpc-ecosystem/go-grpc-middleware/providers/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	fnv1beta1 "github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
)

// shutdownGrace is how long running calls may take when the server is stopped. It is shorter than the 30 seconds that Kubernetes gives a
// pod by default.
const shutdownGrace = 20 * time.Second

// Options of a server.
type Options struct {
	// Network and Address to listen on.
	Network string
	Address string

	// TLSCertsDir contains tls.crt, tls.key and the ca.crt that verifies clients.
	TLSCertsDir string

	// Insecure serves without TLS, regardless of TLSCertsDir.
	Insecure bool

	// MaxRecvMessageSize in bytes.
	MaxRecvMessageSize int

	// MemoryLimit in bytes for all calls at the same time. It is 0 if there is none.
	MemoryLimit int64

	// MetricsAddress to serve Prometheus metrics and probes of kubelets at. Empty serves none.
	MetricsAddress string

	// ProfilesAddress to serve profiles of the process at. Empty serves none.
	ProfilesAddress string
}

// Serve a function until the context is done, then let running calls finish. It does the same as Serve of function-sdk-go, which cannot be
// stopped, hides the error if its metrics endpoint cannot listen, and panics when it is called with metrics a second time, because it
// registers them globally.
func Serve(ctx context.Context, fn Function, o Options, log logging.Logger) error {
	creds, err := transportCredentials(o)
	if err != nil {
		return err
	}

	if o.ProfilesAddress != "" {
		stop, err := serveProfiles(ctx, o.ProfilesAddress, log)
		if err != nil {
			return err
		}
		defer stop()
	}

	lc := &net.ListenConfig{}
	lis, err := lc.Listen(ctx, o.Network, o.Address)
	if err != nil {
		return errors.Wrapf(err, "cannot listen for %s connections at address %q", o.Network, o.Address)
	}

	var exposed net.Listener
	if o.MetricsAddress != "" {
		exposed, err = lc.Listen(ctx, "tcp", o.MetricsAddress)
		if err != nil {
			return errors.Join(errors.Wrapf(err, "cannot listen for metrics connections at address %q", o.MetricsAddress), lis.Close())
		}
	}

	m := metrics.New(fn.Name, compatibility.Build())
	a := newAdmission(o.MaxRecvMessageSize, o.MemoryLimit, runtime.GOMAXPROCS(0), m)
	return serve(ctx, measure(Recover(fn, log), m, log), lis, exposed, a, []grpc.ServerOption{
		grpc.Creds(creds), grpc.MaxRecvMsgSize(o.MaxRecvMessageSize), grpc.MaxConcurrentStreams(a.calls),
	})
}

// transportCredentials are read by the SDK, so that the functions accept the same certificates as all other functions.
func transportCredentials(o Options) (credentials.TransportCredentials, error) {
	so := &function.ServeOptions{}
	for _, apply := range []function.ServeOption{function.MTLSCertificates(o.TLSCertsDir), function.Insecure(o.Insecure)} {
		if err := apply(so); err != nil {
			return nil, errors.Wrapf(err, "cannot use the certificates of directory %q", o.TLSCertsDir)
		}
	}
	if so.Credentials == nil {
		return nil, errors.New("cannot serve without certificates; set --tls-certs-dir, or --insecure for development")
	}
	return so.Credentials, nil
}

// serve a function at a listener, and its metrics at another one, if there is one.
func serve(ctx context.Context, fn Function, lis, exposed net.Listener, a *admission, opts []grpc.ServerOption) error {
	collector := grpcprometheus.NewServerMetrics()
	opts = append(opts, grpc.ChainUnaryInterceptor(collector.UnaryServerInterceptor()))
	srv := grpc.NewServer(append(opts, limited(fn.Name, a.metrics)...)...)

	probe := health.NewServer()
	healthv1.RegisterHealthServer(srv, probe)
	reflection.Register(srv)
	srv.RegisterService(admitting(fnv1.FunctionRunnerService_ServiceDesc, a), fn.Runner)
	// Crossplane 1.16 and its render command only use v1beta1.
	srv.RegisterService(admitting(fnv1beta1.FunctionRunnerService_ServiceDesc, a), function.ServeBeta(fn.Runner))
	collector.InitializeMetrics(srv)

	failed := make(chan error, 2)
	go func() {
		if err := srv.Serve(lis); err != nil {
			failed <- errors.Wrapf(err, "cannot serve function %s", fn.Name)
		}
	}()

	if exposed != nil {
		ms := newExposedServer(probe, collector, a.metrics)
		defer ms.Close() //nolint:errcheck // Nothing is written that a failed close could lose.
		go func() {
			if err := ms.Serve(exposed); !errors.Is(err, http.ErrServerClosed) {
				failed <- errors.Wrapf(err, "cannot serve the metrics of function %s", fn.Name)
			}
		}()
	}

	select {
	case err := <-failed:
		srv.Stop()
		return err
	case <-ctx.Done():
		probe.Shutdown()
		stop(srv, shutdownGrace)
		return nil
	}
}

// stop a server when the running calls have finished, or when their time is up.
func stop(srv *grpc.Server, grace time.Duration) {
	late := time.AfterFunc(grace, srv.Stop)
	defer late.Stop()
	srv.GracefulStop()
}
