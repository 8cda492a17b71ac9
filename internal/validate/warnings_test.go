package validate_test

import (
	"testing"
)

func TestWarningsOfOrchestrator(t *testing.T) {
	runWarnings(t, map[string]warningCase{
		"EnableGrove": {
			reason: "A value that means neither yes nor no has no effect.",
			patch:  `metadata: {annotations: {nvidia.com/enable-grove: "no"}}`,
			want:   []string{`metadata.annotations[nvidia.com/enable-grove]: has no effect with this value; only "false" prevents the graph from running on Grove`},
		},
		"EnableGroveInCapitals": {
			reason: "The case of the value does not matter.",
			patch:  `metadata: {annotations: {nvidia.com/enable-grove: "False"}}`,
		},
	})
}
