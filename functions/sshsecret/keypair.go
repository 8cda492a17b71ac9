package sshsecret

import (
	"io"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret/sshkey"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
)

// keyPair is the data of the Secret.
type keyPair map[string][]byte

// keyPair of a graph, and whether the graph composes it.
//
// Two runs may both not observe the Secret, because reads can be outdated. Still, only one key pair is used: the Secret is immutable, so
// the API server refuses the second write, and the next run observes the key pair of the first.
func (c composer) keyPair(req *fnv1.RunFunctionRequest, r *require.Requirements, name, namespace string) (pair keyPair, compose bool, err error) {
	if observed, ok := req.GetObserved().GetResources()[string(names.KeySSHSecret)]; ok {
		pair, err = read(observed.GetResource())
		return pair, true, err
	}
	secret := require.Object{Name: "ssh-secret", APIVersion: "v1", Kind: "Secret", ObjectName: name, Namespace: namespace}
	existing, resolved := r.Get(require.AnswersIn(req), secret)
	switch {
	case !resolved:
		return nil, false, nil
	case existing == nil:
		pair, err = generate(c.random)
		return pair, true, err
	case require.ControlledBy(existing, req):
		// An earlier run has created it, and Crossplane does not observe it yet.
		pair, err = read(existing)
		return pair, true, err
	default:
		return nil, false, nil
	}
}

// generate a key pair.
func generate(random io.Reader) (keyPair, error) {
	private, public, err := sshkey.Generate(random)
	if err != nil {
		return nil, err
	}
	return keyPair{backend.SSHPrivateKey: private, backend.SSHPublicKey: public}, nil
}
