//go:build !serving

package main

import (
	"context"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/render"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/server"
)

// renderCommand renders with the functions of this program. They keep silent, so
// that standard error holds nothing but what went wrong.
type renderCommand struct {
	render.Command
}

// Run the command.
func (c *renderCommand) Run(ctx context.Context, std streams) error {
	log, err := function.NewLogger(false)
	if err != nil {
		return err
	}
	fns := functions(logging.NewNopLogger())
	for i := range fns {
		fns[i] = server.Limit(server.Recover(fns[i], log))
	}
	return c.Execute(ctx, std.in, std.out, fns)
}
