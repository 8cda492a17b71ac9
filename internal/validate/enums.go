package validate

import (
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1beta1"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/backend/engine"
	"github.com/dynamo-crossplane/configuration-dynamo/internal/model/graph"
)

// enums checks values that the schema of the API restricts, even in blocks that are not enabled, as the API server does.
func (v *validator) enums(path *field.Path, s *graph.Component) {
	v.sharing(path, s.Experimental)
	v.sharing(path, s.SwitchedOff)
	c := s.Checkpoint()
	if c == nil {
		return
	}
	fieldPath := path.Child("experimental", "checkpoint")
	for _, word := range []struct {
		field, value string
		allowed      []string
	}{
		{"mode", string(c.Mode), []string{"Auto", "Manual"}},
		{"deletionPolicy", string(c.DeletionPolicy), []string{"Delete", "Retain"}},
		{"startupPolicy", string(c.StartupPolicy), []string{"Immediate", "WaitForCheckpoint"}},
	} {
		if word.value != "" {
			v.oneOf(fieldPath.Child(word.field), word.value, word.allowed...)
		}
	}
	if c.Identity != nil && c.Identity.BackendFramework != "" {
		v.framework(fieldPath.Child("identity", "backendFramework"), c.Identity.BackendFramework)
	}
	if c.TargetContainerName != "" && len(validation.IsDNS1123Label(c.TargetContainerName)) > 0 {
		v.invalid(fieldPath.Child("targetContainerName"), c.TargetContainerName, "must be a DNS label: lower-case letters, digits and dashes, at most 63 characters")
	}
}

// sharing of GPUs, be it on or off.
func (v *validator) sharing(path *field.Path, e *v1beta1.ComponentExperimental) {
	if e == nil {
		return
	}
	if g := e.GPUMemoryService; g != nil {
		v.shareMode(path.Child("experimental", "gpuMemoryService", "mode"), g.Mode)
	}
	if f := e.Failover; f != nil {
		v.shareMode(path.Child("experimental", "failover", "mode"), f.Mode)
		if f.NumShadows < 0 {
			v.invalid(path.Child("experimental", "failover", "numShadows"), f.NumShadows, "must be at least 1")
		}
	}
}

// shareMode of a component.
func (v *validator) shareMode(path *field.Path, mode v1beta1.ShareMode) {
	if mode != "" {
		v.oneOf(path, v.graph.ShareMode(mode), v.graph.ShareMode(v1beta1.ShareInterPod), v.graph.ShareMode(v1beta1.ShareIntraPod))
	}
}

func (v *validator) framework(path *field.Path, framework v1alpha1.BackendFramework) {
	v.oneOf(path, string(framework), engine.Frameworks()...)
}
