package main

import (
	"context"
	"os"
	"runtime"
	"slices"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// megabyte in bytes, as gRPC's own limit of 4 MB counts it.
const megabyte = 1 << 20

// maxMegabytes that a message may be allowed to have. Decoded it takes many
// times as much memory.
const maxMegabytes = 1024

// serveFlags are what every command that serves functions can be told.
//
// gRPC's own limit is too small for what is received: a request holds the objects
// of a graph as they should be and as they are, so a graph whose response
// Crossplane receives could be created, and from then on not be reconciled.
type serveFlags struct {
	Debug              bool   `help:"Emit debug logs in addition to info logs."                     short:"d"`
	Network            string `default:"tcp"                                                        help:"Network on which to listen for gRPC connections."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR"                                           help:"Directory with the server's certificate and key (tls.crt, tls.key), and the CA that is used to verify client certificates (ca.crt)."                               name:"tls-certs-dir"                                                                                            placeholder:"DIR"`
	Insecure           bool   `help:"Serve without TLS, for development. Certificates are ignored."`
	MaxRecvMessageSize int    `default:"16"                                                         env:"MAX_RECV_MESSAGE_SIZE"                                                                                                                                              help:"Maximum size of received messages, in MB. The default is enough for every graph that Crossplane accepts." name:"max-recv-message-size"`
	PprofAddress       string `env:"PPROF_ADDRESS"     name:"pprof-address"                                             help:"Address at which to serve profiles (net/http/pprof), such as 127.0.0.1:6060. Profiles expose what is in memory, so listen on localhost only. Disabled when empty."`
}

// Validate the flags, whether they came as arguments or from the environment.
func (f serveFlags) Validate() error {
	if f.MaxRecvMessageSize < 1 || f.MaxRecvMessageSize > maxMegabytes {
		return errors.Errorf("--max-recv-message-size (MAX_RECV_MESSAGE_SIZE) is %d, but must be between 1 and %d MB", f.MaxRecvMessageSize, maxMegabytes)
	}
	return nil
}

func (f serveFlags) options() server.Options {
	return server.Options{
		Network:            f.Network,
		TLSCertsDir:        f.TLSCertsDir,
		Insecure:           f.Insecure,
		MaxRecvMessageSize: f.MaxRecvMessageSize * megabyte,
		ProfilesAddress:    f.PprofAddress,
	}
}

// serveCommand serves one function, as its package does in a cluster.
type serveCommand struct {
	serveFlags

	Address        string `default:":9443" help:"Address at which to listen for gRPC connections."`
	MetricsAddress string `default:":8080" name:"metrics-address" help:"Address at which to serve Prometheus metrics, and /livez and /readyz for probes. Disabled when empty."`

	name string
}

// Run the command.
func (c *serveCommand) Run(ctx context.Context) error {
	log, err := function.NewLogger(c.Debug)
	if err != nil {
		return err
	}
	fns := functions(log)
	i := slices.IndexFunc(fns, func(fn server.Function) bool { return fn.Name == c.name })

	defer runtime.KeepAlive(make([]byte, fns[i].Ballast))
	o := c.options()
	o.MemoryLimit = limitMemory(os.DirFS(cgroups), log)
	o.Address, o.MetricsAddress = c.Address, c.MetricsAddress
	return server.Serve(ctx, fns[i], o, log)
}
