// Package server serves composition functions over gRPC.
package server

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Function is one composition function of this program.
type Function struct {
	// Name of the function in the chain, such as plan. It is the name of the pipeline step and of the subcommand that serves the function.
	Name string

	// Port of the function if one process serves all functions of the chain.
	Port int

	// Plans says that the function writes the plan itself, so that no function before it has returned conditions.
	Plans bool

	// Ballast in bytes is memory that counts for the garbage collector and is never written, so that it takes none. By itself, the heap of a
	// function is so small that garbage is collected several times in each call, which takes a quarter of its processor time. With a ballast,
	// its process takes up to as much more for garbage, whatever else it holds. With a larger GOGC, a function without a memory limit would
	// take several times as much for a large graph.
	Ballast int

	// Runner that runs the function.
	Runner fnv1.FunctionRunnerServiceServer
}
