package process

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/credentials"
)

// serverName that the certificate is made out to.
const serverName = "localhost"

// Certificates with which Crossplane and the functions know each other: one that signs itself, for both sides.
type Certificates struct {
	// Folder with tls.crt, tls.key and ca.crt, as Crossplane mounts them in a function's pod.
	Folder string

	pair tls.Certificate
	pool *x509.CertPool
}

// NewCertificates writes certificates to a folder.
func NewCertificates(folder string) (*Certificates, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: serverName},
		DNSNames:              []string{serverName},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a key: %w", err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
	for name, data := range map[string][]byte{"tls.crt": certPEM, "ca.crt": certPEM, "tls.key": keyPEM} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return nil, fmt.Errorf("cannot write a certificate: %w", err)
		}
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot use a certificate: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(certPEM)
	return &Certificates{Folder: folder, pair: pair, pool: pool}, nil
}

// client credentials, as Crossplane's.
func (c *Certificates) client() credentials.TransportCredentials {
	return credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: c.pool, ServerName: serverName, Certificates: []tls.Certificate{c.pair},
	})
}
