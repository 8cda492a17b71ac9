package pipeline

import (
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Composition contains the relevant fields of a Crossplane Composition. Crossplane's own types register themselves with a scheme when the
// program starts, and depend on controller-runtime.
type Composition struct {
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		CompositeTypeRef struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"compositeTypeRef"`
		Mode     string            `json:"mode"`
		Pipeline []CompositionStep `json:"pipeline"`
	} `json:"spec"`
}

// A CompositionStep is a step of a Composition.
type CompositionStep struct {
	Step        string `json:"step"`
	FunctionRef struct {
		Name string `json:"name"`
	} `json:"functionRef"`
	Input        map[string]any `json:"input"`
	Credentials  []any          `json:"credentials"`
	Requirements struct {
		RequiredResources []Requirement `json:"requiredResources"`
	} `json:"requirements"`
}

// A Requirement that is resolved before the function of a step is first called.
type Requirement struct {
	RequirementName string            `json:"requirementName"`
	APIVersion      string            `json:"apiVersion"`
	Kind            string            `json:"kind"`
	Namespace       *string           `json:"namespace"`
	Name            *string           `json:"name"`
	MatchLabels     map[string]string `json:"matchLabels"`
}

// selector is the requirement in the form in which a function would return it.
func (r Requirement) selector() *fnv1.ResourceSelector {
	out := &fnv1.ResourceSelector{ApiVersion: r.APIVersion, Kind: r.Kind, Namespace: r.Namespace}
	switch {
	case r.Name != nil:
		out.Match = &fnv1.ResourceSelector_MatchName{MatchName: *r.Name}
	case r.MatchLabels != nil:
		out.Match = &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: r.MatchLabels}}
	}
	return out
}

// CompositionOf reads a Composition.
func CompositionOf(o *unstructured.Unstructured) (*Composition, error) {
	if o.GetAPIVersion() != "apiextensions.crossplane.io/v1" || o.GetKind() != "Composition" {
		return nil, errors.Errorf("not a Composition of apiextensions.crossplane.io/v1: %s of %s", o.GetKind(), o.GetAPIVersion())
	}
	c := &Composition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, c); err != nil {
		return nil, errors.Errorf("cannot decode Composition: %w", err)
	}
	return c, nil
}

// Steps of the pipeline, whose functions are found by the names to which they refer.
func (c *Composition) Steps(functions map[string]Function) ([]Step, error) {
	steps := make([]Step, 0, len(c.Spec.Pipeline))
	for _, s := range c.Spec.Pipeline {
		function := functions[s.FunctionRef.Name]
		if function == nil {
			return nil, errors.Errorf("no function %s for step %s", s.FunctionRef.Name, s.Step)
		}
		step, err := s.With(function)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// With a function, the step can run.
func (s *CompositionStep) With(function Function) (Step, error) {
	step := Step{Name: s.Step, Function: function, Required: map[string]*fnv1.ResourceSelector{}}
	if s.Input != nil {
		input, err := structpb.NewStruct(s.Input)
		if err != nil {
			return step, errors.Errorf("cannot encode the input of pipeline step %q: %w", s.Step, err)
		}
		step.Input = input
	}
	for _, r := range s.Requirements.RequiredResources {
		step.Required[r.RequirementName] = r.selector()
	}
	return step, nil
}
