// Package sshkey generates SSH key pairs.
package sshkey

import (
	"crypto/ed25519"
	"encoding/pem"
	"io"

	"golang.org/x/crypto/ssh"

	"github.com/crossplane/function-sdk-go/errors"
)

// Generate an Ed25519 key pair: the private key in the file format of OpenSSH, the public key as a line of authorized_keys.
func Generate(random io.Reader) (private, public []byte, err error) {
	publicKey, privateKey, err := ed25519.GenerateKey(random)
	if err != nil {
		return nil, nil, errors.Wrap(err, "cannot generate an SSH key")
	}
	block, err := ssh.MarshalPrivateKey(privateKey, "")
	if err != nil {
		return nil, nil, errors.Wrap(err, "cannot encode the private SSH key")
	}
	authorized, err := ssh.NewPublicKey(publicKey)
	if err != nil {
		return nil, nil, errors.Wrap(err, "cannot encode the public SSH key")
	}
	return pem.EncodeToMemory(block), ssh.MarshalAuthorizedKey(authorized), nil
}
