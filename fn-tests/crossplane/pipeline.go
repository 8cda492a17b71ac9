// Package crossplane plays the part of Crossplane that functions see: it observes a graph in a cluster, calls the steps of a
// pipeline in their order until their requirements no longer change, applies what they desire, and keeps the requests.
package crossplane

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// functionPrefix is what the names of our functions begin with in a Composition.
const functionPrefix = "dynamo-crossplane-function-dynamo-"

// A Pipeline is that of a Composition.
type Pipeline struct {
	// Composition is the name of the Composition.
	Composition string
	Steps       []Step
}

// A Step of a pipeline.
type Step struct {
	Name string
	// Function that the step calls, plan for example: the subcommand that serves it.
	Function string
	// Input of the function; nil for most.
	Input *structpb.Struct
	// Bootstrap are the resources that the Composition requires for the step, by the names of the requirements.
	Bootstrap map[string]*fnv1.ResourceSelector
}

// composition has the fields of a Composition that are read here.
type composition struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Pipeline []struct {
			Step        string `json:"step"`
			FunctionRef struct {
				Name string `json:"name"`
			} `json:"functionRef"`
			Input        json.RawMessage `json:"input"`
			Requirements struct {
				RequiredResources []struct {
					RequirementName string `json:"requirementName"`
					APIVersion      string `json:"apiVersion"`
					Kind            string `json:"kind"`
					Name            string `json:"name"`
				} `json:"requiredResources"`
			} `json:"requirements"`
		} `json:"pipeline"`
	} `json:"spec"`
}

// ReadPipeline of the Composition in a file.
func ReadPipeline(path string) (*Pipeline, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read a Composition: %w", err)
	}
	parsed := composition{}
	if err := yaml.Unmarshal(data, &parsed); err != nil {
		return nil, fmt.Errorf("cannot parse Composition %s: %w", path, err)
	}
	if len(parsed.Spec.Pipeline) == 0 {
		return nil, fmt.Errorf("cannot use Composition %s: it has no step", path)
	}
	out := &Pipeline{Composition: parsed.Metadata.Name}
	for _, s := range parsed.Spec.Pipeline {
		function, ours := strings.CutPrefix(s.FunctionRef.Name, functionPrefix)
		if !ours {
			return nil, fmt.Errorf("cannot use Composition %s: the function %q of step %s is not one of ours", path, s.FunctionRef.Name, s.Step)
		}
		step := Step{Name: s.Step, Function: function, Bootstrap: map[string]*fnv1.ResourceSelector{}}
		if len(s.Input) > 0 {
			step.Input = &structpb.Struct{}
			if err := step.Input.UnmarshalJSON(s.Input); err != nil {
				return nil, fmt.Errorf("cannot parse the input of step %s of Composition %s: %w", s.Step, path, err)
			}
		}
		for _, r := range s.Requirements.RequiredResources {
			if r.Name == "" {
				return nil, errors.New("cannot look up a requirement of a Composition that names no object: " + r.RequirementName)
			}
			step.Bootstrap[r.RequirementName] = &fnv1.ResourceSelector{
				ApiVersion: r.APIVersion, Kind: r.Kind, Match: &fnv1.ResourceSelector_MatchName{MatchName: r.Name},
			}
		}
		out.Steps = append(out.Steps, step)
	}
	return out, nil
}
