//go:build !serving

package main

// toolCommands are for people and pipelines. The packages of the functions are built without them: what they need, such as the rules of
// the API server, would be in the memory of each function.
type toolCommands struct {
	Validate   validateCommand   `cmd:"" help:"Find all that is wrong with graphs, without a cluster."`
	Diff       diffCommand       `cmd:"" help:"Show what a change of graphs does to what runs: what restarts, scales, comes and goes."`
	Explain    explainCommand    `cmd:"" help:"Show what graphs become and why, as a tree or as a picture, without a cluster."`
	Why        whyCommand        `cmd:"" help:"Find out why a graph in a cluster is not ready, down to its pods."`
	Convert    convertCommand    `cmd:"" help:"Convert graphs between v1alpha1 and v1beta1, without a cluster."`
	Adopt      adoptCommand      `cmd:"" help:"Move graphs from the Dynamo operator to this Configuration without a restart."`
	Schema     schemaCommand     `cmd:"" help:"Print the JSON Schema of graphs, for editors."`
	Completion completionCommand `cmd:"" help:"Print a script that completes commands in a shell."`
	Man        manCommand        `cmd:"" help:"Write manual pages."`
	Reference  referenceCommand  `cmd:"" help:"Print a page of the documentation." hidden:""`
}
