package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	fnv1beta1 "github.com/crossplane/function-sdk-go/proto/v1beta1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server/metrics"
)

// echo answers with the tag of the request, and panics when it is told to.
func echo(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if req.GetMeta().GetTag() == "panic" {
		panic("told to")
	}
	return &fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: req.GetMeta().GetTag()}}, nil
}

func dial(t *testing.T, target string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(target, append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, opts...)...)
	if err != nil {
		t.Fatalf("cannot make client: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// start serves a function in memory, and returns a connection to it, what stops
// it, and what it returned in the end.
func start(t *testing.T, fn Function) (*grpc.ClientConn, context.CancelFunc, <-chan error) {
	t.Helper()
	return startAdmitting(t, newAdmission(16<<20, 0, 4, metrics.New("fake", "test")), fn)
}

// startAdmitting serves a function that calls are admitted to.
func startAdmitting(t *testing.T, a *admission, fn Function) (*grpc.ClientConn, context.CancelFunc, <-chan error) {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)

	done := make(chan error, 1)
	go func() { done <- serve(ctx, Recover(fn, logging.NewNopLogger()), lis, nil, a, nil) }()

	return dial(t, "passthrough:bufconn", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return lis.DialContext(ctx)
	})), cancel, done
}

func TestServe(t *testing.T) {
	conn, cancel, done := start(t, fake(echo))

	t.Run("V1", func(t *testing.T) {
		got, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: "a"}})
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}
		if diff := cmp.Diff(&fnv1.RunFunctionResponse{Meta: &fnv1.ResponseMeta{Tag: "a"}}, got, protocmp.Transform()); diff != "" {
			t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
		}
	})

	t.Run("V1beta1", func(t *testing.T) {
		got, err := fnv1beta1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &fnv1beta1.RunFunctionRequest{Meta: &fnv1beta1.RequestMeta{Tag: "b"}})
		if err != nil {
			t.Fatalf("RunFunction(...): unexpected error: %v", err)
		}
		if diff := cmp.Diff(&fnv1beta1.RunFunctionResponse{Meta: &fnv1beta1.ResponseMeta{Tag: "b"}}, got, protocmp.Transform()); diff != "" {
			t.Errorf("RunFunction(...): -want, +got:\n%s", diff)
		}
	})

	t.Run("PanicEndsOneRequest", func(t *testing.T) {
		client := fnv1.NewFunctionRunnerServiceClient(conn)
		for _, tag := range []string{"panic", "a", "panic"} {
			got, err := client.RunFunction(t.Context(), &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: tag}})
			if err != nil {
				t.Fatalf("RunFunction(%q): unexpected error: %v", tag, err)
			}
			if fatal := len(got.GetResults()) == 1; fatal != (tag == "panic") {
				t.Errorf("RunFunction(%q): got results %v", tag, got.GetResults())
			}
		}
	})

	t.Run("Healthy", func(t *testing.T) {
		got, err := healthv1.NewHealthClient(conn).Check(t.Context(), &healthv1.HealthCheckRequest{})
		if err != nil {
			t.Fatalf("Check(...): unexpected error: %v", err)
		}
		if got.GetStatus() != healthv1.HealthCheckResponse_SERVING {
			t.Errorf("Check(...): want SERVING, got %s", got.GetStatus())
		}
	})

	cancel()
	if err := <-done; err != nil {
		t.Errorf("serve(...): want no error after a clean stop, got %v", err)
	}
}

func TestServeStopsAfterRunningCalls(t *testing.T) {
	running, finish := make(chan struct{}), make(chan struct{})
	conn, cancel, done := start(t, fake(func(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		close(running)
		<-finish
		return echo(ctx, req)
	}))

	called := make(chan error, 1)
	go func() {
		_, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &fnv1.RunFunctionRequest{})
		called <- err
	}()

	<-running
	cancel()
	select {
	case err := <-done:
		t.Fatalf("serve(...): returned %v while a call was running", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(finish)

	if err := <-called; err != nil {
		t.Errorf("RunFunction(...): a call that was running when the server stopped failed: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("serve(...): unexpected error: %v", err)
	}
}

func TestStopDoesNotWaitForEver(t *testing.T) {
	srv := grpc.NewServer()
	hang := make(chan struct{})
	defer close(hang)
	running := make(chan struct{})
	fnv1.RegisterFunctionRunnerServiceServer(srv, fake(func(ctx context.Context, _ *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		close(running)
		<-ctx.Done()
		return nil, ctx.Err()
	}).Runner)
	lis := bufconn.Listen(1 << 20)
	go func() { _ = srv.Serve(lis) }()
	conn := dial(t, "passthrough:bufconn", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return lis.DialContext(ctx)
	}))

	called := make(chan error, 1)
	go func() {
		_, err := fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), &fnv1.RunFunctionRequest{})
		called <- err
	}()
	<-running
	stop(srv, time.Millisecond)
	if err := <-called; err == nil {
		t.Error("RunFunction(...): want an error for a call that outlived the grace")
	}
}

