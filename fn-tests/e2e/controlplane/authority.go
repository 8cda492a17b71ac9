package controlplane

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// Files of a folder with a certificate, named as in a Secret of type kubernetes.io/tls.
const (
	certFile = "tls.crt"
	keyFile  = "tls.key"
	caFile   = "ca.crt"
)

// An authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// newAuthority makes an authority. Its certificates are valid early enough for any clock, and longer than any test run.
func newAuthority(name string) (*authority, error) {
	// Of an algorithm that all programs read.
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: name, NotBefore: time.Now().Add(-time.Hour)}, key)
	if err != nil {
		return nil, fmt.Errorf("cannot make the certificate of %s: %w", name, err)
	}
	return &authority{certificate: certificate, key: key}, nil
}

// parseAuthority reads an authority that another process created.
func parseAuthority(certPEM, keyPEM []byte) (*authority, error) {
	certificates, err := cert.ParseCertsPEM(certPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate of an authority: %w", err)
	}
	key, err := keyutil.ParsePrivateKeyPEM(keyPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot read the key of an authority: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("cannot sign with the key of an authority")
	}
	return &authority{certificate: certificates[0], key: signer}, nil
}

// IssueCertificates writes a certificate of this machine for servers and clients to a folder, beside that of its authority.
func IssueCertificates(folder string) error {
	a, err := newAuthority("localhost")
	if err != nil {
		return err
	}
	return a.issue(folder)
}

// pem is the certificate of the authority.
func (a *authority) pem() []byte { return encodeCertificate(a.certificate.Raw) }

// issue a certificate of this machine, which may have other names, into a folder, beside that of the authority. Both have the same key.
func (a *authority) issue(folder string, names ...string) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return fmt.Errorf("cannot make a serial number: %w", err)
	}
	names = append(names, "localhost")
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: names[0]}, DNSNames: names, IPAddresses: []net.IP{net.ParseIP(host)},
		NotBefore: a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, a.key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("cannot issue a certificate: %w", err)
	}
	encodedKey, err := keyutil.MarshalPrivateKeyToPEM(a.key)
	if err != nil {
		return fmt.Errorf("cannot encode a key: %w", err)
	}
	return writeFiles(folder, map[string][]byte{certFile: encodeCertificate(der), keyFile: encodedKey, caFile: a.pem()})
}

func encodeCertificate(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: der})
}

// writeSigningKey makes the key with which service accounts' tokens are signed.
func writeSigningKey(path string) error {
	key, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return fmt.Errorf("cannot make a key: %w", err)
	}
	return writeFiles(filepath.Dir(path), map[string][]byte{filepath.Base(path): key})
}

// writeFiles to a folder, for the eyes of this user only.
func writeFiles(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("cannot make a folder: %w", err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			return fmt.Errorf("cannot write %s: %w", name, err)
		}
	}
	return nil
}
