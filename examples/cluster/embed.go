// Package cluster contains clusters for previews of graphs: the objects that tell which APIs each serves, and what else graphs refer to.
package cluster

import "embed"

// Files of the clusters, each with the name of its cluster and the ending .yaml.
//
//go:embed *.yaml
var Files embed.FS
