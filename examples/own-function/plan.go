package main

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"
)

const (
	// contextKey of the plan, and planVersion, the version of the document that this function knows. Its fields are in docs/design.md.
	contextKey  = "plan.dynamo.nvidia.com"
	planVersion = 2
)

// A plan has the fields of the plan that this function reads.
type plan struct {
	Version  int                 `json:"version"`
	Services map[string]struct{} `json:"services"`

	// Held is set if nothing of the graph may change.
	Held string `json:"held"`
}

// planOf reads the plan that step plan has written.
func planOf(pipeline *structpb.Struct) (*plan, error) {
	document := pipeline.GetFields()[contextKey]
	if document == nil {
		return nil, fmt.Errorf("the context has no %s: step plan must run before this one", contextKey)
	}
	data, err := document.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("cannot encode the plan: %w", err)
	}
	p := &plan{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("cannot decode the plan: %w", err)
	}
	if p.Version != planVersion {
		return nil, fmt.Errorf("the plan has version %d, and this function knows version %d: update the function", p.Version, planVersion)
	}
	return p, nil
}
