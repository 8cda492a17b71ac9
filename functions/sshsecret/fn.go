// Package sshsecret is the step that composes the key pair with which the nodes of a TensorRT-LLM engine log in to each other. It generates
// the pair once, and composes the observed pair after that.
package sshsecret

import (
	"context"
	"crypto/rand"
	"io"

	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
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
func (f *Function) RunFunction(ctx context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return step.Run(ctx, f, req)
}

// Do adds the Secret to the desired state if the plan contains one. Otherwise it keeps a Secret with which pods still log in.
func (f *Function) Do(call *step.Call) error {
	var requirements require.Requirements
	if call.Plan.SSHSecret != "" {
		if err := f.compose(call, &requirements); err != nil {
			return err
		}
	}
	keeper := retain.New(call, &requirements)
	if err := keeper.Keep(func(key string) bool { return key == string(names.KeySSHSecret) }); err != nil {
		return err
	}
	requirements.Write(call.Request, call.Response)
	return nil
}

// compose the Secret. A Secret with this name that the graph did not create is used, but neither composed nor overwritten.
func (f *Function) compose(call *step.Call, requirements *require.Requirements) error {
	g, name := call.Graph, call.Plan.SSHSecret
	pair, compose, err := f.keyPair(call.Request, requirements, name, g.Namespace)
	if err != nil || !compose {
		return err
	}
	f.log.Debug("Composing the SSH key pair", "graph", g.Name, "namespace", g.Namespace)
	return response.Set(call.Response, names.KeySSHSecret, secret(name, g, pair))
}
