// Static serves a composition function that decides nothing. With a recorded response, it returns that for each graph, with the name of the graph in
// it: what Crossplane and the API server cost with these objects, whatever makes them. Without, it copies its request to its response, with the server
// of function-sdk-go: what any function costs at least.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
)

// command line, with the flags of the same names of our functions.
type command struct {
	Response string `help:"File with the response, in the wire format of protobuf."                     type:"existingfile"`
	Name     string `help:"Name of the graph in the response. It is replaced wherever it is in a text."`

	Address            string `default:":9443"            help:"Address at which to listen for gRPC connections."`
	MetricsAddress     string `default:":8080"            help:"Address at which to serve Prometheus metrics."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR" help:"Directory with the server's certificate and the CA that clients are verified with."`
	MaxRecvMessageSize int    `default:"4"                help:"Largest message that is received, in MB."`
}

// Run the command.
func (c *command) Run() error {
	s := &static{name: c.Name}
	if c.Response != "" {
		data, err := os.ReadFile(c.Response)
		if err != nil {
			return fmt.Errorf("cannot read the response: %w", err)
		}
		s.response = &fnv1.RunFunctionResponse{}
		if err := proto.Unmarshal(data, s.response); err != nil {
			return fmt.Errorf("cannot decode the response: %w", err)
		}
	}
	return function.Serve(s,
		function.Listen("tcp", c.Address),
		function.MTLSCertificates(c.TLSCertsDir),
		function.MaxRecvMessageSize(c.MaxRecvMessageSize<<20),
		function.WithMetricsServer(c.MetricsAddress),
	)
}

// static is the function.
type static struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	name string
	// response is nil if requests are copied.
	response *fnv1.RunFunctionResponse
}

// RunFunction returns the response for the graph of a request, or copies desired state and context, as every function does with what is not its own.
func (s *static) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if s.response == nil {
		return response.To(req, response.DefaultTTL), nil
	}
	metadata := req.GetObserved().GetComposite().GetResource().GetFields()["metadata"].GetStructValue()
	rsp := proto.CloneOf(s.response)
	rsp.Meta.Tag = req.GetMeta().GetTag()
	name := metadata.GetFields()["name"].GetStringValue()
	rename(rsp.GetDesired().GetComposite().GetResource(), s.name, name)
	for _, r := range rsp.GetDesired().GetResources() {
		rename(r.GetResource(), s.name, name)
	}
	return rsp, nil
}

// rename the graph in all texts of an object.
func rename(object *structpb.Struct, from, to string) {
	for _, value := range object.GetFields() {
		renameIn(value, from, to)
	}
}

func renameIn(value *structpb.Value, from, to string) {
	switch kind := value.GetKind().(type) {
	case *structpb.Value_StringValue:
		kind.StringValue = strings.ReplaceAll(kind.StringValue, from, to)
	case *structpb.Value_StructValue:
		rename(kind.StructValue, from, to)
	case *structpb.Value_ListValue:
		for _, item := range kind.ListValue.GetValues() {
			renameIn(item, from, to)
		}
	}
}

func main() {
	if err := kong.Parse(&command{}).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "static:", err)
		os.Exit(1)
	}
}
