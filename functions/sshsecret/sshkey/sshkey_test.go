package sshkey

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/crypto/ssh"

	"github.com/dynamo-crossplane/configuration-dynamo/fn-tests/support/shared"
)

func TestGenerate(t *testing.T) {
	private, public, err := Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		t.Fatalf("the private key cannot be parsed: %v", err)
	}
	authorized, comment, options, rest, err := ssh.ParseAuthorizedKey(public)
	if err != nil {
		t.Fatalf("the public key cannot be parsed: %v", err)
	}
	if authorized.Type() != ssh.KeyAlgoED25519 || comment != "" || len(options) > 0 || len(rest) > 0 {
		t.Errorf("want one Ed25519 key and nothing else, got %s %q %v %q", authorized.Type(), comment, options, rest)
	}
	if !bytes.Equal(signer.PublicKey().Marshal(), authorized.Marshal()) {
		t.Error("the keys are no pair")
	}
	if !bytes.HasSuffix(private, []byte("\n")) || !bytes.HasSuffix(public, []byte("\n")) {
		t.Error("OpenSSH wants a newline at the end of a key")
	}

	other, _, err := Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(private, other) {
		t.Error("two key pairs are the same")
	}
}

// TestGenerateForOpenSSH has the real ssh-keygen read a key.
func TestGenerateForOpenSSH(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		shared.Skipf(t, 1, "ssh-keygen")
	}
	private, public, err := Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "private.key")
	if err := os.WriteFile(path, private, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-y", "-f", path).Output()
	if err != nil {
		t.Fatalf("ssh-keygen cannot read the key: %v", err)
	}
	if got, want := strings.TrimSpace(string(out)), strings.TrimSpace(string(public)); got != want {
		t.Errorf("ssh-keygen says that the public key is %q, want %q", got, want)
	}
}

func TestGenerateWithoutRandomness(t *testing.T) {
	failure := errors.New("no entropy")
	if _, _, err := Generate(iotest.ErrReader(failure)); !errors.Is(err, failure) {
		t.Errorf("want error %v, got %v", failure, err)
	}
}
