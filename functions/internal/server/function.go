// Package server serves composition functions over gRPC.
package server

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Function is one composition function of this program.
type Function struct {
	// Name of the function in the chain, plan for example. It is the name of
	// the pipeline step and of the subcommand that serves the function.
	Name string

	// Port that the function listens on beside the other functions of the
	// chain, where one process serves them all.
	Port int

	// Plans says that the function writes the plan itself, so that none before it
	// has returned conditions.
	Plans bool

	// Runner that runs the function.
	Runner fnv1.FunctionRunnerServiceServer
}
