package server

import (
	"context"
	"net"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/crossplane/function-sdk-go/logging"
)

// ServeAll serves every function at its own port, until the context is done or one of them fails. Options.Address is the host of all of
// them, without a port. There is one set of profiles, because the functions share the memory of the process.
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
