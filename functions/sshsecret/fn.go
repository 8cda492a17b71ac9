// Package sshsecret is the step that composes the key pair with which the nodes of a TensorRT-LLM engine log in to each
// other. It makes the pair once, and from then on repeats what it observes.
package sshsecret

import (
	"context"
	"crypto/rand"
	"io"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/desired"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/step"
)

// Function composes an SSH key pair.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log    logging.Logger
	random io.Reader
}

// NewFunction returns the step.
func NewFunction(log logging.Logger) *Function { return &Function{log: log, random: rand.Reader} }

// RunFunction reads the graph and the plan of a request, and does the work of the step.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return step.Run(f, req), nil
}

// Do adds the Secret to the desired state when the plan asks for one. A Secret of that name which this graph did not make is
// used as it is: never composed, never overwritten.
func (f *Function) Do(call *step.Call) error {
	req, rsp, g, p := call.Request, call.Response, call.Graph, call.Plan
	if p.SSHSecret == "" {
		return nil
	}

	requirements := require.New(req)
	pair, compose, err := f.keyPair(req, requirements, p.SSHSecret, g.Namespace)
	if err != nil {
		return err
	}
	requirements.Write(rsp)
	if !compose {
		return nil
	}
	f.log.Debug("Composing the SSH key pair", "graph", g.Name, "namespace", g.Namespace)
	if err := desired.Set(rsp, names.KeySSHSecret, secret(p.SSHSecret, g, pair)); err != nil {
		return err
	}
	return nil
}
