package crossplane

import (
	"github.com/crossplane/function-sdk-go/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/computedomain"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/foundation"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/grove"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/lws"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/revision"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// Functions that steps call, by their names.
type Functions map[string]pipeline.Function

// Servers of all functions, by their names. No panic is recovered.
func Servers(log logging.Logger) map[string]fnv1.FunctionRunnerServiceServer {
	return map[string]fnv1.FunctionRunnerServiceServer{
		"plan":          plan.NewFunction(log),
		"foundation":    foundation.NewFunction(log),
		"grove":         grove.NewFunction(log),
		"lws":           lws.NewFunction(log),
		"computedomain": computedomain.NewFunction(log),
		"revision":      revision.NewFunction(log),
		"sshsecret":     sshsecret.NewFunction(log),
		"status":        status.NewFunction(log),
		"graph":         graph.NewFunction(log),
	}
}

// Direct are functions that share memory with the caller, for tests that call them thousands of times.
func Direct(servers map[string]fnv1.FunctionRunnerServiceServer) Functions {
	all := make(Functions, len(servers))
	for name, server := range servers {
		all[name] = server
	}
	return all
}

// InProcess are functions that are called without a connection.
func InProcess(servers map[string]fnv1.FunctionRunnerServiceServer) Functions {
	all := make(Functions, len(servers))
	for name, server := range servers {
		all[name] = pipeline.OverTheWire(server)
	}
	return all
}
