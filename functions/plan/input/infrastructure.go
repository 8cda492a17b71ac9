package input

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan/input/v1alpha1"
)

// tlsScheme of addresses at which NATS clients use TLS.
const tlsScheme = "tls://"

// validateInfrastructure checks that TLS is complete. All pods get the same paths, and each is a client and a server of the others, so that one
// side without TLS could not talk to the other. A client with an incomplete configuration ends with an error.
// https://github.com/ai-dynamo/dynamo/blob/main/docs/fern/pages/reference/components/tls-configuration.mdx
func validateInfrastructure(path *field.Path, in v1alpha1.Infrastructure) field.ErrorList {
	type setting struct{ name, value string }
	var (
		natsAddress    = setting{"natsAddress", in.NATSAddress}
		natsCA         = setting{"natsTLSCAPath", in.NATSTLSCAPath}
		natsClientCert = setting{"natsTLSClientCertPath", in.NATSTLSClientCertPath}
		natsClientKey  = setting{"natsTLSClientKeyPath", in.NATSTLSClientKeyPath}
		cert           = setting{"tcpTLSCertPath", in.TCPTLSCertPath}
		key            = setting{"tcpTLSKeyPath", in.TCPTLSKeyPath}
		ca             = setting{"tcpTLSCAPath", in.TCPTLSCAPath}
		clientCert     = setting{"tcpTLSClientCertPath", in.TCPTLSClientCertPath}
		clientKey      = setting{"tcpTLSClientKeyPath", in.TCPTLSClientKeyPath}
		clientCA       = setting{"tcpTLSClientCAPath", in.TCPTLSClientCAPath}
		serverName     = setting{"tcpTLSServerName", in.TCPTLSServerName}
	)
	var errs field.ErrorList
	for _, rule := range [...]struct {
		setting setting
		needs   []setting
	}{
		{natsCA, []setting{natsAddress}},
		{natsClientCert, []setting{natsClientKey, natsCA}},
		{natsClientKey, []setting{natsClientCert}},
		{cert, []setting{key, ca}},
		{key, []setting{cert}},
		{ca, []setting{cert}},
		{clientCert, []setting{clientKey, ca}},
		{clientKey, []setting{clientCert}},
		{clientCA, []setting{cert}},
		{serverName, []setting{ca}},
	} {
		for _, needed := range rule.needs {
			if rule.setting.value != "" && needed.value == "" {
				detail := fmt.Sprintf("needs %s; set it as well, or remove %s", needed.name, rule.setting.name)
				errs = append(errs, field.Invalid(path.Child(rule.setting.name), rule.setting.value, detail))
			}
		}
	}
	if in.NATSTLSCAPath != "" && in.NATSAddress != "" && !strings.HasPrefix(in.NATSAddress, tlsScheme) {
		errs = append(errs, field.Invalid(path.Child(natsAddress.name), in.NATSAddress, fmt.Sprintf("must begin with %s because %s is set; with another scheme, pods end with an error", tlsScheme, natsCA.name)))
	}
	return errs
}
