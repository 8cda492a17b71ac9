package server

import (
	"context"
	"net"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/crossplane/function-sdk-go/logging"
)

// ServeAll serves every function at the port of its own, until the context is
// done or one of them fails. Options.Address is the host that all of them
// listen on, without a port. The profiles are those of the one process,
// whose memory they share.
func ServeAll(ctx context.Context, fns []Function, o Options, log logging.Logger) error {
	if o.ProfilesAddress != "" {
		stop, err := serveProfiles(ctx, o.ProfilesAddress, log)
		if err != nil {
			return err
		}
		defer stop()
	}
	o.ProfilesAddress = ""
	o.MemoryLimit /= int64(max(1, len(fns)))

	g, ctx := errgroup.WithContext(ctx)
	for _, fn := range fns {
		own := o
		own.Address = net.JoinHostPort(o.Address, strconv.Itoa(fn.Port))
		g.Go(func() error {
			log.Info("Serving function", "function", fn.Name, "address", own.Address)
			return Serve(ctx, fn, own, log)
		})
	}
	return g.Wait()
}
