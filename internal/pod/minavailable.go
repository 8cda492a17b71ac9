package pod

import (
	"encoding/json"

	"k8s.io/utils/ptr"

	"github.com/dynamo-crossplane/configuration-dynamo/apis/v1alpha1"
)

// MinAvailable is how many replicas of a service the gang scheduler must place together. Grove only refuses 0, and scaling to zero is
// refused before.
func MinAvailable(s *v1alpha1.Service) int32 {
	if native := NativeMinAvailable(s); native != nil {
		return *native
	}
	return ptr.Deref(s.MinAvailable, 1)
}

// NativeMinAvailable is the number in Grove's own form, which a service has in its override: in the spec of its clique, or in its scaling
// group. nil: there is none, or it is no number, which is refused.
func NativeMinAvailable(s *v1alpha1.Service) *int32 {
	if s.ProviderOverride == nil {
		return nil
	}
	var value struct {
		MinAvailable *int32 `json:"minAvailable"`
		Spec         struct {
			MinAvailable *int32 `json:"minAvailable"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(s.ProviderOverride.Value.Raw, &value); err != nil {
		return nil
	}
	if value.MinAvailable != nil {
		return value.MinAvailable
	}
	return value.Spec.MinAvailable
}
