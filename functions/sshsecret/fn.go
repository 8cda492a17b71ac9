// Package sshsecret is the step that composes the key pair with which the nodes of a TensorRT-LLM engine log in to each other. It generates
// the pair once, and composes the observed pair after that.
package sshsecret

import (
	"crypto/rand"
	"io"

	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/names"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/step/retain"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/require"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/response"
)

// NewFunction returns the step.
func NewFunction(log logging.Logger) *step.Function { return newFunction(log, rand.Reader) }

func newFunction(log logging.Logger, random io.Reader) *step.Function {
	return step.NewFunction("sshsecret", log, composer{random}.do)
}

// composer of key pairs, from random numbers.
type composer struct{ random io.Reader }

// do adds the Secret to the desired state if the plan contains one. Otherwise it keeps a Secret with which pods still log in.
func (c composer) do(call *step.Call) error {
	var requirements require.Requirements
	if call.Plan.SSHSecret != "" {
		if err := c.compose(call, &requirements); err != nil {
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
func (c composer) compose(call *step.Call, requirements *require.Requirements) error {
	g, name := call.Graph, call.Plan.SSHSecret
	pair, compose, err := c.keyPair(call.Request, requirements, name, g.Namespace)
	if err != nil || !compose {
		return err
	}
	return response.Set(call.Response, names.KeySSHSecret, secret(name, g, pair))
}
