// Package compositions contains the Compositions of this project, so that the command line renders graphs without any other file.
package compositions

import _ "embed"

// Graph is the Composition of namespaced graphs.
//
//go:embed dynamographdeployment.yaml
var Graph []byte

// Composite is the Composition of the composite resources of claims.
//
//go:embed xdynamographdeployment.yaml
var Composite []byte
