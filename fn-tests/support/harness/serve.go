package harness

import (
	"context"
	"net"
	"os/exec"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Served function runs in a process of its own.
type Served struct {
	client fnv1.FunctionRunnerServiceClient
}

// Serve a function with a program, whose arguments end with the address that it has to serve at, until the test ends.
func Serve(t testing.TB, program string, args ...string) Served {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	server := exec.CommandContext(ctx, program, append(args, "-address", address)...) //nolint:gosec // Programs that tests have built.
	if err := server.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = connection.Close()
		cancel()
		_ = server.Wait()
	})
	return Served{fnv1.NewFunctionRunnerServiceClient(connection)}
}

// RunFunction calls the function in its process.
func (s Served) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	const patience = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.client.RunFunction(ctx, req)
}
