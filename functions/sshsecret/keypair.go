package sshsecret

import (
	"io"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/backend"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/sshkey"
)

// keyPair is the data of the Secret.
type keyPair map[string][]byte

// keyPair of a graph, and whether it is the graph's to compose.
//
// Two runs may both not see the Secret yet, since reads can be stale. They do not lead to two keys in use: the Secret is
// immutable, so the API server refuses the second run's write, and the run after that sees the first run's key.
func (f *Function) keyPair(req *fnv1.RunFunctionRequest, r *require.Requirements, name, namespace string) (pair keyPair, compose bool, err error) {
	if observed, ok := req.GetObserved().GetResources()[string(names.KeySSHSecret)]; ok {
		pair, err = read(observed.GetResource())
		return pair, true, err
	}
	existing, resolved := r.Get(require.Object{Name: "ssh-secret", APIVersion: "v1", Kind: "Secret", ObjectName: name, Namespace: namespace})
	switch {
	case !resolved:
		return nil, false, nil
	case existing == nil:
		pair, err = generate(f.random)
		return pair, true, err
	case require.ControlledBy(existing, req):
		// Made by an earlier run, and not yet among what Crossplane observes.
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