// freePort is a port that no process listened on a moment ago.
func freePort(t *testing.T) int {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen: %v", err)
	}
	defer lis.Close()
	addr, ok := lis.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatalf("a TCP listener has address %v", lis.Addr())
	}
	return addr.Port
}

func TestServeAll(t *testing.T) {
	fns := []Function{fake(echo), fake(echo)}
	fns[0].Port, fns[1].Port = freePort(t), freePort(t)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- ServeAll(ctx, fns, Options{Network: "tcp", Address: "127.0.0.1", Insecure: true, MaxRecvMessageSize: 1 << 10}, logging.NewNopLogger())
	}()

	for i, fn := range fns {
		client := fnv1.NewFunctionRunnerServiceClient(dial(t, fmt.Sprintf("127.0.0.1:%d", fn.Port)))
		if _, err := client.RunFunction(t.Context(), &fnv1.RunFunctionRequest{}, grpc.WaitForReady(true)); err != nil {
			t.Errorf("RunFunction(...) of function %d: unexpected error: %v", i, err)
		}
		_, err := client.RunFunction(t.Context(), &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: strings.Repeat("x", 2<<10)}})
		if err == nil || !strings.Contains(err.Error(), "larger than max") {
			t.Errorf("RunFunction(...) of function %d: want a message above the limit to be refused, got %v", i, err)
		}
	}

	cancel()
	if err := <-done; err != nil {
		t.Errorf("ServeAll(...): unexpected error: %v", err)
	}
}

func TestServeMetrics(t *testing.T) {
	// Two functions with metrics in one process, which the default registry
	// would answer with a panic.
	for range 2 {
		addr := fmt.Sprintf("127.0.0.1:%d", freePort(t))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- Serve(ctx, fake(echo), Options{Network: "tcp", Address: "127.0.0.1:0", Insecure: true, MetricsAddress: addr}, logging.NewNopLogger())
		}()
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Serve(...): unexpected error: %v", err)
			}
		})

		body := get(t, "http://"+addr+"/metrics")
		for _, want := range []string{"grpc_server_handled_total", `grpc_method="RunFunction"`, "go_goroutines"} {
			if !strings.Contains(body, want) {
				t.Errorf("metrics have no %q", want)
			}
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	for range 100 {
		rsp, err := http.Get(url) //nolint:gosec // The URL is one of our own.
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		body, err := io.ReadAll(rsp.Body)
		_ = rsp.Body.Close()
		if err != nil {
			t.Fatalf("cannot read %s: %v", url, err)
		}
		return string(body)
	}
	t.Fatalf("nothing answers at %s", url)
	return ""
}

func TestServeErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("cannot listen: %v", err)
	}
	defer taken.Close()

	cases := map[string]struct {
		reason  string
		options Options
		want    string
	}{
		"NoCredentials": {
			reason:  "A function is not served without credentials by accident.",
			options: Options{Network: "tcp", Address: "127.0.0.1:0"},
			want:    "cannot serve without certificates; set --tls-certs-dir, or --insecure for development",
		},
		"NoCertificates": {
			reason:  "A directory without certificates is named.",
			options: Options{Network: "tcp", Address: "127.0.0.1:0", TLSCertsDir: "no-such-dir"},
			want:    `cannot use the certificates of directory "no-such-dir"`,
		},
		"AddressTaken": {
			reason:  "The address that is taken is named.",
			options: Options{Network: "tcp", Address: taken.Addr().String(), Insecure: true},
			want:    fmt.Sprintf("cannot listen for tcp connections at address %q", taken.Addr()),
		},
		"MetricsAddressTaken": {
			reason:  "A metrics endpoint that cannot listen is an error, not silence.",
			options: Options{Network: "tcp", Address: "127.0.0.1:0", Insecure: true, MetricsAddress: taken.Addr().String()},
			want:    fmt.Sprintf("cannot listen for metrics connections at address %q", taken.Addr()),
		},
		"ProfilesAddressTaken": {
			reason:  "Profiles that cannot be served are an error, not silence.",
			options: Options{Network: "tcp", Address: "127.0.0.1:0", Insecure: true, ProfilesAddress: taken.Addr().String()},
			want:    fmt.Sprintf("cannot listen for profile connections at address %q", taken.Addr()),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := Serve(t.Context(), fake(echo), tc.options, logging.NewNopLogger())
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nServe(...): want error %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}
