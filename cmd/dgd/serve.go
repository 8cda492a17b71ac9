package main

import (
	"context"
	"os"

	"github.com/crossplane/function-sdk-go"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// serveCommand serves every function, as the Development runtime wants them.
type serveCommand struct {
	All                bool   `help:"Serve all functions."          required:""`
	BasePort           int    `default:"9443"                       help:"Port of the first function. The ports of the other functions move with it."`
	Host               string `default:"127.0.0.1"                  help:"Host to listen on. A renderer that runs in Docker can reach 0.0.0.0 only."`
	Debug              bool   `help:"Emit debug logs in addition to info logs." short:"d"`
	Network            string `default:"tcp"                        help:"Network on which to listen for gRPC connections."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR"           help:"Directory with the server's certificate and key (tls.crt, tls.key), and the CA that is used to verify client certificates (ca.crt)." name:"tls-certs-dir" placeholder:"DIR"`
	Insecure           bool   `help:"Serve without TLS, for development. Certificates are ignored."`
	MaxRecvMessageSize int    `default:"16"                         env:"MAX_RECV_MESSAGE_SIZE" help:"Maximum size of received messages, in MB. The default is enough for every graph that Crossplane accepts." name:"max-recv-message-size"`
	PprofAddress       string `env:"PPROF_ADDRESS"                  help:"Address at which to serve profiles (net/http/pprof), such as 127.0.0.1:6060. Profiles expose what is in memory, so listen on localhost only. Disabled when empty." name:"pprof-address"`
}

// Validate the flags, whether they came as arguments or from the environment.
func (c *serveCommand) Validate() error {
	_, err := server.ReceiveLimit(c.MaxRecvMessageSize)
	return err
}

// Run the command.
func (c *serveCommand) Run(ctx context.Context) error {
	log, err := function.NewLogger(c.Debug)
	if err != nil {
		return err
	}
	limit, err := server.ReceiveLimit(c.MaxRecvMessageSize)
	if err != nil {
		return err
	}
	all := functions.All(log)
	for i := range all {
		all[i].Port += c.BasePort - functions.BasePort
	}
	return server.ServeAll(ctx, all, server.Options{
		Network:            c.Network,
		Address:            c.Host,
		TLSCertsDir:        c.TLSCertsDir,
		Insecure:           c.Insecure,
		MaxRecvMessageSize: limit,
		MemoryLimit:        server.LimitMemory(os.DirFS(server.Cgroups), log),
		ProfilesAddress:    c.PprofAddress,
	}, log)
}
