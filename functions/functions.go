package main

import (
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/computedomain"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/foundation"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/grove"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/lws"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/revision"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// basePort is the port of the first function of the chain if one process serves all functions. Crossplane calls functions at this port.
const basePort = 9443

// chain of the functions in the order of the pipeline. Ports never change, because Function objects with the Development runtime refer to
// them.
func chain(log logging.Logger) []server.Function {
	return []server.Function{
		{Name: "plan", Port: basePort, Plans: true, Runner: plan.NewFunction(log)},
		{Name: "foundation", Port: basePort + 1, Runner: foundation.NewFunction(log)},
		{Name: "grove", Port: basePort + 2, Runner: grove.NewFunction(log)},
		{Name: "lws", Port: basePort + 3, Runner: lws.NewFunction(log)},
		{Name: "computedomain", Port: basePort + 4, Runner: computedomain.NewFunction(log)},
		{Name: "sshsecret", Port: basePort + 5, Runner: sshsecret.NewFunction(log)},
		{Name: "revision", Port: basePort + 8, Runner: revision.NewFunction(log)},
		{Name: "status", Port: basePort + 6, Runner: status.NewFunction(log)},
	}
}

// fusedBallast is small beside the memory of one process, but not beside that of the chain's eight.
const fusedBallast = 16 * megabyte

// fused is the function that runs all steps of the chain.
func fused(log logging.Logger) server.Function {
	return server.Function{Name: "graph", Port: basePort + 7, Plans: true, Ballast: fusedBallast, Runner: graph.NewFunction(log)}
}

// functions of this program.
func functions(log logging.Logger) []server.Function {
	return append(chain(log), fused(log))
}
