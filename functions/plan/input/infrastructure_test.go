package input

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInfrastructure(t *testing.T) {
	const (
		server = `"tcpTLSCertPath":"/c","tcpTLSKeyPath":"/k","tcpTLSCAPath":"/ca"`
		nats   = `"natsAddress":"tls://n:4222","natsTLSCAPath":"/ca"`
		at     = "input.infrastructure."
	)
	cases := map[string]struct {
		reason string
		given  string
		want   []string
	}{
		"Addresses": {
			reason: "Without certificates any address is fine.",
			given:  `"natsAddress":"nats://n:4222"`,
		},
		"TLS": {
			reason: "Servers have certificates, and clients verify them.",
			given:  nats + `,` + server + `,"tcpTLSServerName":"worker.example.org"`,
		},
		"MutualTLS": {
			reason: "Clients have certificates too.",
			given: nats + `,"natsTLSClientCertPath":"/c","natsTLSClientKeyPath":"/k",` + server +
				`,"tcpTLSClientCertPath":"/c","tcpTLSClientKeyPath":"/k","tcpTLSClientCAPath":"/ca"`,
		},
		"NoScheme": {
			reason: "The runtime does not fall back to a connection without TLS.",
			given:  `"natsAddress":"nats://n:4222","natsTLSCAPath":"/ca"`,
			want:   []string{at + `natsAddress: Invalid value: "nats://n:4222": must begin with tls:// because natsTLSCAPath is set; with another scheme, pods end with an error`},
		},
		"NoAddress": {
			reason: "The default address of the runtime is without TLS.",
			given:  `"natsTLSCAPath":"/ca"`,
			want:   []string{at + `natsTLSCAPath: Invalid value: "/ca": needs natsAddress; set it as well, or remove natsTLSCAPath`},
		},
		"HalfOfNATSClient": {
			reason: "A certificate is of no use without its key, nor without TLS.",
			given:  `"natsAddress":"tls://n:4222","natsTLSClientCertPath":"/c"`,
			want: []string{
				at + `natsTLSClientCertPath: Invalid value: "/c": needs natsTLSClientKeyPath; set it as well, or remove natsTLSClientCertPath`,
				at + `natsTLSClientCertPath: Invalid value: "/c": needs natsTLSCAPath; set it as well, or remove natsTLSClientCertPath`,
			},
		},
		"OtherHalfOfNATSClient": {
			reason: "A key is of no use without its certificate.",
			given:  nats + `,"natsTLSClientKeyPath":"/k"`,
			want:   []string{at + `natsTLSClientKeyPath: Invalid value: "/k": needs natsTLSClientCertPath; set it as well, or remove natsTLSClientKeyPath`},
		},
		"HalfOfServer": {
			reason: "A key is of no use without its certificate.",
			given:  `"tcpTLSKeyPath":"/k"`,
			want:   []string{at + `tcpTLSKeyPath: Invalid value: "/k": needs tcpTLSCertPath; set it as well, or remove tcpTLSKeyPath`},
		},
		"NoClients": {
			reason: "Clients without a CA would talk to servers without TLS.",
			given:  `"tcpTLSCertPath":"/c","tcpTLSKeyPath":"/k"`,
			want:   []string{at + `tcpTLSCertPath: Invalid value: "/c": needs tcpTLSCAPath; set it as well, or remove tcpTLSCertPath`},
		},
		"NoServers": {
			reason: "Servers without a certificate would talk to clients without TLS.",
			given:  `"tcpTLSCAPath":"/ca","tcpTLSServerName":"worker.example.org"`,
			want:   []string{at + `tcpTLSCAPath: Invalid value: "/ca": needs tcpTLSCertPath; set it as well, or remove tcpTLSCAPath`},
		},
		"HalfOfClient": {
			reason: "A certificate is of no use without its key.",
			given:  server + `,"tcpTLSClientCertPath":"/c"`,
			want:   []string{at + `tcpTLSClientCertPath: Invalid value: "/c": needs tcpTLSClientKeyPath; set it as well, or remove tcpTLSClientCertPath`},
		},
		"ClientsWithoutCA": {
			reason: "A client only uses TLS if it can verify the server.",
			given:  `"tcpTLSClientCertPath":"/c","tcpTLSClientKeyPath":"/k"`,
			want:   []string{at + `tcpTLSClientCertPath: Invalid value: "/c": needs tcpTLSCAPath; set it as well, or remove tcpTLSClientCertPath`},
		},
		"ClientCAWithoutServers": {
			reason: "Only a server with TLS demands certificates.",
			given:  `"tcpTLSClientCAPath":"/ca"`,
			want:   []string{at + `tcpTLSClientCAPath: Invalid value: "/ca": needs tcpTLSCertPath; set it as well, or remove tcpTLSClientCAPath`},
		},
		"NameWithoutCA": {
			reason: "Clients without TLS expect no name.",
			given:  `"tcpTLSServerName":"worker.example.org"`,
			want:   []string{at + `tcpTLSServerName: Invalid value: "worker.example.org": needs tcpTLSCAPath; set it as well, or remove tcpTLSServerName`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, errs := Read(given(`{"infrastructure":{`+tc.given+`}}`), "")
			var got []string
			for _, err := range errs {
				got = append(got, err.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nRead(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestInfrastructureOverlay shows that a policy is checked as a whole, whichever document its parts are in.
func TestInfrastructureOverlay(t *testing.T) {
	const input = `{"infrastructure":{"natsAddress":"tls://n:4222","natsTLSCAPath":"/ca"}}`
	in, errs := overlaid(input, `{"namespaces":[{"selector":{"matchNames":["team-*"]},"infrastructure":{"natsTLSCAPath":"/team"}}]}`)
	if len(errs) > 0 || in.Infrastructure.NATSTLSCAPath != "/team" {
		t.Errorf("An entry for namespaces replaces one path: got %q and errors %v", in.Infrastructure.NATSTLSCAPath, errs)
	}
	want := []string{`EnvironmentConfig[dynamo].data.infrastructure.natsAddress: Invalid value: "nats://other:4222": must begin with tls:// because natsTLSCAPath is set; with another scheme, pods end with an error`}
	_, errs = overlaid(input, `{"infrastructure":{"natsAddress":"nats://other:4222"}}`)
	if diff := cmp.Diff(want, errs); diff != "" {
		t.Errorf("Another address contradicts the path in the input.\nOverlay(...): -want, +got:\n%s", diff)
	}
}
