package server

import (
	"context"
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
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// certificates writes tls.crt, tls.key and ca.crt to a directory, as Crossplane
// mounts them in a function's pod, and returns the pair and the pool of them.
func certificates(t *testing.T) (string, tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("cannot generate key: %v", err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "localhost"},
		DNSNames:              []string{"localhost"},
		NotBefore:             time.Now().Add(-time.Minute),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatalf("cannot create certificate: %v", err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatalf("cannot marshal key: %v", err)
	}
	crt := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pair, err := tls.X509KeyPair(crt, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
	if err != nil {
		t.Fatalf("cannot load key pair: %v", err)
	}

	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"tls.crt": crt,
		"ca.crt":  crt,
		"tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatalf("cannot write %s: %v", name, err)
		}
	}

	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(crt)
	return dir, pair, pool
}

func TestServeTLS(t *testing.T) {
	dir, pair, pool := certificates(t)
	port := freePort(t)

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, fake(echo), Options{Network: "tcp", Address: fmt.Sprintf("127.0.0.1:%d", port), TLSCertsDir: dir, MaxRecvMessageSize: 1 << 20}, logging.NewNopLogger())
	}()

	call := func(t *testing.T, wait bool, certs ...tls.Certificate) error {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		creds := credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, ServerName: "localhost", Certificates: certs})
		client := fnv1.NewFunctionRunnerServiceClient(dial(t, fmt.Sprintf("127.0.0.1:%d", port), grpc.WithTransportCredentials(creds)))
		_, err := client.RunFunction(ctx, &fnv1.RunFunctionRequest{}, grpc.WaitForReady(wait))
		return err
	}

	// The first call also waits until the server listens, without which the
	// second one would fail for another reason.
	if err := call(t, true, pair); err != nil {
		t.Errorf("RunFunction(...): Crossplane calls with a certificate of the same CA, got %v", err)
	}
	if err := call(t, false); err == nil {
		t.Error("RunFunction(...): want a client without a certificate to be refused")
	}

	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve(...): unexpected error: %v", err)
	}
}
