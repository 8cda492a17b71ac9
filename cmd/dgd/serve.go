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
	BasePort           int    `default:"9443"                       help:"Port of the first function. The ports of the other functions follow."`
	Host               string `default:"127.0.0.1"                  help:"Host to listen on. A renderer that runs in Docker can reach 0.0.0.0 only."`
	Debug              bool   `help:"Also emit debug logs." short:"d"`
	Network            string `default:"tcp"                        help:"Network of gRPC connections."`
	TLSCertsDir        string `env:"TLS_SERVER_CERTS_DIR"           help:"Directory with tls.crt, tls.key, and ca.crt, which verifies clients." name:"tls-certs-dir" placeholder:"DIR"`
	Insecure           bool   `help:"Serve without TLS, for development."`
	MaxRecvMessageSize int    `default:"16"                         env:"MAX_RECV_MESSAGE_SIZE" help:"Maximum size of received messages, in MB. The default suffices for all graphs." name:"max-recv-message-size"`
	PprofAddress       string `env:"PPROF_ADDRESS"                  help:"Address of profiles, such as 127.0.0.1:6060. Profiles expose what is in memory." name:"pprof-address"`
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
