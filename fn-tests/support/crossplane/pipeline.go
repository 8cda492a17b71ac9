// Package crossplane simulates Crossplane and the controllers of a cluster for single graphs: it observes a graph, runs a pipeline with
// package pipeline, applies the desired state, and keeps the requests.
package crossplane

import (
	"fmt"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/compatibility"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/wire/pipeline"
)

// functionPrefix is the prefix of our functions' names in a Composition.
const functionPrefix = "dynamo-crossplane-function-dynamo-"

// Flags that docs/install.md recommends for Crossplane.
func Flags() []string {
	return []string{
		fmt.Sprintf("--circuit-breaker-burst=%d", compatibility.BreakerBurst),
		fmt.Sprintf("--circuit-breaker-refill-rate=%d", compatibility.BreakerRefillRate),
		"--circuit-breaker-cooldown=" + compatibility.BreakerCooldown,
		fmt.Sprintf("--max-concurrent-reconciles=%d", compatibility.MaxReconciles),
	}
}

// A Pipeline of a Composition.
type Pipeline struct {
	// Composition is the name of the Composition.
	Composition string
	Steps       []Step

	// Once is true if each step is called as by Crossplane v2.4 and later only, or as by the Caller if there is one, and not also as by older versions.
	Once   bool
	Caller *pipeline.Caller
}

// A Step of a pipeline, with the name of its function.
type Step struct {
	pipeline.Step

	// Function that the step calls, such as plan: the subcommand that serves it.
	Function string
}

// ReadPipeline of the Composition in a file.
func ReadPipeline(path string) (*Pipeline, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read a Composition: %w", err)
	}
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(data, &object.Object); err != nil {
		return nil, fmt.Errorf("cannot parse Composition %s: %w", path, err)
	}
	composition, err := pipeline.CompositionOf(object)
	if err != nil {
		return nil, fmt.Errorf("cannot parse Composition %s: %w", path, err)
	}
	if len(composition.Spec.Pipeline) == 0 {
		return nil, fmt.Errorf("cannot use Composition %s: it has no step", path)
	}
	out := &Pipeline{Composition: composition.Metadata.Name}
	for _, s := range composition.Spec.Pipeline {
		function, ours := strings.CutPrefix(s.FunctionRef.Name, functionPrefix)
		if !ours {
			return nil, fmt.Errorf("cannot use Composition %s: the function %q of step %s is not one of ours", path, s.FunctionRef.Name, s.Step)
		}
		step, err := s.With(nil)
		if err != nil {
			return nil, fmt.Errorf("cannot use Composition %s: %w", path, err)
		}
		out.Steps = append(out.Steps, Step{Step: step, Function: function})
	}
	return out, nil
}
