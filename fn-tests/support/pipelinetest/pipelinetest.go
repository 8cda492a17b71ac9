// Package pipelinetest contains helpers for tests of pipelines: functions that are written in one line, and selectors.
package pipelinetest

import (
	"context"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// Function that is a plain Go function. If it returns nil, the call fails.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	Run func(*fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse
}

// RunFunction runs it.
func (f Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if rsp := f.Run(req); rsp != nil {
		return rsp, nil
	}
	return nil, errors.New("no response")
}

// ByName selects a ConfigMap.
func ByName(name, namespace string) *fnv1.ResourceSelector {
	return &fnv1.ResourceSelector{
		ApiVersion: "v1",
		Kind:       "ConfigMap",
		Namespace:  &namespace,
		Match:      &fnv1.ResourceSelector_MatchName{MatchName: name},
	}
}

// ByLabel selects ConfigMaps.
func ByLabel(key, value string) *fnv1.ResourceSelector {
	return &fnv1.ResourceSelector{
		ApiVersion: "v1",
		Kind:       "ConfigMap",
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{key: value}}},
	}
}
