package process

import (
	"fmt"
	"path/filepath"

	"google.golang.org/grpc/credentials"
	"k8s.io/client-go/transport"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/e2e/controlplane"
)

// Certificates with which Crossplane and the functions know each other: one for both sides.
type Certificates struct {
	// Folder with tls.crt, tls.key and ca.crt, as Crossplane mounts them in a function's pod.
	Folder string

	client credentials.TransportCredentials
}

// NewCertificates writes certificates to a folder.
func NewCertificates(folder string) (*Certificates, error) {
	if err := controlplane.IssueCertificates(folder); err != nil {
		return nil, err
	}
	in := func(file string) string { return filepath.Join(folder, file) }
	config, err := transport.TLSConfigFor(&transport.Config{TLS: transport.TLSConfig{
		ServerName: "localhost", CAFile: in("ca.crt"), CertFile: in("tls.crt"), KeyFile: in("tls.key"),
	}})
	if err != nil {
		return nil, fmt.Errorf("cannot use a certificate: %w", err)
	}
	return &Certificates{Folder: folder, client: credentials.NewTLS(config)}, nil
}
