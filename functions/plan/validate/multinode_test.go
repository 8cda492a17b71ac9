package validate_test

import (
	"testing"
)

func TestWarningsOfNodes(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"NodesWithoutBackend": {
			reason: "Without a known backend, nothing makes the nodes one engine.",
			patch:  `spec: {services: {decode: {multinode: {nodeCount: 2}, extraPodSpec: {mainContainer: {command: [serve]}}}}}`,
			want: []string{
				"spec.services[decode].multinode: the backend of this service is not known, so all nodes run the same command; set componentType: worker and backendFramework, or let the command connect the nodes",
			},
		},
	})
}
