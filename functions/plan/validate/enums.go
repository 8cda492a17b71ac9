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
	if g := s.GPUMemoryService; g != nil {
		v.shareMode(path.Child("gpuMemoryService", "mode"), g.Mode, v.graph.Written(s.Name, "experimental", "gpuMemoryService", "mode"))
	}
	if f := s.Failover; f != nil {
		v.shareMode(path.Child("failover", "mode"), f.Mode, v.graph.Written(s.Name, "experimental", "failover", "mode"))
		if f.NumShadows < 0 {
			v.invalid(path.Child("failover", "numShadows"), f.NumShadows, "must be at least 1")
		}
	}
	c := s.Checkpoint
	if c == nil {
		return
	}
	at := path.Child("checkpoint")
	for _, word := range []struct {
		field, value string
		allowed      []string
	}{
		{"mode", string(c.Mode), []string{"Auto", "Manual"}},
		{"deletionPolicy", string(c.DeletionPolicy), []string{"Delete", "Retain"}},
		{"startupPolicy", string(c.StartupPolicy), []string{"Immediate", "WaitForCheckpoint"}},
	} {
		if word.value != "" {
			v.oneOf(at.Child(word.field), word.value, word.allowed...)
		}
	}
	if c.Identity != nil && c.Identity.BackendFramework != "" {
		v.framework(at.Child("identity", "backendFramework"), c.Identity.BackendFramework)
	}
	if c.TargetContainerName != "" && len(validation.IsDNS1123Label(c.TargetContainerName)) > 0 {
		v.invalid(at.Child("targetContainerName"), c.TargetContainerName, "must be a DNS label: lower-case letters, digits and dashes, at most 63 characters")
	}
}

// shareMode of a service, and as a component has it, which is decoded from either spelling.
func (v *validator) shareMode(path *field.Path, mode v1alpha1.ShareMode, written string) {
	if v.graph.Form == graph.Components {
		if written != "" {
			v.oneOf(path, written, string(v1beta1.ShareInterPod), string(v1beta1.ShareIntraPod))
		}
		return
	}
	if mode != "" {
		v.oneOf(path, string(mode), string(v1alpha1.ShareInterPod), string(v1alpha1.ShareIntraPod))
	}
}

func (v *validator) framework(path *field.Path, framework v1alpha1.BackendFramework) {
	v.oneOf(path, string(framework), engine.Frameworks()...)
}
