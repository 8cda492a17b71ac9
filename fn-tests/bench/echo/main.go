// Echo serves a composition function that only copies its request to its response, with the server of function-sdk-go: what
// any function costs at least.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
)

// command line, with the flags of the same names of our functions.
type command struct {
	Address            string `default:":9443"              help:"Address at which to listen for gRPC connections."`
	MetricsAddress     string `default:":8080"              help:"Address at which to serve Prometheus metrics."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR"   help:"Directory with the server's certificate and the CA that clients are verified with."`
	MaxRecvMessageSize int    `default:"4"                  help:"Largest message that is received, in MB."`
}

// Run the command.
func (c *command) Run() error {
	return function.Serve(&echo{},
		function.Listen("tcp", c.Address),
		function.MTLSCertificates(c.TLSCertsDir),
		function.MaxRecvMessageSize(c.MaxRecvMessageSize<<20),
		function.WithMetricsServer(c.MetricsAddress),
	)
}

// echo is the function.
type echo struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

// RunFunction copies desired state and context, as every function does with what is not its own.
func (*echo) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return response.To(req, response.DefaultTTL), nil
}

func main() {
	if err := kong.Parse(&command{}).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "echo:", err)
		os.Exit(1)
	}
}
