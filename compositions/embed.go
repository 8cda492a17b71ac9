// Package compositions contains the Compositions of this project, so that the command line renders graphs without any other file.
package compositions

import _ "embed"

// Graph is the Composition of namespaced graphs, with one function, which renders what the chain does in a third of the time.
//
//go:embed dynamographdeployment-fused.yaml
var Graph []byte

// Composite is that of the composite resources of claims.
//
//go:embed xdynamographdeployment-fused.yaml
var Composite []byte
