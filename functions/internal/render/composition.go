package render

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// A Composition is what the renderer reads of a Crossplane Composition. The
// types of Crossplane itself register themselves with a scheme when the program
// starts, and bring controller-runtime with them.
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
		Mode     string `json:"mode"`
		Pipeline []Step `json:"pipeline"`
	} `json:"spec"`
}

// A Step of a Composition's pipeline.
type Step struct {
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

// A Requirement that is met before a step's function is first called.
type Requirement struct {
	RequirementName string            `json:"requirementName"`
	APIVersion      string            `json:"apiVersion"`
	Kind            string            `json:"kind"`
	Namespace       *string           `json:"namespace"`
	Name            *string           `json:"name"`
	MatchLabels     map[string]string `json:"matchLabels"`
}

// selector is the requirement as a function would ask for it.
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

// compositionOf reads a Composition.
func compositionOf(o *unstructured.Unstructured) (*Composition, error) {
	if o.GetAPIVersion() != "apiextensions.crossplane.io/v1" || o.GetKind() != "Composition" {
		return nil, errors.Errorf("not a Composition of apiextensions.crossplane.io/v1: %s of %s", o.GetKind(), o.GetAPIVersion())
	}
	data, err := json.Marshal(o.Object)
	if err != nil {
		return nil, errors.Wrap(err, "cannot encode Composition")
	}
	c := &Composition{}
	return c, errors.Wrap(json.Unmarshal(data, c), "cannot decode Composition")
}

// check that the composition is a pipeline, and is meant for the composite
// resource.
func (c *Composition) check(xr *unstructured.Unstructured) error {
	if want, got := c.Spec.CompositeTypeRef.Kind, xr.GetKind(); want != got {
		return errors.Errorf("composition's compositeTypeRef.kind (%s) does not match XR's kind (%s)", want, got)
	}
	if want, got := c.Spec.CompositeTypeRef.APIVersion, xr.GetAPIVersion(); want != got {
		return errors.Errorf("composition's compositeTypeRef.apiVersion (%s) does not match XR's apiVersion (%s)", want, got)
	}

	selected, _, _ := unstructured.NestedStringMap(xr.Object, "spec", "crossplane", "compositionSelector", "matchLabels")
	for _, key := range sortedKeys(selected) {
		if got, ok := c.Metadata.Labels[key]; !ok || got != selected[key] {
			return errors.Errorf("XR selects compositions with label %s=%s, composition %q has %q", key, selected[key], c.Metadata.Name, got)
		}
	}

	if c.Spec.Mode != "Pipeline" {
		return errors.Errorf("composition %q must use spec.mode: Pipeline", c.Metadata.Name)
	}
	for _, s := range c.Spec.Pipeline {
		if len(s.Credentials) > 0 {
			return errors.Errorf("pipeline step %q takes credentials, which this renderer does not read", s.Step)
		}
	}
	return nil
}
