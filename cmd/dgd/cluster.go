package main

import (
	"context"

	"github.com/dynamo-crossplane/configuration-dynamo/tool/preview"
)

// clusterCommand is about clusters on which graphs are previewed.
type clusterCommand struct {
	Record clusterRecordCommand `cmd:"" help:"Print the objects that the functions look up in the cluster of the kubeconfig, for --cluster=FILE."`
}

// clusterRecordCommand records a cluster.
type clusterRecordCommand struct {
	fileFlags

	kubectlFlags

	Namespace string   `help:"Namespace of graphs that do not specify a namespace. Without this flag: default." placeholder:"NAME" short:"n"`
	Paths     []string `arg:"" help:"Files, folders or patterns with graphs, whose names and references are also looked up." name:"path" optional:""`
}

// Help with examples.
func (*clusterRecordCommand) Help() string {
	return `Kubectl reads the APIs that the cluster serves, queues, topologies, checkpoints and the policy of the platform. With graphs in the arguments, it
also reads the objects to which they refer, and the objects whose names they would take. The file has no values of Secrets, and no command
lines and variables of containers.

Examples:

  {program} cluster record > production.yaml
  {program} validate deploy/ --cluster=production.yaml

  # With the claims and Secrets to which the graphs in a folder refer.
  {program} cluster record deploy/ > production.yaml
`
}

// Run the command.
func (c *clusterRecordCommand) Run(ctx context.Context, std streams) error {
	platform := platformFlags{Cluster: liveCluster, kubectlFlags: c.kubectlFlags, Namespace: c.Namespace}
	previewer, err := platform.previewer(ctx)
	if err != nil {
		return err
	}
	live, _ := previewer.Cluster.(*preview.Live)
	objects, forbidden, err := live.Platform()
	if err != nil {
		return usageError{err}
	}
	for _, f := range forbidden {
		std.err.Printf("not recorded, because you may not %s\n", f)
	}
	if len(c.paths(c.Paths)) > 0 {
		flags := previewFlags{fileFlags: c.fileFlags, Paths: c.Paths}
		files, err := flags.read(std)
		if err != nil {
			return err
		}
		for _, graph := range files.Graphs() {
			if _, err := previewer.Preview(ctx, graph, nil); err != nil {
				return usageError{err}
			}
		}
		objects = append(objects, live.Read()...)
	}
	if err := preview.Record(std.out, objects); err != nil {
		return err //nolint:wrapcheck // It says what cannot be written.
	}
	return nil
}
