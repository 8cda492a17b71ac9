// Package functions lists the composition functions: the steps of the chain, and the one that runs all of them.
package functions

import (
	"github.com/crossplane/function-sdk-go/logging"

	"github.com/dynamo-crossplane/configuration-dynamo/functions/computedomain"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/foundation"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/graph"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/grove"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/lws"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/plan"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/revision"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/scalingadapter"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/sshsecret"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/status"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/server"
)

// BasePort is the port of the first function of the chain if one process serves all functions. Crossplane calls functions at this port.
const BasePort = 9443

// Chain of the functions in the order of the pipeline. Ports never change, because Function objects with the Development runtime refer to
// them.
func Chain(log logging.Logger) []server.Function {
	return []server.Function{
		{Name: "plan", Port: BasePort, Plans: true, Runner: plan.NewFunction(log)},
		{Name: "foundation", Port: BasePort + 1, Runner: foundation.NewFunction(log)},
		{Name: "grove", Port: BasePort + 2, Runner: grove.NewFunction(log)},
		{Name: "lws", Port: BasePort + 3, Runner: lws.NewFunction(log)},
		{Name: "computedomain", Port: BasePort + 4, Runner: computedomain.NewFunction(log)},
		{Name: "sshsecret", Port: BasePort + 5, Runner: sshsecret.NewFunction(log)},
		{Name: "revision", Port: BasePort + 8, Runner: revision.NewFunction(log)},
		{Name: "status", Port: BasePort + 6, Runner: scalingadapter.Beside(status.NewFunction(log))},
	}
}

// fusedBallast is small beside the memory of one process, but not beside that of the chain's eight.
const fusedBallast = 16 << 20

// Fused is the function that runs all steps of the chain.
func Fused(log logging.Logger) server.Function {
	return server.Function{Name: "graph", Port: BasePort + 7, Plans: true, Ballast: fusedBallast, Runner: scalingadapter.Beside(graph.NewFunction(log))}
}

// All functions, each of which is a package of its own.
func All(log logging.Logger) []server.Function {
	return append(Chain(log), Fused(log))
}
