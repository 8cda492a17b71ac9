package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/crossplane/function-sdk-go"

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
		set.BoolVar(&s.debug, flag, false, "Emit debug logs in addition to info logs.")
	}
	set.StringVar(&s.Network, "network", "tcp", "Network on which to listen for gRPC connections.")
	set.StringVar(&s.Address, "address", fmt.Sprintf(":%d", functions.BasePort), "Address at which to listen for gRPC connections.")
	set.StringVar(&s.MetricsAddress, "metrics-address", ":8080",
		"Address at which to serve Prometheus metrics, and /livez and /readyz for probes. Disabled when empty.")
	set.StringVar(&s.TLSCertsDir, "tls-certs-dir", "",
		"Directory with the server's certificate and key (tls.crt, tls.key), and the CA that is used to verify client certificates (ca.crt).")
	set.BoolVar(&s.Insecure, "insecure", false, "Serve without TLS, for development. Certificates are ignored.")
	set.IntVar(&s.megabytes, "max-recv-message-size", server.DefaultReceive,
		"Maximum size of received messages, in MB. The default is enough for every graph that Crossplane accepts.")
	set.StringVar(&s.ProfilesAddress, "pprof-address", "",
		"Address at which to serve profiles (net/http/pprof), such as 127.0.0.1:6060. Profiles expose what is in memory, so listen on localhost only. "+
			"Disabled when empty.")
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
			return fmt.Errorf("cannot use %s=%q for --%s: %w", variable, given, name, err)
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
