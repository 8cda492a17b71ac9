//go:build !serving

package main

import (
	"context"
	"os"

	"github.com/crossplane/function-sdk-go"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// serveAllCommand serves every function, as the Development runtime wants them.
type serveAllCommand struct {
	serveFlags

	All      bool   `help:"Serve all functions." required:""`
	BasePort int    `default:"9443"              help:"Port of the first function. The ports of the other functions move with it."`
	Host     string `default:"127.0.0.1"         help:"Host to listen on. A renderer that runs in Docker can reach 0.0.0.0 only."`
}

// Run the command.
func (c *serveAllCommand) Run(ctx context.Context) error {
	log, err := function.NewLogger(c.Debug)
	if err != nil {
		return err
	}
	fns := functions(log)
	for i := range fns {
		fns[i].Port += c.BasePort - basePort
	}

	o := c.options()
	o.MemoryLimit = limitMemory(os.DirFS(cgroups), log)
	o.Address = c.Host
	return server.ServeAll(ctx, fns, o, log)
}
