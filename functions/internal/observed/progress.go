package observed

import (
	"google.golang.org/protobuf/types/known/structpb"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	lwsv1 "sigs.k8s.io/lws/api/leaderworkerset/v1"

	grovev1alpha1 "github.com/dynamo-crossplane/configuration-dynamo/functions/internal/apis/grove/v1alpha1"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/require"
	"github.com/dynamo-crossplane/configuration-dynamo/functions/internal/tree"
)

// DeploymentProgress is how far the controller of a Deployment is. Its pods, which are most of it, are not decoded.
type DeploymentProgress struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas *int32 `json:"replicas,omitempty"`
		Paused   bool   `json:"paused,omitempty"`
	} `json:"spec,omitzero"`
	Status appsv1.DeploymentStatus `json:"status,omitzero"`
}

// ProgressOfDeployment decodes a Deployment.
func ProgressOfDeployment(object *structpb.Struct) (*DeploymentProgress, error) {
	d := &DeploymentProgress{}
	return d, require.Into(object, d)
}

// LeaderWorkerSetProgress is how far the controller of a LeaderWorkerSet is. Its pods, which are most of it, are not decoded.
type LeaderWorkerSetProgress struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas *int32 `json:"replicas,omitempty"`
	} `json:"spec,omitzero"`
	Status lwsv1.LeaderWorkerSetStatus `json:"status,omitzero"`
}

// ProgressOfLeaderWorkerSet decodes a LeaderWorkerSet.
func ProgressOfLeaderWorkerSet(object *structpb.Struct) (*LeaderWorkerSetProgress, error) {
	set := &LeaderWorkerSetProgress{}
	return set, require.Into(object, set)
}

// AvailableSince is the last transition of condition Available of a LeaderWorkerSet whose status does not tell its generation,
// as before LWS v0.9: right after a change such a status still says that all is well. It is of the new pods when the set has
// become available again, since LWS takes the condition back for as long as it replaces pods. Empty where the generation tells.
func AvailableSince(object *structpb.Struct) string {
	status := tree.At(object, "status").GetFields()
	if _, ok := status["observedGeneration"]; ok {
		return ""
	}
	for _, value := range status["conditions"].GetListValue().GetValues() {
		if c := value.GetStructValue(); tree.Text(c, "type") == string(lwsv1.LeaderWorkerSetAvailable) {
			return tree.Text(c, "lastTransitionTime")
		}
	}
	return ""
}

// PodCliqueSetProgress is how far Grove is with a PodCliqueSet. Its cliques, which are most of it, are not decoded.
type PodCliqueSetProgress struct {
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec struct {
		Replicas int32 `json:"replicas"`
	} `json:"spec,omitzero"`
	Status grovev1alpha1.PodCliqueSetStatus `json:"status,omitzero"`
}

// ProgressOfPodCliqueSet decodes a PodCliqueSet.
func ProgressOfPodCliqueSet(object *structpb.Struct) (*PodCliqueSetProgress, error) {
	set := &PodCliqueSetProgress{}
	return set, require.Into(object, set)
}
