// Package servertest calls functions that tests serve.
package servertest

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// FreePorts is the first of n ports in a row that nobody listened on a moment ago. Processes of tests look in different places.
func FreePorts(t testing.TB, n int) int {
	t.Helper()
	const first, end, places = 20000, 30000, 50
	for base := first + os.Getpid()%places*100; base < end; base += n {
		free := 0
		for port := base; port < base+n; port++ {
			lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				break
			}
			if err := lis.Close(); err != nil {
				t.Fatalf("cannot close listener: %v", err)
			}
			free++
		}
		if free == n {
			return base
		}
	}
	t.Fatalf("found no %d free ports in a row", n)
	return 0
}

// Answers waits for a function at an address to answer.
func Answers(t testing.TB, address string) {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("cannot make client: %v", err)
	}
	defer func() { _ = conn.Close() }()

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(ctx, &fnv1.RunFunctionRequest{}, grpc.WaitForReady(true))
	if err != nil {
		t.Errorf("RunFunction(...) at %s: unexpected error: %v", address, err)
	}
}

// Send a request of at least so many bytes to the function at an address.
func Send(t testing.TB, address string, size int) error {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatalf("cannot make client: %v", err)
	}
	defer func() { _ = conn.Close() }()
	req := &fnv1.RunFunctionRequest{Observed: &fnv1.State{Resources: map[string]*fnv1.Resource{
		"large": {Resource: &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStringValue(strings.Repeat("x", size))}}},
	}}}
	_, err = fnv1.NewFunctionRunnerServiceClient(conn).RunFunction(t.Context(), req)
	return err
}
