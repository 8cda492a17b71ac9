package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/crossplane/function-sdk-go"
	"github.com/crossplane/function-sdk-go/errors"

	"github.com/dynamo-crossplane/configuration-dynamo/functions"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// settings of a function.
type settings struct {
	server.Options

	debug     bool
	megabytes int
}

// flags of a function.
func (s *settings) flags(name string) *flag.FlagSet {
	set := flag.NewFlagSet("function "+name, flag.ContinueOnError)
	for _, flag := range []string{"debug", "d"} {
		set.BoolVar(&s.debug, flag, false, "Also emit debug logs.")
	}
	set.StringVar(&s.Network, "network", "tcp", "Network of gRPC connections.")
	set.StringVar(&s.Address, "address", fmt.Sprintf(":%d", functions.BasePort), "Address of gRPC connections.")
	set.StringVar(&s.MetricsAddress, "metrics-address", ":8080",
		"Address of Prometheus metrics, and of /livez and /readyz for probes. An empty address turns both off.")
	set.StringVar(&s.TLSCertsDir, "tls-certs-dir", "",
		"Directory with tls.crt, tls.key, and ca.crt, which verifies clients.")
	set.BoolVar(&s.Insecure, "insecure", false, "Serve without TLS, for development.")
	set.IntVar(&s.megabytes, "max-recv-message-size", server.DefaultReceive,
		"Maximum size of received messages, in MB. The default suffices for all graphs.")
	set.StringVar(&s.ProfilesAddress, "pprof-address", "",
		"Address of profiles, such as 127.0.0.1:6060. Profiles expose what is in memory.")
	return set
}

// variables of the environment that can be set in place of flags. Crossplane sets that of the certificates.
func variables() map[string]string {
	return map[string]string{"tls-certs-dir": "TLS_SERVER_CERTS_DIR", "max-recv-message-size": "MAX_RECV_MESSAGE_SIZE", "pprof-address": "PPROF_ADDRESS"}
}

// fromEnvironment sets flags. Arguments are parsed later, and win.
func fromEnvironment(set *flag.FlagSet) error {
	for name, variable := range variables() {
		given := os.Getenv(variable)
		if given == "" {
			continue
		}
		if err := set.Set(name, given); err != nil {
			return errors.Errorf("cannot use %s=%q for --%s: %w", variable, given, name, err)
		}
	}
	return nil
}

// complete the settings after they are parsed.
func (s *settings) complete() (err error) {
	s.MaxRecvMessageSize, err = server.ReceiveLimit(s.megabytes)
	return err
}

// serve a function until the context is done.
func (s *settings) serve(ctx context.Context, name string) error {
	log, err := function.NewLogger(s.debug)
	if err != nil {
		return err
	}
	all := functions.All(log)
	fn := all[slices.IndexFunc(all, func(fn server.Function) bool { return fn.Name == name })]
	s.MemoryLimit = server.LimitMemory(os.DirFS(server.Cgroups), log)

	defer runtime.KeepAlive(make([]byte, fn.Ballast))
	return server.Serve(ctx, fn, s.Options, log)
}
